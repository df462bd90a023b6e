// Lowers checks of accesses to comparisons, after vector bodies are formed.
//
//   %q = ocl.check_access read %p in %b[%n] bytes 4 ...   ==>   %offset = address of %p - address of %b
//                                                               %fits = %offset <= %n - 4 && 4 <= %n
//                                                               %q = scf.if %fits {
//                                                                 scf.yield %p
//                                                               } else {
//                                                                 scf.yield call of abi::CheckLaunch::check }
//
//   ocl.track_access write %p ... argument 1        ==>   %tracked = ocl.argument_tracked 1
//                                                         scf.if %tracked & CheckTracksWrites { call track }
//
//   ocl.track_access write %p of local memory       ==>   the same with abi::CheckLaunch::comparesLocal, if the kernel
//                                                         has `ocl.one_local_pattern`
//
//   %n = ocl.track_group write %p ...               ==>   %n = call trackGroup; it is in such a branch already
//
//   ocl.track_lanes write %v ...                    ==>   the same, with the addresses in an array on the stack
//
// Numbers are unsigned. The call's second operand is the address of an abi::CheckSite, a constant with the line and the
// names that a report has.
#include "base/abi/Check.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/wg/Wg.h"
#include "passes/Pass.h"
#include "passes/analysis/LaneShapes.h"
#include "passes/lowering/CheckSites.h"
#include <cstddef>

using namespace mlir;

namespace kiln {
#include "passes/ExpandChecks.pass.inc"
namespace {

constexpr StringLiteral AddressesAttr = "wg.tracked_addresses"; // of an array of addresses

Value castPointer(ImplicitLocOpBuilder &b, Value pointer, Type type) {
  return pointer.getType() == type ? pointer : LLVM::AddrSpaceCastOp::create(b, type, pointer).getResult();
}

Value call(ImplicitLocOpBuilder &b, ocl::CheckAccessOp check, LLVM::GlobalOp site) {
  auto plain = LLVM::LLVMPointerType::get(b.getContext());
  auto cast = [&](Value pointer, Type type) { return castPointer(b, pointer, type); };
  const Value made = callCheck(b, offsetof(abi::CheckLaunch, check), site,
                               {cast(check.getPointer(), plain), cast(check.getBase(), plain), check.getSize(),
                                check.getBytes(), check.getX(), check.getY(), check.getZ()},
                               plain);
  return cast(made, check.getPointer().getType());
}

void expand(ocl::CheckAccessOp check, CheckSites &sites) {
  ImplicitLocOpBuilder b(check.getLoc(), check);
  auto address = [&](Value pointer) { return LLVM::PtrToIntOp::create(b, b.getI64Type(), pointer).getResult(); };
  const Value base = address(check.getBase()), pointer = address(check.getPointer());
  const Value offset = arith::SubIOp::create(b, pointer, base);
  const Value fits = isInObject(b, offset, check.getBytes(), check.getSize());
  const auto space = cast<LLVM::LLVMPointerType>(check.getPointer().getType()).getAddressSpace();
  const CheckedObject object{uint8_t(check.getAccess()), uint8_t(space),
                             check.getArgument() ? int32_t(*check.getArgument()) : -1, check.getName()};
  const LLVM::GlobalOp site = sites.of(check.getLoc(), object);
  auto branch = scf::IfOp::create(b, check.getPointer().getType(), fits, /*addThenBlock=*/true, /*addElseBlock=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, check.getPointer());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, call(b, check, site));
  check.replaceAllUsesWith(branch.getResult(0));
  check.erase();
}

template <typename Track> LLVM::GlobalOp siteOf(Track track, unsigned space, CheckSites &sites) {
  return sites.of(track.getLoc(), {.access = uint8_t(track.getAccess()),
                                   .space = uint8_t(space),
                                   .argument = track.getArgument() ? int32_t(*track.getArgument()) : -1,
                                   .name = track.getName(),
                                   .isTracked = true,
                                   .granule = uint8_t(track.getGranule()),
                                   .sync = uint8_t(track.getSync())});
}

// Moves the builder into a branch that the launch takes if it tracks such accesses, and returns the site.
template <typename Track>
LLVM::GlobalOp expandTrack(Track track, Type pointer, ImplicitLocOpBuilder &b, CheckSites &sites) {
  const auto space = cast<LLVM::LLVMPointerType>(pointer).getAddressSpace();
  if (space == ocl::Local && track->template getParentOfType<func::FuncOp>()->hasAttr(OneLocalPatternAttr)) {
    auto branch = scf::IfOp::create(b, comparesLocal(b), /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  } else if (const auto argument = track.getArgument()) {
    auto branch = scf::IfOp::create(b, isTracked(b, *argument, track.getAccess()), /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  return siteOf(track, space, sites);
}

void expand(ocl::TrackAccessOp track, CheckSites &sites) {
  ImplicitLocOpBuilder b(track.getLoc(), track);
  const LLVM::GlobalOp site = expandTrack(track, track.getPointer().getType(), b, sites);
  const Value pointer = castPointer(b, track.getPointer(), LLVM::LLVMPointerType::get(b.getContext()));
  callCheck(b, offsetof(abi::CheckLaunch, track), site,
            {pointer, track.getBytes(), track.getStep(), track.getLanes(), track.getItem()}, {});
  track.erase();
}

void expand(ocl::TrackGroupOp track, CheckSites &sites) {
  ImplicitLocOpBuilder b(track.getLoc(), track);
  const LLVM::GlobalOp site =
      siteOf(track, cast<LLVM::LLVMPointerType>(track.getPointer().getType()).getAddressSpace(), sites);
  const Value pointer = castPointer(b, track.getPointer(), LLVM::LLVMPointerType::get(b.getContext()));
  const Value noted = callCheck(
      b, offsetof(abi::CheckLaunch, trackGroup), site,
      {pointer, track.getBytes(), track.getStep(), track.getRow(), track.getPitch(), track.getRows()}, b.getI64Type());
  track.replaceAllUsesWith(
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, noted, intConstant(b, 0, 64)).getResult());
  track.erase();
}

// The addresses go through memory of the body's own: one array for all notes that its region has.
Value addressesAt(Region &body, VectorType type) {
  for (auto known : body.front().getOps<LLVM::AllocaOp>())
    if (known->hasAttr(AddressesAttr) && known.getElemType() == type)
      return known;
  ImplicitLocOpBuilder b(body.getLoc(), &body.front(), body.front().begin());
  auto made = LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), type, intConstant(b, 1, 32));
  made->setAttr(AddressesAttr, b.getUnitAttr());
  made->setAttr(LaneStrideAttr, b.getI64IntegerAttr(0)); // shared by all lanes
  return made;
}

void expand(ocl::TrackLanesOp track, CheckSites &sites) {
  Region *body = track->getParentRegion();
  while (!isa<wg::ParallelOp>(body->getParentOp()))
    body = body->getParentRegion();
  ImplicitLocOpBuilder b(track.getLoc(), track);
  const auto pointers = cast<VectorType>(track.getPointers().getType());
  const auto type = VectorType::get(pointers.getShape(), b.getI64Type());
  Value room = addressesAt(*body, type);
  const LLVM::GlobalOp site = expandTrack(track, pointers.getElementType(), b, sites);
  LLVM::StoreOp::create(b, LLVM::PtrToIntOp::create(b, type, track.getPointers()), room);
  callCheck(b, offsetof(abi::CheckLaunch, trackLanes), site,
            {room, track.getBytes(), track.getLanes(), track.getItem()}, {});
  track.erase();
}

struct ExpandChecks : impl::ExpandChecksBase<ExpandChecks> {
  void runOnOperation() override {
    CheckSites sites(getOperation());
    SmallVector<ocl::CheckAccessOp> checks;
    getOperation().walk([&](ocl::CheckAccessOp check) { checks.push_back(check); });
    for (ocl::CheckAccessOp check : checks)
      expand(check, sites);
    SmallVector<ocl::TrackAccessOp> tracks;
    getOperation().walk([&](ocl::TrackAccessOp track) { tracks.push_back(track); });
    for (ocl::TrackAccessOp track : tracks)
      expand(track, sites);
    SmallVector<ocl::TrackGroupOp> groups;
    getOperation().walk([&](ocl::TrackGroupOp track) { groups.push_back(track); });
    for (ocl::TrackGroupOp track : groups)
      expand(track, sites);
    SmallVector<ocl::TrackLanesOp> lanes;
    getOperation().walk([&](ocl::TrackLanesOp track) { lanes.push_back(track); });
    for (ocl::TrackLanesOp track : lanes)
      expand(track, sites);
  }
};
} // namespace
} // namespace kiln
