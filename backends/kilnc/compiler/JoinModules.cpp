#include "backends/kilnc/compiler/JoinModules.h"
#include "dialects/spirv/Aliasing.h"
#include "dialects/spirv/Interfaces.h"
#include <cstring>
#include <set>
#include <spirv-tools/linker.hpp>

namespace kiln {
namespace {

using spirv::Instruction;
using spirv::Words;

/// What a module defines for others, by name. Functions that are the same wherever they are defined do not count.
std::vector<std::string> exportsOf(const Words &words) {
  constexpr uint32_t OpDecorate = 71, LinkageAttributes = 41, Export = 0;
  std::vector<std::string> names;
  spirv::each(words, [&](Instruction ins) {
    if (spirv::opcode(ins) == OpDecorate && ins.size() >= 5 && ins[2] == LinkageAttributes && ins.back() == Export)
      names.emplace_back(spirv::text(ins.first(ins.size() - 1), 3));
  });
  return names;
}

/// Initialisers and finalisers of two modules may have one name, which nobody uses, and two entry points may not: each
/// gets the number of its module behind its name.
Words withOwnNames(const Words &words, size_t number) {
  constexpr uint32_t OpEntryPoint = 15, OpExecutionMode = 16, Initializer = 33, Finalizer = 34;
  std::set<uint32_t> functions;
  spirv::each(words, [&](Instruction ins) {
    if (spirv::opcode(ins) == OpExecutionMode && ins.size() > 2 && (ins[2] == Initializer || ins[2] == Finalizer))
      functions.insert(ins[1]);
  });
  if (functions.empty())
    return words;
  Words renamed(words.begin(), words.begin() + spirv::HeaderWords);
  spirv::each(words, [&](Instruction ins) {
    if (spirv::opcode(ins) != OpEntryPoint || ins.size() < 4 || !functions.contains(ins[2]))
      return spirv::append(renamed, ins);
    std::string name(spirv::text(ins, 3));
    Instruction interface = ins.subspan(std::min(3 + name.size() / 4 + 1, ins.size()));
    name += "." + std::to_string(number);
    renamed.insert(renamed.end(),
                   {spirv::head(OpEntryPoint, 3 + name.size() / 4 + 1 + interface.size()), ins[1], ins[2]});
    spirv::append(renamed, name);
    spirv::append(renamed, interface);
  });
  return renamed;
}

/// Gives all modules the highest version among them: SPIRV-Tools joins no others, and what was right stays so.
void raiseVersions(std::vector<Words> &modules) {
  uint32_t highest = 0;
  for (const Words &words : modules)
    highest = std::max(highest, words[spirv::Version]);
  for (Words &words : modules) {
    if (words[spirv::Version] < spirv::Version14 && highest >= spirv::Version14)
      words = spirv::withFullInterfaces(words);
    words[spirv::Version] = highest;
  }
}

/// A declaration of a function may have other pointer types than its definition: translators from opaque pointers
/// choose types by the uses in one module. SPIRV-Tools has the option since 2024, the translators need it since
/// LLVM 17.
template <typename Options> void allowOtherPointers(Options &options) {
  if constexpr (requires { options.SetAllowPtrTypeMismatch(true); })
    options.SetAllowPtrTypeMismatch(true);
}

} // namespace

wire::Bytes joinModules(const std::vector<wire::Bytes> &modules, bool library, std::string &log) {
  std::vector<Words> words;
  for (const wire::Bytes &module : modules) {
    words.emplace_back(module.size() / 4);
    std::memcpy(words.back().data(), module.data(), words.back().size() * 4);
    words.back() = spirv::withoutAliasing(withOwnNames(words.back(), words.size()));
  }
  // SPIRV-Tools takes the first of two definitions of one name, and leaves the other to whom it belongs.
  std::set<std::string> defined;
  for (const Words &module : words)
    for (const std::string &name : exportsOf(module))
      if (!defined.insert(name).second)
        return log += "error: link: '" + name + "' is defined in two modules\n", wire::Bytes();
  raiseVersions(words);
  spvtools::Context context(SPV_ENV_UNIVERSAL_1_6);
  context.SetMessageConsumer([&](spv_message_level_t, const char *, const spv_position_t &, const char *message) {
    log += std::string("error: ") + message + "\n";
  });
  spvtools::LinkerOptions options;
  options.SetCreateLibrary(library);
  options.SetAllowPartialLinkage(library);
  allowOtherPointers(options);
  Words linked;
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
