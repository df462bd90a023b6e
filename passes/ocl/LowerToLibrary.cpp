// Replaces operations that are implemented in dialects/library by calls, and imports the called functions.
//
//   %r = ocl.enqueue_marker %a, %q ...   ==>   %r = func.call @ocl_enqueue_marker(%a, %q, ...)
//
// On targets with textures, reads of images call the functions that use texture objects:
//
//   %p = ocl.read_image_float %i, ...    ==>   %p = func.call @ocl_read_image_float_textured(%i, ...)
//
// Operations on images call copies that know the sampler and other constants (ImageFunctions.h).
#include "dialects/library/Library.h"
#include "dialects/ocl/ProgramOptions.h"
#include "dialects/ocl/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Pass.h"
#include "passes/ocl/ImageFunctions.h"

using namespace mlir;

namespace kiln {
#include "passes/LowerToLibrary.pass.inc"
namespace {

struct LowerToLibrary : impl::LowerToLibraryBase<LowerToLibrary> {
  using LowerToLibraryBase::LowerToLibraryBase;

  void runOnOperation() override {
    SmallVector<Operation *> found;
    getOperation().walk([&](Operation *op) {
      if (op->hasTrait<ocl::LibraryOp>())
        found.push_back(op);
    });
    if (found.empty())
      return;
    ModuleOp library = library::get(getContext());
    const ocl::TargetAttr target = ocl::targetOf(getOperation(), "ocl-lower-to-library");
    if (!library || !target)
      return signalPassFailure();
    textures_ = target.has(ocl::TargetFeature::Textures);
    SymbolTable own(getOperation()), theirs(library);
    copied_.clear(), constants_.clear(), images_ = {};
    isGpu_ = !target.isCpu();
    for (Operation *op : found)
      if (failed(call(op, own, theirs)))
        return signalPassFailure();
    images_.keepCalls();
  }

private:
  // Returns true if the operation may access an image whose format a variant fixes. A function's image may be a fixed
  // argument of any kernel.
  bool mayKnowFormat(Operation *op) {
    const auto hasFixedArgument = [](func::FuncOp function) {
      return llvm::any_of(llvm::seq(function.getNumArguments()),
                          [&](unsigned argument) { return bool(function.getArgAttr(argument, ocl::ArgConstantAttr)); });
    };
    auto function = op->getParentOfType<func::FuncOp>();
    return function->hasAttr(ocl::KernelAttr) ? hasFixedArgument(function)
                                              : llvm::any_of(getOperation().getOps<func::FuncOp>(), hasFixedArgument);
  }

  LogicalResult call(Operation *op, SymbolTable &own, SymbolTable &theirs) {
    if (isa<ocl::CaptureEventProfilingOp>(op))
      getOperation()->setAttr(ocl::ReadsEventTimesAttr, UnitAttr::get(&getContext()));
    std::string name = op->getName().getStringRef().str();
    std::replace(name.begin(), name.end(), '.', '_');
    const bool readsImage =
        isa<ocl::SampleImageFloatOp, ocl::SampleImageIntOp, ocl::ReadImageFloatOp, ocl::ReadImageIntOp>(op);
    if (textures_ && readsImage)
      name += "_textured";
    auto original = theirs.lookup<func::FuncOp>(name);
    if (!original || original.getNumArguments() != op->getNumOperands())
      return op->emitOpError("has no library function with its number of operands");
    func::FuncOp function = copy(original, own, theirs);
    if (readsImage || isa<ocl::WriteImageFloatOp, ocl::WriteImageIntOp>(op))
      function = images_.specialized(function, op, /*keepsCall=*/isGpu_ && !mayKnowFormat(op), own);
    OpBuilder b(op);
    SmallVector<Value> operands;
    for (auto [value, type] : llvm::zip(op->getOperands(), function.getArgumentTypes())) {
      Value operand = value;
      if (operand.getType() != type && isa<LLVM::LLVMPointerType>(operand.getType()) &&
          isa<LLVM::LLVMPointerType>(type))
        operand = LLVM::AddrSpaceCastOp::create(b, op->getLoc(), type, operand);
      if (operand.getType() != type)
        return op->emitOpError("has other operand types than its library function");
      operands.push_back(operand);
    }
    auto call = func::CallOp::create(b, op->getLoc(), function, operands);
    if (call->getResultTypes() != op->getResultTypes())
      return op->emitOpError("has another result type than its library function");
    op->replaceAllUsesWith(call);
    op->erase();
    return success();
  }

  /// Imports the function, the functions that it calls and the constants that it reads. Returns the copy.
  func::FuncOp copy(func::FuncOp original, SymbolTable &own, SymbolTable &theirs) {
    if (func::FuncOp known = copied_.lookup(original))
      return known;
    func::FuncOp made = original.clone();
    made.setPrivate();
    own.insert(made); // renames it if the program has a symbol of this name
    copied_[original] = made;
    made.walk([](Operation *op) {
      if (auto effects = dyn_cast<MemoryEffectOpInterface>(op); effects && !isMemoryEffectFree(op))
        op->setAttr(ocl::TrustedAttr, UnitAttr::get(op->getContext()));
    });
    made.walk([&](func::CallOp call) {
      call.setCallee(copy(theirs.lookup<func::FuncOp>(call.getCallee()), own, theirs).getSymName());
    });
    made.walk([&](LLVM::AddressOfOp address) {
      LLVM::GlobalOp &constant = constants_[theirs.lookup<LLVM::GlobalOp>(address.getGlobalName())];
      if (!constant)
        own.insert(constant = theirs.lookup<LLVM::GlobalOp>(address.getGlobalName()).clone());
      address.setGlobalName(constant.getSymName());
    });
    return made;
  }

  bool textures_ = false, isGpu_ = false;
  ocl::ImageFunctions images_;
  llvm::DenseMap<func::FuncOp, func::FuncOp> copied_;
  llvm::DenseMap<LLVM::GlobalOp, LLVM::GlobalOp> constants_;
};
} // namespace
} // namespace kiln
