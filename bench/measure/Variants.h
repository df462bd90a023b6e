// Variants of the sources that --pipeline and --axis ask for.
#pragma once
#include "bench/measure/Request.h"

namespace bench {

/// NAME=FILE or NAME=builtin.module(...). Reads the file. Throws with the rule.
Pipeline parsePipeline(const std::string &text);
/// NAME=VALUE,VALUE... Throws with the rule.
Axis parseAxis(const std::string &text);

/// Each source with each pipeline and each combination of the axes' values. One pipeline alone follows the source
/// without a pipeline, to be compared with it.
std::vector<Source> variantsOf(const std::vector<Source> &sources, const std::vector<Pipeline> &pipelines,
                               const std::vector<Axis> &axes);

} // namespace bench
