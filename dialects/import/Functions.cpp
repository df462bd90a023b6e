// Declares functions: signatures, names, linkage; checks the call graph for recursion and decides contraction.
#include "dialects/import/Body.h"
#include "dialects/import/Link.h"

using namespace mlir;

namespace kiln::import {

std::vector<uint32_t> ModuleImporter::callees(const Function &function) const {
  std::vector<uint32_t> found;
  for (size_t i = function.begin; i < function.end; ++i)
    if (binary_.code[i].op == spv::Op::FunctionCall)
      found.push_back(binary_.code[i].args[0]);
  return found;
}

/// SPIR-V forbids recursion below an entry point, and inlining relies on it. Depth-first with an explicit stack,
/// because a hostile module may have call chains of any length.
LogicalResult ModuleImporter::rejectRecursion() {
  enum class State { Open, Done };
  IdMap<State> states;
  struct Frame {
    uint32_t id;
    std::vector<uint32_t> callees;
    size_t next = 0;
  };
  for (uint32_t root : functionIds_) {
    if (states.contains(root))
      continue;
    std::vector<Frame> stack;
    auto open = [&](uint32_t id) {
      states[id] = State::Open;
      stack.push_back({id, callees(functions_[id])});
    };
    open(root);
    while (!stack.empty()) {
      Frame &frame = stack.back();
      if (frame.next == frame.callees.size()) {
        states[frame.id] = State::Done;
        stack.pop_back();
        continue;
      }
      uint32_t callee = frame.callees[frame.next++];
      if (!functions_.contains(callee))
        continue; // importing the call reports the error
      auto state = states.find(callee);
      if (state == states.end())
        open(callee);
      else if (state->second == State::Open)
        return error(*functions_[callee].head) << "'" << name(callee) << "' calls itself, which OpenCL does not allow";
    }
  }
  return success();
}

/// ContractionOff is a mode of entry points. A function may contract if at least one entry point reaches it and none of
/// those has ContractionOff. A function that only other modules call may be called under either mode.
void ModuleImporter::decideContraction() {
  IdSet on, off;
  for (const EntryPoint &entry : entryPoints_) {
    bool isOff = llvm::any_of(entry.modes, [](const Instruction *mode) {
      return static_cast<spv::ExecutionMode>(mode->args[1]) == spv::ExecutionMode::ContractionOff;
    });
    IdSet &reached = isOff ? off : on;
    std::vector<uint32_t> work{entry.function};
    while (!work.empty()) {
      uint32_t id = work.back();
      work.pop_back();
      if (!functions_.contains(id) || !reached.insert(id).second)
        continue;
      std::vector<uint32_t> next = callees(functions_[id]);
      work.insert(work.end(), next.begin(), next.end());
    }
  }
  for (auto &[id, function] : functions_)
    function.contract = on.contains(id) && !off.contains(id);
}

LogicalResult ModuleImporter::declareFunctions() {
  dropBlockEntries();
  IdMap<llvm::StringRef> kernelNames;
  for (const EntryPoint &entry : entryPoints_) {
    Function *function = this->function(entry.function);
    if (!function)
      return error(*entry.head) << "names id " << entry.function << ", which is not a function";
    if (function->begin == function->end)
      return error(*entry.head) << "names a function without a body";
    if (entry.name.empty() || llvm::StringRef(entry.name).contains('\0'))
      return error(*entry.head) << "has an empty Name or a null character in it";
    if (!symbols_.try_emplace(entry.name, 0).second && !kernelNames.contains(entry.function))
      return error(*entry.head) << "has the Name '" << entry.name << "', which is already in use";
    kernelNames.try_emplace(entry.function, entry.name);
  }
  decideContraction();
  for (uint32_t id : functionIds_) {
    auto kernel = kernelNames.find(id);
    std::string symbol = kernel != kernelNames.end() ? kernel->second.str() : uniqueSymbol(name(id));
    if (failed(declareFunction(id, functions_[id], symbol)))
      return failure();
    if (kernel != kernelNames.end())
      functions_[id].op.setPublic();
  }
  return success();
}

LogicalResult ModuleImporter::declareFunction(uint32_t id, Function &function, llvm::StringRef symbol) {
  const Instruction &head = *function.head;
  SmallVector<Type> inputs, results;
  for (auto [index, param] : llvm::enumerate(function.params)) {
    Type type = this->type(param->type, *param);
    if (!type)
      return failure();
    if (param->type != function.type->args[index + 1] || llvm::isa<NoneType>(type))
      return error(*param) << "has another type than its function's type declares";
    inputs.push_back(type);
  }
  Type result = type(head.type, head);
  if (!result)
    return failure();
  if (!llvm::isa<NoneType>(result))
    results.push_back(result);
  OpBuilder b = OpBuilder::atBlockEnd(module_->getBody());
  function.op = func::FuncOp::create(b, b.getUnknownLoc(), symbol, FunctionType::get(&context_, inputs, results));
  function.op.setPrivate();
  setLinkage(function.op, id);
  if (head.args[0] & uint32_t(spv::FunctionControl::DontInline))
    function.op->setAttr(ocl::DontInlineAttr, b.getUnitAttr());
  bool hasBody = function.begin != function.end;
  if (hasBody == function.op->hasAttr(ImportAttr))
    return error(head) << (hasBody ? "has a body and is imported" : "has no body and is not imported");
  for (auto [index, param] : llvm::enumerate(function.params))
    for (const Instruction *attribute : decorations(param->result, spv::Decoration::FuncParamAttr)) {
      if (attribute->args.size() < 3 ||
          static_cast<spv::FunctionParameterAttribute>(attribute->args[2]) != spv::FunctionParameterAttribute::ByVal)
        continue;
      const TypeInfo *pointee = memoryType(pointeeOf(param->result), *param);
      if (!pointee)
        return failure();
      function.op.setArgAttr(index, ocl::ArgByValueAttr, TypeAttr::get(pointee->type));
    }
  return success();
}

} // namespace kiln::import
