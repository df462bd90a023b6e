// A YAML file to options of the command line, so that both have the same rules.
#include "bench/measure/Request.h"
#include "bench/measure/Yaml.h"
#include <filesystem>

namespace bench {
namespace {

class RequestFile {
public:
  explicit RequestFile(const std::string &path) : path_(path), folder_(std::filesystem::path(path).parent_path()) {}

  std::vector<std::string> options() {
    const Yaml root = readYaml(path_);
    if (root.type != Yaml::Type::Map)
      fail(root, "the file must be a map, as source: k.cl");
    // Options before the first source are those of all sources.
    for (const Yaml &value : root.children)
      if (value.key == "options")
        add("--options", wordOf("options", value));
    for (const Yaml &value : root.children)
      if (value.key != "options")
        addMember(value.key, value);
    return std::move(options_);
  }

private:
  [[noreturn]] void fail(const Yaml &place, const std::string &words) const {
    throw std::runtime_error(path_ + ":" + std::to_string(place.line) + ": " + words);
  }
  void add(const std::string &name, const std::string &value) { options_.push_back(name + "=" + value); }

  void addMember(const std::string &key, const Yaml &value) {
    static constexpr std::pair<const char *, const char *> words[] = {{"base", "--base"},
                                                                      {"kernel", "--kernel"},
                                                                      {"local", "--local"},
                                                                      {"bytes", "--bytes"},
                                                                      {"reads", "--reads"},
                                                                      {"writes", "--writes"},
                                                                      {"operations", "--ops"},
                                                                      {"type", "--ops-type"},
                                                                      {"platform", "--platform"},
                                                                      {"device", "--device"},
                                                                      {"seconds", "--seconds"},
                                                                      {"precision", "--precision"},
                                                                      {"processors", "--processors"}};
    for (auto [name, option] : words)
      if (key == name)
        return add(option, wordOf(key, value));
    if (key == "cold" || key == "roofline" || key == "counters" || key == "energy")
      return addFlag(key, value);
    if (key == "source")
      return addSources(value);
    if (key == "size")
      return add("--size", joined(key, value));
    if (key == "arguments")
      return addArguments(value);
    if (key == "check")
      return addCheck(value);
    if (key == "pipelines")
      return addPipelines(value);
    if (key == "axes")
      return addAxes(value);
    fail(value, "there is no key '" + key + "'; see kiln-bench --help");
  }

  std::string wordOf(const std::string &key, const Yaml &value) const {
    if (value.type != Yaml::Type::Scalar)
      fail(value, "'" + key + "' must be one value");
    return value.scalar;
  }
  std::string pathOf(const std::string &key, const Yaml &value) const {
    return (folder_ / wordOf(key, value)).string();
  }
  std::string joined(const std::string &key, const Yaml &value) const {
    if (value.type == Yaml::Type::Scalar)
      return value.scalar;
    std::string all;
    if (value.type == Yaml::Type::Map)
      fail(value, "'" + key + "' must be a value or a list");
    for (const Yaml &item : value.children)
      all += (all.empty() ? "" : ",") + wordOf(key, item);
    return all;
  }

  void addFlag(const std::string &key, const Yaml &value) {
    const std::string word = wordOf(key, value);
    if (word != "yes" && word != "no" && word != "true" && word != "false")
      fail(value, "'" + key + "' must be yes or no");
    if (word == "yes" || word == "true")
      options_.push_back("--" + key);
  }

  void addSources(const Yaml &value) {
    const std::vector<Yaml> one = {value};
    for (const Yaml &source : value.type == Yaml::Type::List ? value.children : one) {
      if (source.type == Yaml::Type::Scalar) {
        add("--source", pathOf("source", source));
        continue;
      }
      const Yaml *file = nullptr, *options = nullptr;
      for (const Yaml &part : source.children)
        if (part.key == "file")
          file = &part;
        else if (part.key == "options")
          options = &part;
        else
          fail(part, "a source has a file and options, not '" + part.key + "'");
      if (!file)
        fail(source, "the source has no file");
      add("--source", pathOf("file", *file));
      if (options)
        add("--options", wordOf("options", *options));
    }
  }

  void addArguments(const Yaml &value) {
    auto text = [&](const Yaml &one) {
      const std::string words = joined("arguments", one); // a list is a vector
      return words.starts_with("file:") ? "file:" + (folder_ / words.substr(5)).string() : words;
    };
    for (const Yaml &item : value.children) // those of a list have no key
      add("--arg", (item.key.empty() ? "" : item.key + "=") + text(item));
    if (value.type == Yaml::Type::Scalar)
      fail(value, "'arguments' must be a map or a list");
  }

  void addPipelines(const Yaml &value) {
    if (value.type != Yaml::Type::Map)
      fail(value, "'pipelines' must be a map of names and files");
    for (const Yaml &one : value.children) {
      const std::string text = wordOf(one.key, one);
      add("--pipeline", one.key + "=" + (text.starts_with("builtin.module(") ? text : pathOf(one.key, one)));
    }
  }

  void addAxes(const Yaml &value) {
    if (value.type != Yaml::Type::Map)
      fail(value, "'axes' must be a map of macros and their values");
    for (const Yaml &one : value.children)
      add("--axis", one.key + "=" + joined(one.key, one));
  }

  void addCheck(const Yaml &value) {
    if (value.type != Yaml::Type::Map)
      fail(value, "'check' must be a map");
    for (const Yaml &part : value.children)
      if (part.key == "reference")
        add("--reference", pathOf(part.key, part));
      else if (part.key == "tolerance")
        add("--tolerance", wordOf(part.key, part));
      else if (part.key == "expect" && part.type == Yaml::Type::Map)
        for (const Yaml &file : part.children)
          add("--expect", file.key + "=" + pathOf(part.key, file));
      else
        fail(part, part.key == "expect" ? "'expect' must be a map of arguments and files"
                                        : "a check has reference, expect and tolerance, not '" + part.key + "'");
  }

  const std::string path_;
  const std::filesystem::path folder_;
  std::vector<std::string> options_;
};

} // namespace

std::vector<std::string> optionsOfFile(const std::string &path) { return RequestFile(path).options(); }

} // namespace bench
