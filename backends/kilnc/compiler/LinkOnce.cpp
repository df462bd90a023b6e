#include "backends/kilnc/compiler/LinkOnce.h"
#include <map>

namespace kiln {
namespace {

using spirv::Instruction;
using spirv::Words;

bool hasLinkage(Instruction decoration, spv::LinkageType linkage) {
  return spv::LinkageType(decoration.back()) == linkage;
}

/// Returns the module that exports each name for which a module has a LinkOnceODR definition.
std::map<std::string, size_t> exporters(const std::vector<Words> &modules) {
  std::map<std::string, size_t> first, exported;
  for (size_t i = 0; i < modules.size(); ++i)
    spirv::each(modules[i], [&](Instruction ins) {
      const auto name = spirv::linkageName(ins);
      if (name && hasLinkage(ins, spv::LinkageType::LinkOnceODR))
        first.try_emplace(std::string(*name), i);
      else if (name && hasLinkage(ins, spv::LinkageType::Export))
        exported.try_emplace(std::string(*name), i);
    });
  for (auto &[name, module] : first)
    if (auto found = exported.find(name); found != exported.end())
      module = found->second;
  return first;
}

std::set<uint32_t> variablesOf(const Words &words) {
  std::set<uint32_t> variables;
  spirv::each(words, [&](Instruction ins) {
    if (spirv::opcode(ins) == spv::Op::Variable && ins.size() > 3)
      variables.insert(ins[2]);
  });
  return variables;
}

/// Rewrites the LinkOnceODR definitions of the module with this index.
Words rewritten(const Words &words, size_t index, const std::map<std::string, size_t> &exporters) {
  const std::set<uint32_t> variables = variablesOf(words);
  std::set<uint32_t> imported;
  Words made(words.begin(), words.begin() + spirv::HeaderWords);
  auto decorate = [&](Instruction ins, spv::LinkageType linkage) {
    spirv::append(made, ins);
    made.back() = uint32_t(linkage);
  };
  spirv::each(words, [&](Instruction ins) {
    const auto name = spirv::linkageName(ins);
    if (name && hasLinkage(ins, spv::LinkageType::LinkOnceODR)) {
      if (exporters.at(std::string(*name)) == index)
        return decorate(ins, spv::LinkageType::Export);
      if (!variables.contains(ins[1]))
        return; // a private copy of the function
      imported.insert(ins[1]);
      return decorate(ins, spv::LinkageType::Import);
    }
    if (spirv::opcode(ins) == spv::Op::Variable && ins.size() == 5 && imported.contains(ins[2])) {
      made.insert(made.end(), {spirv::head(spv::Op::Variable, 4), ins[1], ins[2], ins[3]});
      return;
    }
    spirv::append(made, ins);
  });
  return made;
}

} // namespace

std::set<std::string> exportOneDefinition(std::vector<Words> &modules) {
  const std::map<std::string, size_t> exporting = exporters(modules);
  std::set<std::string> names;
  for (const auto &[name, module] : exporting)
    names.insert(name);
  if (!names.empty())
    for (size_t i = 0; i < modules.size(); ++i)
      modules[i] = rewritten(modules[i], i, exporting);
  return names;
}

void setLinkOnce(Words &module, const std::set<std::string> &names) {
  spirv::each(module, [&](Instruction ins) {
    const auto name = spirv::linkageName(ins);
    if (name && hasLinkage(ins, spv::LinkageType::Export) && names.contains(std::string(*name)))
      module[size_t(&ins.back() - module.data())] = uint32_t(spv::LinkageType::LinkOnceODR);
  });
}

} // namespace kiln
