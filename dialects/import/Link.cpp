// Moves all functions and globals into one module, each under a unique symbol. Then binds imports: replaces uses of a
// declaration by the definition and erases the declaration.
#include "dialects/import/Link.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace kiln::import {
namespace {
/// Returns the type that an import and its definition must share.
Type signature(Operation *op) {
  if (auto function = llvm::dyn_cast<func::FuncOp>(op))
    return function.getFunctionType();
  return llvm::cast<LLVM::GlobalOp>(op).getType();
}

/// Returns true if the application can look it up by name.
bool isKernel(Operation *op) {
  return op->hasAttr(ocl::KernelAttr) && !op->hasAttr(ocl::InitializerAttr) && !op->hasAttr(ocl::FinalizerAttr) &&
         !op->hasAttr(ocl::BlockAttr);
}

class Linker {
public:
  explicit Linker(ModuleOp target) : target_(target), symbols_(target) {}

  /// Moves a module's operations into the target.
  LogicalResult take(ModuleOp source) {
    // Renames inside the source first, which updates its references. Kernels keep their names.
    SymbolTable sourceSymbols(source);
    SmallVector<Operation *> ops;
    for (Operation &op : source.getBody()->getOperations())
      ops.push_back(&op);
    for (Operation *op : ops) {
      StringAttr name = SymbolTable::getSymbolName(op);
      Operation *other = symbols_.lookup(name);
      if (!other)
        continue;
      if (isKernel(op) && isKernel(other))
        return op->emitError() << "link: kernel '" << name.getValue() << "' is defined in more than one module";
      SymbolTable &renamed = isKernel(op) ? symbols_ : sourceSymbols;
      Operation *loser = isKernel(op) ? other : op;
      if (failed(renamed.rename(loser, freeName(name.getValue(), sourceSymbols))))
        return failure();
    }
    for (Operation *op : ops) {
      op->remove();
      symbols_.insert(op);
    }
    return success();
  }

  /// Binds imports to exports.
  LogicalResult bind(const LinkOptions &options) {
    llvm::StringMap<Operation *> exported;
    SmallVector<std::pair<Operation *, Operation *>> replaced; // an operation and its replacement
    for (Operation &op : *target_.getBody()) {
      auto name = op.getAttrOfType<StringAttr>(ExportAttr);
      if (!name)
        continue;
      auto [it, isNew] = exported.try_emplace(name.getValue(), &op);
      if (isNew)
        continue;
      if (!op.hasAttr(LinkOnceAttr) || !it->second->hasAttr(LinkOnceAttr))
        return op.emitError() << "link: '" << name.getValue() << "' is defined in more than one module";
      replaced.push_back({&op, it->second});
    }
    bool complete = true;
    for (Operation &op : *target_.getBody()) {
      auto name = op.getAttrOfType<StringAttr>(ImportAttr);
      if (!name)
        continue;
      auto definition = exported.find(name.getValue());
      if (definition != exported.end()) {
        replaced.push_back({&op, definition->second});
      } else if (!options.allowUnresolved) {
        op.emitError() << "link: '" << name.getValue() << "' is not defined";
        complete = false;
      }
    }
    for (auto [op, definition] : replaced)
      if (op->getName() != definition->getName() || signature(op) != signature(definition)) {
        op->emitError() << "link: '" << definition->getAttrOfType<StringAttr>(ExportAttr).getValue()
                        << "' is imported with another type than its definition has";
        complete = false;
      }
    if (!complete)
      return failure();
    redirect(replaced);
    return replaced.empty() ? success() : rejectRecursion();
  }

private:
  StringAttr freeName(llvm::StringRef base, SymbolTable &source) {
    std::string name;
    do
      name = (base + "." + llvm::Twine(++suffix_)).str();
    while (symbols_.lookup(name) || source.lookup(name));
    return StringAttr::get(target_.getContext(), name);
  }

  /// Each module alone has no cycle of calls (Functions.cpp); the linked module may have one.
  LogicalResult rejectRecursion() {
    struct Frame {
      func::FuncOp function;
      SmallVector<func::CallOp> calls;
    };
    llvm::DenseMap<Operation *, bool> isDone; // absent: not yet visited
    SmallVector<Frame> stack;
    auto open = [&](func::FuncOp function) {
      isDone[function] = false;
      stack.push_back({function, {}});
      function.walk([&](func::CallOp call) { stack.back().calls.push_back(call); });
    };
    for (func::FuncOp root : target_.getOps<func::FuncOp>()) {
      if (isDone.contains(root))
        continue;
      for (open(root); !stack.empty();) {
        if (stack.back().calls.empty()) {
          isDone[stack.pop_back_val().function] = true;
          continue;
        }
        auto callee = symbols_.lookup<func::FuncOp>(stack.back().calls.pop_back_val().getCallee());
        if (!callee)
          continue;
        auto state = isDone.find(callee);
        if (state == isDone.end())
          open(callee);
        else if (!state->second)
          return callee.emitError() << "link: '" << callee.getName() << "' calls itself, which OpenCL does not allow";
      }
    }
    return success();
  }

  /// Applies all replacements in one walk over all references.
  void redirect(ArrayRef<std::pair<Operation *, Operation *>> replaced) {
    llvm::DenseMap<Attribute, FlatSymbolRefAttr> target;
    for (auto [op, definition] : replaced)
      target[FlatSymbolRefAttr::get(SymbolTable::getSymbolName(op))] =
          FlatSymbolRefAttr::get(SymbolTable::getSymbolName(definition));
    if (target.empty())
      return;
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](FlatSymbolRefAttr reference) -> std::optional<Attribute> {
      auto it = target.find(reference);
      return it == target.end() ? Attribute(reference) : it->second;
    });
    for (auto [op, definition] : replaced)
      symbols_.erase(op);
    replacer.recursivelyReplaceElementsIn(target_, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/false);
    // Renames a definition to its exported name if its declaration had that symbol.
    for (auto [op, definition] : replaced) {
      auto name = definition->getAttrOfType<StringAttr>(ExportAttr);
      if (!symbols_.lookup(name))
        (void)symbols_.rename(definition, name);
    }
  }

  ModuleOp target_;
  SymbolTable symbols_;
  unsigned suffix_ = 0;
};
} // namespace

OwningOpRef<ModuleOp> linkModules(MutableArrayRef<OwningOpRef<ModuleOp>> modules, const LinkOptions &options) {
  if (modules.empty())
    return nullptr;
  OwningOpRef<ModuleOp> result = std::move(modules.front());
  Linker linker(*result);
  for (OwningOpRef<ModuleOp> &module : modules.drop_front())
    if (failed(linker.take(*module)))
      return nullptr;
  if (failed(linker.bind(options)))
    return nullptr;
  return result;
}

} // namespace kiln::import
