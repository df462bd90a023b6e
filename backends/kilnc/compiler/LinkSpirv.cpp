#include "backends/kilnc/compiler/LinkSpirv.h"
#include "backends/kilnc/compiler/LinkOnce.h"
#include "backends/kilnc/compiler/LinkedLines.h"
#include "backends/kilnc/compiler/LinkedPointers.h"
#include "dialects/spirv/Aliasing.h"
#include "dialects/spirv/Interfaces.h"
#include <cstring>
#include <set>
#include <spirv-tools/linker.hpp>

namespace kiln {
namespace {

using spirv::Instruction;
using spirv::Words;

/// Returns the names of a module's exports, without those of linkage LinkOnceODR.
std::vector<std::string> exportsOf(const Words &words) {
  std::vector<std::string> names;
  spirv::each(words, [&](Instruction ins) {
    if (auto name = spirv::linkageName(ins); name && spv::LinkageType(ins.back()) == spv::LinkageType::Export)
      names.emplace_back(*name);
  });
  return names;
}

/// Makes the names of initialisers and finalisers unique by appending the module's index. Their names are not used, but
/// entry points of one module must not have the same name.
Words withUniqueNames(const Words &words, size_t number) {
  std::set<uint32_t> functions;
  spirv::each(words, [&](Instruction ins) {
    if (spirv::opcode(ins) != spv::Op::ExecutionMode || ins.size() < 3)
      return;
    const auto mode = spv::ExecutionMode(ins[2]);
    if (mode == spv::ExecutionMode::Initializer || mode == spv::ExecutionMode::Finalizer)
      functions.insert(ins[1]);
  });
  if (functions.empty())
    return words;
  Words renamed(words.begin(), words.begin() + spirv::HeaderWords);
  spirv::each(words, [&](Instruction ins) {
    if (spirv::opcode(ins) != spv::Op::EntryPoint || ins.size() < 4 || !functions.contains(ins[2]))
      return spirv::append(renamed, ins);
    std::string name(spirv::text(ins, 3));
    Instruction interface = ins.subspan(std::min(3 + name.size() / 4 + 1, ins.size()));
    name += "." + std::to_string(number);
    renamed.insert(renamed.end(),
                   {spirv::head(spv::Op::EntryPoint, 3 + name.size() / 4 + 1 + interface.size()), ins[1], ins[2]});
    spirv::append(renamed, name);
    spirv::append(renamed, interface);
  });
  return renamed;
}

/// Sets the version of all modules to the highest among them, because SPIRV-Tools links only modules of one version.
/// Valid modules remain valid.
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

} // namespace

wire::Bytes linkSpirv(const std::vector<wire::Bytes> &modules, bool library, std::string &log) {
  std::vector<Words> words;
  for (const wire::Bytes &module : modules) {
    words.emplace_back(module.size() / 4);
    std::memcpy(words.back().data(), module.data(), words.back().size() * 4);
    words.back() = spirv::withoutAliasing(withUniqueNames(words.back(), words.size()));
  }
  // Checks duplicate definitions, because SPIRV-Tools uses the first definition of a name without an error.
  std::set<std::string> defined;
  for (const Words &module : words)
    for (const std::string &name : exportsOf(module))
      if (!defined.insert(name).second)
        return log += "error: link: '" + name + "' is defined in more than one module\n", wire::Bytes();
  const std::set<std::string> once = exportOneDefinition(words);
  raiseVersions(words);
  unifyLinkedPointers(words);
  LinkedLines lines;
  lines.take(words);
  spvtools::Context context(SPV_ENV_UNIVERSAL_1_6);
  context.SetMessageConsumer([&](spv_message_level_t, const char *, const spv_position_t &, const char *message) {
    log += std::string("error: ") + message + "\n";
  });
  spvtools::LinkerOptions options;
  options.SetCreateLibrary(library);
  options.SetAllowPartialLinkage(library);
  Words linked;
  if (spvtools::Link(context, words, &linked, options) != SPV_SUCCESS) {
    if (log.empty())
      log = "error: cannot link the modules\n";
    return {};
  }
  lines.putBack(linked);
  if (library) // an exported definition of these names would be an error beside that of another module
    setLinkOnce(linked, once);
  wire::Bytes bytes(linked.size() * 4);
  std::memcpy(bytes.data(), linked.data(), bytes.size());
  return bytes;
}

} // namespace kiln
