#include "bench/measure/Variants.h"
#include <algorithm>
#include <set>

namespace bench {
namespace {

bool isFile(const std::string &word) {
  return !word.starts_with("-") && (word.ends_with(".yaml") || word.ends_with(".yml"));
}
bool isSource(const std::string &word) { return word.ends_with(".cl"); }

/// An option without a value.
bool Request::*flagOf(const std::string &name) {
  if (name == "--cold")
    return &Request::cold;
  if (name == "--roofline")
    return &Request::roofline;
  if (name == "--energy")
    return &Request::energy;
  return name == "--counters" ? &Request::counters : nullptr;
}

class Parser {
public:
  Request parse(const std::vector<std::string> &words) {
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string &word = words[i];
      if (!word.starts_with("-")) {
        if (isSource(word))
          request_.sources.push_back({word, options_});
        else
          request_.bundles.push_back(word);
        continue;
      }
      if (word.starts_with("--benchmark_")) {
        request_.others.push_back(word);
        continue;
      }
      const size_t mark = word.find('=');
      const std::string name = word.substr(0, mark);
      if (bool Request::*flag = flagOf(name)) {
        if (mark != std::string::npos)
          throw std::runtime_error(name + " takes no value");
        request_.*flag = true;
        continue;
      }
      if (mark == std::string::npos && i + 1 == words.size())
        throw std::runtime_error(name + " takes a value");
      set(name, mark == std::string::npos ? words[++i] : word.substr(mark + 1));
    }
    verify();
    request_.sources = variantsOf(request_.sources, pipelines_, axes_);
    putBaseFirst();
    return std::move(request_);
  }

private:
  void set(const std::string &name, const std::string &value) {
    if (name == "--source")
      request_.sources.push_back({value, options_});
    else if (name == "--options") // before every source: for all; else for the last one
      (request_.sources.empty() ? options_ : request_.sources.back().options) = value;
    else if (name == "--base")
      base_ = value;
    else if (name == "--kernel")
      request_.kernel = value;
    else if (name == "--size") {
      request_.sizes.clear();
      for (const std::string &size : split(value, ','))
        request_.sizes.push_back(parseSize(name, size));
    } else if (name == "--local")
      request_.local = parseSize(name, value);
    else if (name == "--arg")
      request_.arguments.push_back(value);
    else if (name == "--bytes")
      request_.bytes = parseAmount(name, value);
    else if (name == "--reads")
      request_.reads = parseAmount(name, value);
    else if (name == "--writes")
      request_.writes = parseAmount(name, value);
    else if (name == "--pipeline")
      pipelines_.push_back(parsePipeline(value));
    else if (name == "--axis")
      axes_.push_back(parseAxis(value));
    else if (name == "--ops")
      request_.operations = parseAmount(name, value);
    else if (name == "--ops-type") {
      if (value != "float" && value != "double" && value != "int")
        refuse(name, value, "float, double or int");
      request_.operationType = value;
    } else if (name == "--reference")
      request_.check.reference = value;
    else if (name == "--expect") {
      const size_t mark = value.find('=');
      if (mark == std::string::npos)
        refuse(name, value, "ARGUMENT=FILE");
      request_.check.expected[value.substr(0, mark)] = value.substr(mark + 1);
    } else if (name == "--tolerance") {
      request_.check.tolerance = parseNumber<double>(name, value, "a number, 0 or more");
      if (!(request_.check.tolerance >= 0))
        refuse(name, value, "a number, 0 or more");
    } else if (name == "--seconds")
      request_.seconds = parseNumber<double>(name, value, "a number of seconds");
    else if (name == "--precision")
      request_.precision = parseNumber<double>(name, value, "a number of percent") / 100;
    else if (name == "--processors")
      request_.processors = parseProcessors(value);
    else if (name == "--device")
      request_.device = value;
    else if (name == "--samples")
      request_.samples = value;
    else if (name == "--platform")
      request_.platform = value;
    else
      throw std::runtime_error("there is no option " + name + " for kernels of one's own; see kiln-bench --help");
  }

  void verify() const {
    if (!request_.bundles.empty() && !request_.sources.empty())
      throw std::runtime_error("a bundle and --source cannot be measured together");
    const size_t dimensions = request_.sizes.empty() ? 1 : request_.sizes.front().size();
    for (const std::vector<size_t> &size : request_.sizes)
      if (size.size() != dimensions)
        throw std::runtime_error("the sizes of --size have different numbers of dimensions");
    if (!request_.local.empty() && request_.local.size() != dimensions)
      throw std::runtime_error("--local has " + std::to_string(request_.local.size()) +
                               " dimensions, must have as many as --size");
    if ((!pipelines_.empty() || !axes_.empty()) && request_.sources.empty())
      throw std::runtime_error("--pipeline and --axis need a source");
    if (axes_.size() > 2)
      throw std::runtime_error("there are " + std::to_string(axes_.size()) + " --axis, must be two at most");
    verifyNames();
    for (const Axis &axis : axes_)
      if (axis.isLocalSize())
        verifyLocal(axis, dimensions);
    if (request_.bytes.number && (request_.reads.number || request_.writes.number))
      throw std::runtime_error("--bytes is the sum of --reads and --writes, and cannot be given together with them");
    if ((request_.reads.number || request_.writes.number) && request_.sources.empty())
      throw std::runtime_error("--reads and --writes need a source; --bytes is for bundles too");
    if (request_.roofline && !request_.operations.number)
      throw std::runtime_error("--roofline needs --ops, the operations of a launch");
    if (request_.energy && !request_.bundles.empty())
      throw std::runtime_error("--energy needs --source: memory is restored before each launch of a bundle, and energy "
                               "of this would count");
    if (request_.check.tolerance > 0 && !request_.check.wanted())
      throw std::runtime_error("--tolerance needs --reference or --expect");
  }

  void verifyNames() const {
    std::set<std::string> names;
    auto isNew = [&](const std::string &option, const std::string &name) {
      if (!names.insert(name).second)
        throw std::runtime_error(option + " has the name '" + name + "' twice");
    };
    for (const Pipeline &pipeline : pipelines_)
      isNew("--pipeline", pipeline.name);
    names.clear();
    for (const Axis &axis : axes_) {
      isNew("--axis", axis.name);
      std::set<std::string> values;
      for (const std::string &value : axis.values)
        if (!values.insert(value).second)
          throw std::runtime_error("--axis " + axis.name + " has the value '" + value + "' twice");
    }
  }

  void verifyLocal(const Axis &axis, size_t dimensions) const {
    if (!request_.local.empty())
      throw std::runtime_error("--local and --axis local cannot be given together");
    for (const std::string &value : axis.values)
      if (parseSize("--axis local", value).size() != dimensions)
        throw std::runtime_error("--axis local has the value " + value + ", must have as many dimensions as --size");
  }

  /// Variants are compared with the first one.
  void putBaseFirst() {
    std::vector<Source> &sources = request_.sources;
    const auto base = std::ranges::find_if(sources, [&](const Source &one) {
      return (one.path + " " + one.options + " " + one.label).find(base_) != std::string::npos;
    });
    if (base == sources.end() && !base_.empty())
      throw std::runtime_error("--base is '" + base_ + "', must be a part of a variant's name, options or label");
    if (!base_.empty())
      std::rotate(sources.begin(), base, base + 1);
  }

  Request request_;
  std::string options_, base_;
  std::vector<Pipeline> pipelines_;
  std::vector<Axis> axes_;
};

} // namespace

bool isRequest(int count, char **arguments) {
  for (int i = 1; i < count; ++i)
    if (std::string word = arguments[i]; word == "--source" || word.starts_with("--source=") || !word.starts_with("-"))
      return true;
  return false;
}

Request parseRequest(int count, char **arguments) {
  std::vector<std::string> words;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    if (!isFile(word)) {
      words.push_back(word);
      continue;
    }
    // Options of the command line come later than those of the file and replace them.
    std::vector<std::string> options = optionsOfFile(word);
    words.insert(words.begin(), options.begin(), options.end());
  }
  return Parser().parse(words);
}

} // namespace bench
