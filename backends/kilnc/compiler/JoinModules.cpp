#include "backends/kilnc/compiler/JoinModules.h"
#include <cstring>
#include <set>
#include <span>
#include <spirv-tools/linker.hpp>

namespace kiln {
namespace {

/// What a module defines for others, by name. Functions that are the same wherever they are defined do not count.
std::vector<std::string> exportsOf(const std::vector<uint32_t> &words) {
  constexpr uint32_t HeaderWords = 5, OpDecorate = 71, LinkageAttributes = 41, Export = 0;
  std::vector<std::string> names;
  size_t count = 0;
  for (size_t at = HeaderWords; at < words.size(); at += count) {
    count = std::max<size_t>(1, words[at] >> 16);
    if ((words[at] & 0xffff) != OpDecorate || count < 5 || count > words.size() - at ||
        words[at + 2] != LinkageAttributes || words[at + count - 1] != Export)
      continue;
    auto *name = reinterpret_cast<const char *>(&words[at + 3]);
    names.emplace_back(name, strnlen(name, (count - 4) * 4));
  }
  return names;
}

/// Initialisers and finalisers of two modules may have one name, which nobody uses, and two entry points may not: each
/// gets the number of its module behind its name.
std::vector<uint32_t> withOwnNames(const std::vector<uint32_t> &words, size_t number) {
  constexpr uint32_t HeaderWords = 5, OpEntryPoint = 15, OpExecutionMode = 16, Initializer = 33, Finalizer = 34;
  auto each = [&](auto visit) {
    for (size_t at = HeaderWords, count = 0; at < words.size(); at += count) {
      count = std::min(std::max<size_t>(1, words[at] >> 16), words.size() - at);
      visit(words[at] & 0xffff, std::span(words).subspan(at, count));
    }
  };
  std::set<uint32_t> functions;
  each([&](uint32_t opcode, std::span<const uint32_t> ins) {
    if (opcode == OpExecutionMode && ins.size() > 2 && (ins[2] == Initializer || ins[2] == Finalizer))
      functions.insert(ins[1]);
  });
  if (functions.empty())
    return words;
  std::vector<uint32_t> renamed(words.begin(), words.begin() + HeaderWords);
  each([&](uint32_t opcode, std::span<const uint32_t> ins) {
    if (opcode != OpEntryPoint || ins.size() < 4 || !functions.contains(ins[2])) {
      renamed.insert(renamed.end(), ins.begin(), ins.end());
      return;
    }
    auto *letters = reinterpret_cast<const char *>(&ins[3]);
    std::string name(letters, strnlen(letters, (ins.size() - 3) * 4));
    std::span<const uint32_t> interface = ins.subspan(std::min(3 + name.size() / 4 + 1, ins.size()));
    name += "." + std::to_string(number);
    std::vector<uint32_t> text(name.size() / 4 + 1);
    std::memcpy(text.data(), name.data(), name.size());
    renamed.insert(renamed.end(), {uint32_t(3 + text.size() + interface.size()) << 16 | OpEntryPoint, ins[1], ins[2]});
    renamed.insert(renamed.end(), text.begin(), text.end());
    renamed.insert(renamed.end(), interface.begin(), interface.end());
  });
  return renamed;
}

} // namespace

wire::Bytes joinModules(const std::vector<wire::Bytes> &modules, bool library, std::string &log) {
  std::vector<std::vector<uint32_t>> words;
  for (const wire::Bytes &module : modules) {
    words.emplace_back(module.size() / 4);
    std::memcpy(words.back().data(), module.data(), words.back().size() * 4);
    words.back() = withOwnNames(words.back(), words.size());
  }
  // SPIRV-Tools takes the first of two definitions of one name, and leaves the other to whom it belongs.
  std::set<std::string> defined;
  for (const std::vector<uint32_t> &module : words)
    for (const std::string &name : exportsOf(module))
      if (!defined.insert(name).second)
        return log += "error: link: '" + name + "' is defined in two modules\n", wire::Bytes();
  spvtools::Context context(SPV_ENV_UNIVERSAL_1_6);
  context.SetMessageConsumer([&](spv_message_level_t, const char *, const spv_position_t &, const char *message) {
    log += std::string("error: ") + message + "\n";
  });
  spvtools::LinkerOptions options;
  options.SetCreateLibrary(library);
  options.SetAllowPartialLinkage(library);
  std::vector<uint32_t> linked;
  if (spvtools::Link(context, words, &linked, options) != SPV_SUCCESS) {
    if (log.empty())
      log = "error: the modules could not be linked\n";
    return {};
  }
  wire::Bytes bytes(linked.size() * 4);
  std::memcpy(bytes.data(), linked.data(), bytes.size());
  return bytes;
}

} // namespace kiln
