// Folds of the NDRange queries.
#include "dialects/ocl/Ocl.h"

using namespace mlir;

namespace kiln::ocl {

OpFoldResult QueryOp::fold(FoldAdaptor adaptor) {
  auto dim = llvm::dyn_cast_if_present<IntegerAttr>(adaptor.getDim());
  if (!dim || dim.getValue().ult(3))
    return {}; // unknown, or a dimension that exists: only the launch can say
  return IntegerAttr::get(getType(), getKind() >= Query::global_size ? 1 : 0);
}

} // namespace kiln::ocl
