// Sets what the module is compiled for, as kilnc does before its first pass: for kiln-opt, and for pipelines that
// compile for another target than the usual one.
//
//   module { ... }   ==>   module attributes {ocl.target = #ocl.target<cpu, machine_width = 8, ...>,
//                                             ocl.local_size = array<i64: 64, 1, 1>} { ... }
//
// `target` is the text between the attribute's angle brackets. Without it the module keeps its target.
#include "dialects/ocl/Target.h"
#include "mlir/AsmParser/AsmParser.h"
#include "passes/Pass.h"

using namespace mlir;

namespace kiln {
#include "passes/SetTarget.pass.inc"
namespace {

struct SetTarget : impl::SetTargetBase<SetTarget> {
  using SetTargetBase::SetTargetBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (target.empty())
      return success();
    context->getOrLoadDialect<ocl::OclDialect>();
    parsed_ = dyn_cast_or_null<ocl::TargetAttr>(parseAttribute("#ocl.target<" + target + ">", context));
    return success(bool(parsed_));
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (parsed_)
      ocl::setTarget(module, parsed_);
    if (!localSize.empty())
      module->setAttr(ocl::LocalSizeAttr, DenseI64ArrayAttr::get(&getContext(), localSize));
  }

private:
  ocl::TargetAttr parsed_;
};
} // namespace
} // namespace kiln
