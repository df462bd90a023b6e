#include "passes/simd/emit/WidenTrack.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"

using namespace mlir;

namespace kiln {

bool widenTrack(VectorBody &body, ocl::TrackAccessOp track, Value mask) {
  VectorBuilder &b = body.builder();
  const auto address = body.knownStrideInfo(body.shape(track.getPointer()));
  const auto item = body.knownStrideInfo(body.shape(track.getItem()));
  if (!item || item->stride != 1 || b.lanes() > 64 || !body.shape(track.getBytes()).isUniform())
    return false;
  Value lanes = mask ? b.maskBits(mask) : Value();
  if (lanes && b.lanes() < 64)
    lanes = arith::ExtUIOp::create(b, b.getI64Type(), lanes);
  if (!lanes)
    lanes = intConstant(b, int64_t(~uint64_t(0) >> (64 - b.lanes())), 64);
  if (!address || !body.hasLane0(track.getPointer())) {
    Value pointers = body.vectors(track.getPointer())[0];
    ocl::TrackLanesOp::create(b, track.getAccessAttr(), pointers, body.lane0(track.getBytes()), lanes,
                              body.lane0(track.getItem()), track.getNameAttr(), track.getArgumentAttr(),
                              track.getGranuleAttr(), track.getSyncAttr());
    return true;
  }
  const SmallVector<Value> operands{body.lane0(track.getPointer()), body.lane0(track.getBytes()),
                                    intConstant(b, address->stride, 64), lanes, body.lane0(track.getItem())};
  Operation *made = b.clone(*track);
  made->setOperands(operands);
  return true;
}

} // namespace kiln
