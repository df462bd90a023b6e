#include "bench/measure/Variants.h"
#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

namespace bench {
namespace {

const std::string PipelineText = "builtin.module(";

bool isWord(const std::string &text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text.front())) &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

/// A source with one more part of its label.
Source labelled(Source source, const std::string &part) {
  source.label += (source.label.empty() ? "" : ",") + part;
  return source;
}

std::vector<Source> withPipelines(const std::vector<Source> &sources, const std::vector<Pipeline> &pipelines) {
  std::vector<Source> all;
  for (const Source &source : sources) {
    if (pipelines.size() < 2)
      all.push_back(source);
    for (const Pipeline &pipeline : pipelines) {
      all.push_back(labelled(source, pipeline.name));
      all.back().pipeline = pipeline.text;
    }
  }
  return all;
}

std::vector<Source> withAxis(const std::vector<Source> &sources, const Axis &axis) {
  std::vector<Source> all;
  for (const Source &source : sources)
    for (const std::string &value : axis.values) {
      all.push_back(labelled(source, axis.name + "=" + value));
      if (axis.isLocalSize())
        all.back().local = parseSize("--axis", value);
      else
        all.back().options += " -D" + axis.name + "=" + value;
    }
  return all;
}

} // namespace

Pipeline parsePipeline(const std::string &text) {
  const size_t mark = text.find('=');
  Pipeline pipeline{text.substr(0, mark), mark == std::string::npos ? "" : text.substr(mark + 1)};
  if (!isWord(pipeline.name) || pipeline.text.empty())
    refuse("--pipeline", text, "NAME=FILE or NAME=builtin.module(...)");
  if (pipeline.text.starts_with(PipelineText))
    return pipeline;
  std::ifstream file(pipeline.text, std::ios::binary);
  if (!file)
    throw std::runtime_error("--pipeline is '" + text + "': " + pipeline.text + " cannot be read");
  pipeline.text.assign(std::istreambuf_iterator<char>(file), {});
  return pipeline;
}

Axis parseAxis(const std::string &text) {
  const size_t mark = text.find('=');
  Axis axis{text.substr(0, mark),
            mark == std::string::npos ? std::vector<std::string>() : split(text.substr(mark + 1), ',')};
  if (!isWord(axis.name) || axis.values.empty() || std::ranges::count(axis.values, ""))
    refuse("--axis", text, "MACRO=VALUE,VALUE... or local=SIZE,SIZE...");
  return axis;
}

std::vector<Source> variantsOf(const std::vector<Source> &sources, const std::vector<Pipeline> &pipelines,
                               const std::vector<Axis> &axes) {
  std::vector<Source> all = pipelines.empty() ? sources : withPipelines(sources, pipelines);
  for (const Axis &axis : axes)
    all = withAxis(all, axis);
  return all;
}

} // namespace bench
