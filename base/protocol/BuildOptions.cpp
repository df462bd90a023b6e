#include "base/protocol/BuildOptions.h"
#include <algorithm>
#include <filesystem>

namespace kiln {
namespace {

using protocol::CodeFlags;

constexpr uint8_t AtCompile = 1, AtLink = 2, FrontEnd = 4;

/// Options without a value. FrontEnd options go to kiln-clc, those with a member of CodeFlags to kilnc.
struct Row {
  constexpr Row(std::string_view name, uint8_t where, bool BuildOptions::*member = nullptr)
      : name(name), where(where), member(member) {}
  constexpr Row(std::string_view name, uint8_t where, bool CodeFlags::*flag, std::string_view canonical = {})
      : name(name), where(where), flag(flag), canonical(canonical) {}
  std::string_view name;
  uint8_t where;
  bool BuildOptions::*member = nullptr;
  bool CodeFlags::*flag = nullptr;
  std::string_view canonical = {}; // the canonical spelling, if different
};
constexpr Row Rows[] = {
    {"-cl-single-precision-constant", AtCompile | FrontEnd},
    {"-cl-denorms-are-zero", AtCompile | AtLink, &CodeFlags::denormalsAreZero},
    {"-cl-fp32-correctly-rounded-divide-sqrt", AtCompile | FrontEnd, &CodeFlags::correctlyRounded},
    {"-cl-opt-disable", AtCompile | FrontEnd, &CodeFlags::unoptimised},
    {"-cl-mad-enable", AtCompile | FrontEnd, &CodeFlags::madEnable},
    {"-cl-no-signed-zeros", AtCompile | AtLink | FrontEnd, &CodeFlags::noSignedZeros},
    {"-cl-no-signed-zeroes", AtCompile | AtLink | FrontEnd, &CodeFlags::noSignedZeros, "-cl-no-signed-zeros"},
    {"-cl-unsafe-math-optimizations", AtCompile | AtLink | FrontEnd, &CodeFlags::unsafeMath},
    {"-cl-finite-math-only", AtCompile | AtLink | FrontEnd, &CodeFlags::finiteMath},
    {"-cl-fast-relaxed-math", AtCompile | AtLink | FrontEnd, &CodeFlags::relaxedMath},
    {"-cl-uniform-work-group-size", AtCompile | FrontEnd, &CodeFlags::uniformWorkGroupSize},
    {"-cl-no-subgroup-ifp", AtCompile | AtLink}, // a permission that Kiln does not use
    {"-cl-strict-aliasing", AtCompile},          // of OpenCL 1.0; has no effect
    // Of Intel's GPUs, which programs take Kiln's CPU for (KILN_DEVICE_TYPE). Buffers may always be that large.
    {"-cl-intel-greater-than-4GB-buffer-required", AtCompile | AtLink},
    {"-w", AtCompile | FrontEnd},
    {"-Werror", AtCompile | FrontEnd},
    {"-cl-kernel-arg-info", AtCompile, &BuildOptions::kernelArgInfo},
    {"-g", AtCompile | FrontEnd, &CodeFlags::debug},
    {"-create-library", AtLink, &BuildOptions::createLibrary},
    {"-enable-link-options", AtLink, &BuildOptions::enableLinkOptions},
};

constexpr std::string_view Schedules = "-kiln-schedules=";

struct Standard {
  std::string_view name;
  unsigned version;
  bool cPlusPlus = false;
};
constexpr Standard Standards[] = {
    {"CL1.0", 100}, {"CL1.1", 110},       {"CL1.2", 120},          {"CL2.0", 200},
    {"CL3.0", 300}, {"CLC++", 200, true}, {"CLC++1.0", 200, true}, {"CLC++2021", 300, true},
};

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

/// Splits the string into words and resolves quotes and escapes. Returns false for an open quote.
bool split(std::string_view text, std::vector<std::string> &words) {
  size_t i = 0;
  while (true) {
    while (i < text.size() && isBlank(text[i]))
      ++i;
    if (i == text.size())
      return true;
    std::string word;
    char quote = text[i] == '\'' ? '\'' : 0;
    if (quote)
      ++i;
    for (; i < text.size() && (quote || !isBlank(text[i])); ++i) {
      char c = text[i];
      if (c == '\\' && quote != '\'' && i + 1 < text.size() &&
          (text[i + 1] == '"' || text[i + 1] == '\\' || text[i + 1] == '\'' || text[i + 1] == ' '))
        word += text[++i];
      else if (quote ? c == quote : c == '"')
        quote = quote ? 0 : '"';
      else
        word += c;
    }
    if (quote)
      return false;
    words.push_back(std::move(word));
  }
}

bool isIdentifierStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// `name`, `name=...` or `name(parameters)=...`.
bool isMacro(std::string_view text) {
  if (text.empty() || !isIdentifierStart(text[0]))
    return false;
  size_t end = 1;
  while (end < text.size() && (isIdentifierStart(text[end]) || (text[end] >= '0' && text[end] <= '9')))
    ++end;
  return end == text.size() || text[end] == '=' || text[end] == '(';
}

cl_int errorOf(BuildStep step) {
  return step == BuildStep::Build     ? CL_INVALID_BUILD_OPTIONS
         : step == BuildStep::Compile ? CL_INVALID_COMPILER_OPTIONS
                                      : CL_INVALID_LINKER_OPTIONS;
}

class Parser {
public:
  Parser(const std::vector<std::string> &words, BuildStep step) : words_(words), step_(step) {}

  /// Parses options that precede the program's own.
  Status preset(const std::vector<std::string> &words, bool keepsStandard) {
    Parser before(words, step_);
    for (; before.next_ < words.size(); ++before.next_)
      KILN_TRY(before.one(words[before.next_]));
    options_ = std::move(before.options_), standard_ = before.standard_;
    keepsStandard_ = keepsStandard;
    return {};
  }

  Result<BuildOptions> parse() {
    for (next_ = 0; next_ < words_.size(); ++next_)
      KILN_TRY(one(words_[next_]));
    if (options_.enableLinkOptions && !options_.createLibrary)
      return fail(errorOf(step_), "-enable-link-options needs -create-library");
    if (step_ != BuildStep::Link) {
      options_.frontEnd.push_back("-cl-std=" + standard_);
      std::error_code failed;
      options_.workingFolder = std::filesystem::current_path(failed).string();
    }
    return std::move(options_);
  }

private:
  Status one(const std::string &word) {
    for (const Row &row : Rows)
      if (word == row.name)
        return plain(row);
    if (word.starts_with(Schedules))
      return schedules(word.substr(Schedules.size()));
    if (step_ != BuildStep::Link) {
      if (word.starts_with("-D"))
        return macro(word);
      if (word.starts_with("-I"))
        return folder(word);
      if (word.starts_with("-cl-std="))
        return language(word.substr(8));
    }
    return fail(errorOf(step_), "unknown option '", word, "'");
  }

  Status plain(const Row &row) {
    if (!(row.where & (step_ == BuildStep::Link ? AtLink : AtCompile)))
      return fail(errorOf(step_), "option '", row.name, "' is not allowed in this step");
    if (row.member)
      options_.*row.member = true;
    if (row.flag)
      options_.flags.*row.flag = true;
    if (step_ != BuildStep::Link && row.where & FrontEnd)
      options_.frontEnd.emplace_back(row.canonical.empty() ? row.name : row.canonical);
    return {};
  }

  /// The value of an option, in the same word or the next; null without one.
  const char *value(const std::string &word) {
    if (word.size() > 2)
      return word.c_str() + 2;
    return next_ + 1 < words_.size() ? words_[++next_].c_str() : nullptr;
  }

  Status macro(const std::string &word) {
    const char *text = value(word);
    if (!text)
      return fail(errorOf(step_), "-D needs a macro");
    std::string definition(text);
    if (!isMacro(definition))
      return fail(errorOf(step_), "-D has '", definition, "', must be the name of a macro");
    definition = definition.substr(0, definition.find_first_of("\r\n")); // up to the first newline, as specified
    options_.frontEnd.insert(options_.frontEnd.end(), {"-D", definition});
    return {};
  }

  Status folder(const std::string &word) {
    const char *text = value(word);
    if (!text || !*text)
      return fail(errorOf(step_), "-I needs a folder");
    std::error_code failed;
    std::filesystem::path path = std::filesystem::absolute(text, failed);
    options_.frontEnd.insert(options_.frontEnd.end(), {"-I", failed ? std::string(text) : path.string()});
    return {};
  }

  Status schedules(const std::string &folder) {
    if (step_ == BuildStep::Compile)
      return fail(errorOf(step_), "option '", Schedules, "' is for the step that makes code");
    if (folder.empty())
      return fail(errorOf(step_), Schedules, " needs a folder");
    std::error_code failed;
    const std::filesystem::path path = std::filesystem::absolute(folder, failed);
    options_.schedules = failed ? folder : path.string();
    return {};
  }

  Status language(const std::string &name) {
    auto same = [](char a, char b) { return (a >= 'a' && a <= 'z' ? a - 'a' + 'A' : a) == b; };
    for (const Standard &standard : Standards)
      if (std::equal(name.begin(), name.end(), standard.name.begin(), standard.name.end(), same)) {
        if (keepsStandard_)
          return {};
        standard_ = standard.name;
        options_.languageVersion = standard.version;
        options_.cPlusPlus = standard.cPlusPlus;
        return {};
      }
    return fail(errorOf(step_), "-cl-std=", name, " is not a version of OpenCL C");
  }

  const std::vector<std::string> &words_;
  const BuildStep step_;
  size_t next_ = 0;
  BuildOptions options_;
  std::string standard_ = "CL1.2";
  bool keepsStandard_ = false; // -cl-std has no effect
};

} // namespace

Result<BuildOptions> parseBuildOptions(const std::vector<std::string> &words, BuildStep step) {
  return Parser(words, step).parse();
}

Result<BuildOptions> parseBuildOptions(std::string_view text, BuildStep step, const BuildPreset &preset) {
  std::vector<std::string> words, before;
  for (auto [from, to] : {std::pair(preset.options, &before), std::pair(text, &words)})
    if (!split(from, *to))
      return fail(errorOf(step), "unterminated quote in the options: ", from);
  Parser parser(words, step);
  if (step != BuildStep::Link)
    KILN_TRY(parser.preset(before, preset.keepsStandard));
  return parser.parse();
}

std::string optionsOf(const CodeFlags &flags) {
  std::string options;
  for (const Row &row : Rows)
    if (row.flag && row.canonical.empty() && flags.*row.flag)
      options.append(options.empty() ? "" : " ").append(row.name);
  return options;
}

} // namespace kiln
