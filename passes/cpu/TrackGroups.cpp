#include "passes/cpu/TrackGroups.h"
#include "base/abi/Check.h"
#include "dialects/ocl/IntConstant.h"
#include "passes/lowering/CheckSites.h"
#include <cstddef>

using namespace mlir;

namespace kiln {

void trackBarrier(ImplicitLocOpBuilder &b, ocl::Fence fence, ocl::Scope scope) {
  const auto has = [&](ocl::Fence space) { return bitEnumContainsAny(fence, space); };
  const bool isOfDevice = scope == ocl::Scope::device || scope == ocl::Scope::all_devices;
  const int64_t sync = (has(ocl::Fence::local) ? abi::CheckOfLocal : 0) |
                       (has(ocl::Fence::global) ? abi::CheckOfGlobal : 0) | (isOfDevice ? abi::CheckOfDevice : 0);
  auto kernel = b.getInsertionBlock()->getParentOp();
  if (!isa<func::FuncOp>(kernel))
    kernel = kernel->getParentOfType<func::FuncOp>();
  if (sync == abi::CheckOfLocal && kernel->hasAttr(OneLocalPatternAttr)) {
    auto branch = scf::IfOp::create(b, comparesLocal(b), /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    callCheck(b, offsetof(abi::CheckLaunch, synchronise), {}, intConstant(b, sync, 64), {});
    b.setInsertionPointAfter(branch);
    return;
  }
  callCheck(b, offsetof(abi::CheckLaunch, synchronise), {}, intConstant(b, sync, 64), {});
}

void trackGroup(func::FuncOp kernel) {
  auto b = ImplicitLocOpBuilder::atBlockBegin(kernel.getLoc(), &kernel.getBody().front());
  SmallVector<Value> ids;
  for (int dim : {0, 1, 2})
    ids.push_back(ocl::QueryOp::create(b, b.getI64Type(), ocl::Query::group_id, intConstant(b, dim, 32)));
  callCheck(b, offsetof(abi::CheckLaunch, enter), {}, ids, {});
  kernel.walk([](func::ReturnOp exit) {
    ImplicitLocOpBuilder atEnd(exit.getLoc(), exit);
    callCheck(atEnd, offsetof(abi::CheckLaunch, leave), {}, {}, {});
  });
}

} // namespace kiln
