#include "bench/measure/Yaml.h"
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <yaml.h>

namespace bench {
namespace {

constexpr unsigned MaxDepth = 16; // deeper than any valid file; a document may refer to itself through an anchor

std::string textOf(const yaml_node_t &node) {
  return {reinterpret_cast<const char *>(node.data.scalar.value), node.data.scalar.length};
}

class Reader {
public:
  explicit Reader(const std::string &path) : path_(path), file_(std::fopen(path.c_str(), "rb"), std::fclose) {
    if (!file_)
      throw std::runtime_error(path + " cannot be read");
    if (!yaml_parser_initialize(&parser_))
      throw std::bad_alloc();
    yaml_parser_set_input_file(&parser_, file_.get());
  }
  ~Reader() { yaml_parser_delete(&parser_); }
  Reader(const Reader &) = delete;

  Yaml read() {
    yaml_document_t document;
    if (!yaml_parser_load(&parser_, &document))
      fail(parser_.problem_mark.line + 1, parser_.problem ? parser_.problem : "the text is not YAML");
    std::unique_ptr<yaml_document_t, decltype(&yaml_document_delete)> owner(&document, yaml_document_delete);
    const yaml_node_t *root = yaml_document_get_root_node(&document);
    if (!root)
      fail(1, "the file is empty");
    return convert(document, *root, 0);
  }

private:
  [[noreturn]] void fail(size_t line, const std::string &words) const {
    throw std::runtime_error(path_ + ":" + std::to_string(line) + ": " + words);
  }

  Yaml convert(yaml_document_t &document, const yaml_node_t &node, unsigned depth) {
    Yaml made;
    made.line = node.start_mark.line + 1;
    if (depth > MaxDepth)
      fail(made.line, "the document is nested too deeply");
    auto child = [&](int number) { return convert(document, *yaml_document_get_node(&document, number), depth + 1); };
    if (node.type == YAML_SCALAR_NODE) {
      made.scalar = textOf(node);
    } else if (node.type == YAML_SEQUENCE_NODE) {
      made.type = Yaml::Type::List;
      for (const yaml_node_item_t *item = node.data.sequence.items.start; item != node.data.sequence.items.top; ++item)
        made.children.push_back(child(*item));
    } else {
      made.type = Yaml::Type::Map;
      for (const yaml_node_pair_t *pair = node.data.mapping.pairs.start; pair != node.data.mapping.pairs.top; ++pair) {
        const Yaml key = child(pair->key);
        if (key.type != Yaml::Type::Scalar)
          fail(key.line, "a key is not a word");
        for (const Yaml &other : made.children)
          if (other.key == key.scalar)
            fail(key.line, "'" + other.key + "' is given twice");
        made.children.push_back(child(pair->value));
        made.children.back().key = key.scalar;
      }
    }
    return made;
  }

  const std::string path_;
  const std::unique_ptr<FILE, int (*)(FILE *)> file_;
  yaml_parser_t parser_{};
};

} // namespace

Yaml readYaml(const std::string &path) { return Reader(path).read(); }

} // namespace bench
