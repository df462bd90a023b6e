// Compares the result of a launch with what it must be.
#pragma once
#include "bench/measure/Request.h"
#include "bench/measure/SharedArguments.h"

namespace bench {

/// Describes the first difference from `right`, the contents by the argument's index; empty if there is none. Contents
/// of numbers may differ by the tolerance times the larger of 1 and the right number's magnitude; others must have the
/// same bytes.
std::string differences(const std::vector<std::string> &result, const std::vector<std::string> &right,
                        const SharedArguments &shared, double tolerance);

/// What must come out of `result` according to the files of the check: `result` with the expected contents in place of
/// those of their arguments. Throws if the kernel has no such argument or a file has another size.
std::vector<std::string> expectedContents(const Check &check, std::vector<std::string> result,
                                          const SharedArguments &shared);

} // namespace bench
