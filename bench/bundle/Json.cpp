#include "bench/bundle/Json.h"
#include <charconv>
#include <stdexcept>

namespace bench {

class JsonReader {
public:
  JsonReader(std::string_view text, const std::string &file) : text_(text), file_(file) {}

  Json document() {
    Json value = read("the document", 0);
    skipSpace();
    if (at_ != text_.size())
      fail("text after the value");
    return value;
  }

private:
  static constexpr int MaxDepth = 64;

  [[noreturn]] void fail(const std::string &what) const {
    throw std::runtime_error(file_ + ", byte " + std::to_string(at_) + ": " + what);
  }
  void skipSpace() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word))
      return false;
    at_ += word.size();
    return true;
  }
  void need(char c) {
    skipSpace();
    if (!take(std::string_view(&c, 1)))
      fail(std::string("expected '") + c + "'");
  }
  bool takeComma() {
    skipSpace();
    return take(",");
  }

  Json read(const std::string &name, int depth) {
    if (depth > MaxDepth)
      fail("more than 64 levels");
    skipSpace();
    Json value;
    value.name_ = name;
    if (take("{")) {
      readMembers(value, depth);
    } else if (take("[")) {
      readList(value, depth);
    } else if (at_ < text_.size() && text_[at_] == '"') {
      value.type_ = Json::Type::String;
      value.string_ = readString();
    } else if (take("true") || take("false")) {
      value.type_ = Json::Type::Boolean;
      value.number_ = text_[at_ - 2] == 'u';
    } else if (!take("null")) {
      value.type_ = Json::Type::Number;
      auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value.number_);
      if (error != std::errc())
        fail("expected a value; numbers must be integers from 0 to 2^64-1");
      at_ = size_t(end - text_.data());
    }
    return value;
  }
  void readMembers(Json &value, int depth) {
    value.type_ = Json::Type::Object;
    skipSpace();
    if (take("}"))
      return;
    do {
      skipSpace();
      const std::string name = readString();
      need(':');
      value.members_[name] = read(name, depth + 1);
    } while (takeComma());
    need('}');
  }
  void readList(Json &value, int depth) {
    value.type_ = Json::Type::List;
    skipSpace();
    if (take("]"))
      return;
    do
      value.list_.push_back(read(value.name_, depth + 1));
    while (takeComma());
    need(']');
  }
  /// libkiln writes bytes above ASCII as \u00XX, one for each byte.
  std::string readString() {
    need('"');
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        out += text_[at_++];
        continue;
      }
      const char escape = ++at_ < text_.size() ? text_[at_++] : '"';
      static constexpr std::string_view Names = "nrtbf", Values = "\n\r\t\b\f";
      if (const size_t index = Names.find(escape); index != std::string_view::npos) {
        out += Values[index];
      } else if (escape == 'u') {
        unsigned code = 256;
        const std::string_view digits = text_.substr(at_, 4);
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
        if (digits.size() < 4 || code > 255)
          fail("escapes must be \\u0000 to \\u00ff");
        out += char(code);
        at_ += 4;
      } else if (escape == '"' || escape == '\\' || escape == '/') {
        out += escape;
      } else {
        fail("unknown escape");
      }
    }
    need('"');
    return out;
  }

  const std::string_view text_;
  const std::string &file_;
  size_t at_ = 0;
};

Json Json::parse(std::string_view text, const std::string &file) { return JsonReader(text, file).document(); }

void Json::expect(Type type, const char *words) const {
  if (type_ != type)
    throw std::runtime_error("JSON: " + name_ + " must be " + words);
}
uint64_t Json::number() const { return expect(Type::Number, "a number"), number_; }
bool Json::boolean() const { return expect(Type::Boolean, "true or false"), number_; }
const std::string &Json::string() const { return expect(Type::String, "a string"), string_; }
const std::vector<Json> &Json::list() const { return expect(Type::List, "a list"), list_; }

const Json &Json::operator[](const std::string &name) const {
  expect(Type::Object, "an object");
  auto found = members_.find(name);
  if (found == members_.end())
    throw std::runtime_error("JSON: " + name_ + " has no member " + name);
  return found->second;
}

} // namespace bench
