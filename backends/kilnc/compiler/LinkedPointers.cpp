#include "backends/kilnc/compiler/LinkedPointers.h"
#include <map>
#include <optional>
#include <set>
#include <string>

namespace kiln {
namespace {

using spirv::head;
using spirv::Instruction;
using spirv::opcode;
using spirv::Words;
using spv::Op;

/// The types of a module, and the functions that it exports or imports.
struct Module {
  std::map<uint32_t, Instruction> types;  // by id
  std::map<std::string, uint32_t> shared; // exported and imported functions by name
  std::map<uint32_t, Instruction> functions;
  std::set<uint32_t> entryPoints;

  explicit Module(const Words &words) {
    std::map<uint32_t, std::string> names;
    spirv::each(words, [&](Instruction ins) {
      const Op op = opcode(ins);
      if (auto name = spirv::linkageName(ins))
        names[ins[1]] = *name;
      else if (op == Op::EntryPoint && ins.size() > 2)
        entryPoints.insert(ins[2]);
      else if (op >= Op::TypeVoid && op < Op::TypeForwardPointer && ins.size() > 1)
        types[ins[1]] = ins;
      else if (op == Op::Function && ins.size() == 5)
        functions[ins[2]] = ins;
    });
    for (const auto &[id, name] : names)
      if (functions.contains(id))
        shared[name] = id;
  }

  const Instruction *type(uint32_t id, Op op) const {
    auto found = types.find(id);
    return found != types.end() && opcode(found->second) == op ? &found->second : nullptr;
  }
  /// Returns the function's type: its result's type is word 2, its parameters' types follow.
  const Instruction *signature(uint32_t function) const { return type(functions.at(function)[4], Op::TypeFunction); }

  /// Returns a text that is equal for equal types of two modules. `depth` is how many pointers are followed.
  std::string text(uint32_t id, unsigned depth) const {
    auto found = types.find(id);
    if (found == types.end())
      return "?"; // malformed
    const Instruction ins = found->second;
    const Op op = opcode(ins);
    std::string made = "(" + std::to_string(uint32_t(op));
    if (op == Op::TypePointer) {
      made += " " + std::to_string(ins[2]) + (depth ? text(ins[3], depth - 1) : "");
    } else if (op == Op::TypeStruct || op == Op::TypeFunction) {
      for (uint32_t part : ins.subspan(2))
        made += text(part, depth);
    } else if (op == Op::TypeVector) {
      made += text(ins[2], depth) + std::to_string(ins[3]);
    } else if (op == Op::TypeArray) {
      made += text(ins[2], depth); // its length is a constant, which the linker compares
    } else {
      for (uint32_t word : ins.subspan(2))
        made += " " + std::to_string(word);
    }
    return made + ")";
  }
};

/// Rewrites one module.
class Rewrite {
public:
  Rewrite(const Words &words, const std::set<std::string> &names) : words_(words), module_(words) {
    for (const std::string &name : names)
      if (auto found = module_.shared.find(name); found != module_.shared.end())
        chosen_.insert(found->second);
  }

  Words run() {
    if (chosen_.empty())
      return words_;
    nameParameters();
    out_.assign(words_.begin(), words_.begin() + spirv::HeaderWords);
    emit({uint32_t(spv::Capability::Int8)}, Op::Capability); // once more is allowed
    spirv::each(words_, [&](Instruction ins) { rewrite(ins); });
    out_[spirv::Bound] = bound_;
    return std::move(out_);
  }

private:
  bool isPointer(uint32_t type) const { return module_.type(type, Op::TypePointer); }
  uint32_t newId() { return bound_++; }
  void emit(std::initializer_list<uint32_t> operands, Op op) {
    out_.push_back(head(op, operands.size() + 1));
    out_.insert(out_.end(), operands);
  }

  /// The cast of a parameter takes the parameter's old id, so that its uses need no change; names and decorations
  /// follow the parameter to its new id.
  void nameParameters() {
    bool inside = false;
    uint32_t current = 0;
    std::vector<std::pair<uint32_t, uint32_t>> parameters; // type and id, of the current function
    spirv::each(words_, [&](Instruction ins) {
      if (opcode(ins) == Op::Function && ins.size() == 5)
        current = ins[2], inside = chosen_.contains(current), parameters.clear();
      else if (opcode(ins) == Op::FunctionParameter && ins.size() == 3)
        parameters.push_back({ins[1], ins[2]});
      else if (opcode(ins) == Op::Label && inside) {
        inside = false; // a declaration has no label and keeps its ids
        for (auto [type, id] : parameters)
          if (isPointer(type))
            renamed_[id] = newId();
      }
    });
  }

  void declareTypes() {
    for (const auto &[id, ins] : module_.types)
      if (opcode(ins) == Op::TypeInt && ins.size() == 4 && ins[2] == 8)
        byte_ = id;
    if (!byte_)
      emit({byte_ = newId(), 8, 0}, Op::TypeInt);
    for (uint32_t function : chosen_) {
      const Instruction type = *module_.signature(function);
      Words operands;
      for (uint32_t part : type.subspan(2))
        operands.push_back(bytePointer(part));
      uint32_t &made = functionTypes_[operands];
      for (const auto &[id, ins] : module_.types)
        if (opcode(ins) == Op::TypeFunction && std::ranges::equal(ins.subspan(2), operands))
          made = id;
      if (made)
        continue;
      made = newId();
      emit({made}, Op::TypeFunction);
      out_[out_.size() - 2] = head(Op::TypeFunction, operands.size() + 2);
      spirv::append(out_, Instruction(operands));
    }
  }

  /// Returns the pointer to bytes that takes the place of a pointer type; other types are returned as they are.
  uint32_t bytePointer(uint32_t type) {
    const Instruction *pointer = module_.type(type, Op::TypePointer);
    if (!pointer)
      return type;
    const uint32_t storage = (*pointer)[2];
    uint32_t &made = bytePointers_[storage];
    for (const auto &[id, ins] : module_.types)
      if (!made && opcode(ins) == Op::TypePointer && ins[2] == storage && ins[3] == byte_)
        made = id;
    if (!made)
      emit({made = newId(), storage, byte_}, Op::TypePointer);
    return made;
  }

  uint32_t functionType(uint32_t function) {
    Words operands;
    for (uint32_t part : module_.signature(function)->subspan(2))
      operands.push_back(bytePointer(part));
    return functionTypes_.at(operands);
  }

  void rewrite(Instruction ins) {
    const Op op = opcode(ins);
    if (op == Op::Function && !byte_)
      declareTypes();
    if (!casts_.empty() && op != Op::FunctionParameter && op != Op::Label && op != Op::Variable && op != Op::Line &&
        op != Op::NoLine) {
      spirv::append(out_, Instruction(casts_)); // below the variables of the first block
      casts_.clear();
    }
    if ((op == Op::Name || op == Op::Decorate) && ins.size() > 1 && renamed_.contains(ins[1])) {
      const size_t start = out_.size();
      spirv::append(out_, ins);
      out_[start + 1] = renamed_[ins[1]];
      return;
    }
    if (op == Op::Function) {
      current_ = chosen_.contains(ins[2]) ? ins[2] : 0;
      if (current_)
        return emit({bytePointer(ins[1]), ins[2], ins[3], functionType(ins[2])}, Op::Function);
    }
    if (op == Op::FunctionParameter && current_ && isPointer(ins[1])) {
      auto found = renamed_.find(ins[2]);
      const uint32_t id = found == renamed_.end() ? ins[2] : found->second;
      emit({bytePointer(ins[1]), id}, Op::FunctionParameter);
      if (id != ins[2])
        casts_.insert(casts_.end(), {head(Op::Bitcast, 4), ins[1], ins[2], id});
      return;
    }
    if (op == Op::ReturnValue && current_ && isPointer(module_.functions.at(current_)[1])) {
      const uint32_t cast = newId();
      emit({bytePointer(module_.functions.at(current_)[1]), cast, ins[1]}, Op::Bitcast);
      return emit({cast}, Op::ReturnValue);
    }
    if (op == Op::FunctionCall && chosen_.contains(ins[3]))
      return rewriteCall(ins);
    spirv::append(out_, ins);
  }

  void rewriteCall(Instruction ins) {
    const Instruction type = *module_.signature(ins[3]);
    Words call(ins.begin(), ins.end());
    for (size_t i = 4; i < ins.size() && i - 1 < type.size(); ++i)
      if (isPointer(type[i - 1])) {
        call[i] = newId();
        emit({bytePointer(type[i - 1]), call[i], ins[i]}, Op::Bitcast);
      }
    if (isPointer(ins[1])) {
      call[1] = bytePointer(ins[1]);
      call[2] = newId();
    }
    spirv::append(out_, Instruction(call));
    if (isPointer(ins[1]))
      emit({ins[1], ins[2], call[2]}, Op::Bitcast);
  }

  const Words &words_;
  const Module module_;
  std::set<uint32_t> chosen_;                 // functions
  std::map<uint32_t, uint32_t> renamed_;      // parameters
  std::map<uint32_t, uint32_t> bytePointers_; // by storage class
  std::map<Words, uint32_t> functionTypes_;   // by result and parameters
  uint32_t byte_ = 0;
  uint32_t current_ = 0; // the chosen function that is being rewritten
  uint32_t bound_ = words_[spirv::Bound];
  Words casts_; // of the current function's parameters
  Words out_;
};

/// Returns the functions that the modules declare with different pointees.
std::set<std::string> differInPointees(const std::vector<Words> &modules) {
  constexpr unsigned Depth = 4;
  std::map<std::string, std::set<std::string>> exact, loose;
  std::set<std::string> kernels;
  for (const Words &words : modules) {
    const Module module(words);
    for (const auto &[name, id] : module.shared) {
      const Instruction *type = module.signature(id);
      if (!type || module.entryPoints.contains(id)) {
        kernels.insert(name);
        continue;
      }
      exact[name].insert(module.text((*type)[1], Depth));
      loose[name].insert(module.text((*type)[1], 0));
    }
  }
  std::set<std::string> names;
  for (const auto &[name, texts] : exact)
    if (texts.size() > 1 && loose[name].size() == 1 && !kernels.contains(name))
      names.insert(name);
  return names;
}

} // namespace

void unifyLinkedPointers(std::vector<Words> &modules) {
  const std::set<std::string> names = differInPointees(modules);
  if (names.empty())
    return;
  for (Words &words : modules)
    words = Rewrite(words, names).run();
}

} // namespace kiln
