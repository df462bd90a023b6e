// The address of each lane, for accesses that are not one vector access. Inactive lanes get the address of a dummy slot
// on this thread's stack, so that no lane needs a branch, which would be mispredicted.
#pragma once
#include "mlir/IR/Value.h"
#include <optional>

namespace kiln {
class VectorBody;
struct LinearAddress;
struct MemoryAccess;
struct StrideInfo;

/// Memory on this thread's stack that inactive lanes load from and store to.
class DummySlot {
public:
  static constexpr unsigned Alignment = 64; // in bytes

  /// The slot's address as a pointer of `type`. The first call emits the slot at the start of the body.
  mlir::Value address(VectorBody &body, mlir::Type type);

private:
  mlir::Value slot_;
};

/// One lane's address. Terms that vary by lane are added before uniform ones: the sum may be loop-invariant.
mlir::Value laneAddress(VectorBody &body, const LinearAddress &address, unsigned lane);

/// `own`, or the dummy slot's address if the lane is inactive.
mlir::Value maskedAddress(VectorBody &body, mlir::Value mask, unsigned lane, mlir::Value own);

/// A vector of addresses, with the dummy slot's for inactive lanes; the access has a mask. `info`: the stride of the
/// addresses; nothing if they vary.
mlir::Value maskedAddresses(VectorBody &body, const MemoryAccess &access, const std::optional<StrideInfo> &info);

} // namespace kiln
