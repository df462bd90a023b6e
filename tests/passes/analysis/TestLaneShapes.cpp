// A pass for tests: writes the lane shape of each value to an attribute of the operation that computes it.
//
//   %g = ocl.query global_id[%zero] : i64     ==>   %g = ocl.query global_id[%zero] {lane_shape = "stride 1"} : i64
//
// A guarded shape has the number of its guards. "wraps" says which no-wrap facts do not hold.
#include "dialects/wg/Wg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "passes/analysis/LaneShapes.h"
#include "llvm/Support/FormatVariadic.h"

namespace {
using namespace kiln;

std::string describe(const LaneShape &shape) {
  const std::optional<StrideInfo> info = shape.strideInfoIfGuardsHold();
  if (!info)
    return "varying";
  std::string text = info->stride ? llvm::formatv("stride {0}", info->stride).str() : "uniform";
  if (!info->noSignedWrap || !info->noUnsignedWrap)
    text +=
        llvm::formatv(", wraps{0}{1}", info->noSignedWrap ? "" : " signed", info->noUnsignedWrap ? "" : " unsigned");
  if (!shape.guards().empty())
    text += llvm::formatv(", guards {0}", shape.guards().size());
  if (shape.max() != ~uint64_t(0))
    text += llvm::formatv(", max {0}", shape.max());
  return text;
}

struct TestLaneShapes : mlir::PassWrapper<TestLaneShapes, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestLaneShapes)
  TestLaneShapes() = default;
  TestLaneShapes(const TestLaneShapes &other) : PassWrapper(other) {}
  llvm::StringRef getArgument() const override { return "test-lane-shapes"; }
  llvm::StringRef getDescription() const override { return "write the lane shape of each value to its operation"; }

  void runOnOperation() override {
    const mlir::DataLayout layout(getOperation());
    getOperation().walk([&](wg::ParallelOp region) {
      const Optimism optimism{.oneTile = optimistic, .oneSide = optimistic};
      const LaneShapes shapes(region.getBody(), lanes, layout, idsFit, optimism);
      region.getBody().walk([&](mlir::Operation *op) {
        std::vector<std::string> texts;
        for (mlir::Value result : op->getResults())
          texts.push_back(describe(shapes.of(result)));
        if (!texts.empty())
          op->setAttr("lane_shape", mlir::OpBuilder(op).getStringAttr(llvm::join(texts, "; ")));
      });
    });
  }

  Option<unsigned> lanes{*this, "lanes", llvm::cl::desc("lanes of a vector"), llvm::cl::init(8)};
  Option<bool> idsFit{*this, "ids-fit", llvm::cl::desc("assume that ids fit 31 bits")};
  Option<bool> optimistic{*this, "optimistic",
                          llvm::cl::desc("assume that divisions, remainders, shifts, masks and clamps are strided")};
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "TestLaneShapes", "1", [] { mlir::PassRegistration<TestLaneShapes>(); }};
}
