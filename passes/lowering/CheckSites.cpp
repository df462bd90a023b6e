#include "passes/lowering/CheckSites.h"
#include "base/abi/Check.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace kiln {
namespace {

template <typename Number> void append(std::string &bytes, Number number) {
  bytes.append(reinterpret_cast<const char *>(&number), sizeof number);
}

// runtime/check/LaunchReports.h names the same numbers of abi::CheckSite without MLIR.
static_assert(ocl::Private == 0 && ocl::Global == 1 && ocl::Constant == 2 && ocl::Local == 3 && ocl::Generic == 4);
static_assert(uint8_t(ocl::AccessKind::read) == 0 && uint8_t(ocl::AccessKind::write) == 1 &&
              uint8_t(ocl::AccessKind::atomic) == 2);

/// The bytes of an abi::CheckSite.
std::string bytesOf(FileLineColLoc location, const CheckedObject &object, uint16_t number) {
  std::string site;
  append(site, uint32_t(location ? location.getLine() : 0));
  append(site, uint32_t(location ? location.getColumn() : 0));
  append(site, object.argument);
  append(site, object.access);
  append(site, object.space);
  append(site, number);
  append(site, object.granule);
  append(site, object.sync);
  append(site, object.shape);
  append(site, object.alignment);
  site.append(object.name.data(), object.name.size()).push_back('\0');
  if (location)
    site += location.getFilename().getValue();
  site.push_back('\0');
  return site;
}

} // namespace

LLVM::GlobalOp CheckSites::of(Location location, const CheckedObject &object) {
  const auto place = location->findInstanceOf<FileLineColLoc>();
  LLVM::GlobalOp &global = sites_[bytesOf(place, object, object.isTracked)];
  if (global)
    return global;
  if (object.isTracked && tracked_ < abi::MaxTrackedSites)
    ++tracked_;
  const std::string bytes = bytesOf(place, object, object.isTracked ? tracked_ : 0);
  auto b = OpBuilder::atBlockBegin(module_.getBody());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), unsigned(bytes.size()));
  std::string name;
  do
    name = "kiln.check." + std::to_string(number_++);
  while (SymbolTable::lookupSymbolIn(module_, name));
  global = LLVM::GlobalOp::create(b, location, type, /*isConstant=*/true, LLVM::Linkage::Internal, name,
                                  b.getStringAttr(bytes), /*alignment=*/alignof(abi::CheckSite));
  return global;
}

KernelSites::KernelSites(Operation *kernel) : kernel_(kernel) {
  if (auto known = kernel->getAttrOfType<ArrayAttr>(ocl::CheckSitesAttr))
    llvm::append_range(sites_, known);
  for (auto [number, site] : llvm::enumerate(sites_))
    numbers_[cast<StringAttr>(site).getValue()] = uint32_t(number);
}

uint32_t KernelSites::of(Location location, const CheckedObject &object) {
  const auto known = numbers_.find(bytesOf(location->findInstanceOf<FileLineColLoc>(), object, /*number=*/0));
  return known == numbers_.end() ? add(location, object) : known->second;
}

uint32_t KernelSites::add(Location location, const CheckedObject &object) {
  const std::string bytes = bytesOf(location->findInstanceOf<FileLineColLoc>(), object, /*number=*/0);
  const auto number = uint32_t(sites_.size());
  numbers_[bytes] = number;
  sites_.push_back(StringAttr::get(kernel_->getContext(), bytes));
  return number;
}

void KernelSites::finish() {
  if (!sites_.empty())
    kernel_->setAttr(ocl::CheckSitesAttr, ArrayAttr::get(kernel_->getContext(), sites_));
}

Value isInObject(ImplicitLocOpBuilder &b, Value offset, Value bytes, Value size) {
  auto isAtMost = [&](Value number, Value limit) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ule, number, limit);
  };
  return b.createOrFold<arith::AndIOp>(isAtMost(bytes, size),
                                       isAtMost(offset, b.createOrFold<arith::SubIOp>(size, bytes)));
}

static Value fieldOfLaunch(ImplicitLocOpBuilder &b, size_t field) {
  auto plain = LLVM::LLVMPointerType::get(b.getContext());
  Value launch = ocl::CheckLaunchOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), ocl::Global));
  launch = LLVM::AddrSpaceCastOp::create(b, plain, launch);
  return LLVM::GEPOp::create(b, plain, b.getI8Type(), launch, LLVM::GEPArg(int32_t(field)));
}

Value comparesLocal(ImplicitLocOpBuilder &b) {
  Value flag = LLVM::LoadOp::create(b, b.getI64Type(), fieldOfLaunch(b, offsetof(abi::CheckLaunch, comparesLocal)));
  Value zero = arith::ConstantOp::create(b, b.getI64IntegerAttr(0));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, flag, zero);
}

Value isTracked(ImplicitLocOpBuilder &b, uint32_t argument, ocl::AccessKind access) {
  const uint64_t bits = access == ocl::AccessKind::read    ? abi::CheckTracksReads
                        : access == ocl::AccessKind::write ? abi::CheckTracksWrites
                                                           : abi::CheckTracksReads | abi::CheckTracksWrites;
  Value tracked = ocl::ArgumentTrackedOp::create(b, b.getI64Type(), argument);
  tracked = arith::AndIOp::create(b, tracked, arith::ConstantOp::create(b, b.getI64IntegerAttr(int64_t(bits))));
  Value zero = arith::ConstantOp::create(b, b.getI64IntegerAttr(0));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, tracked, zero);
}

Value callCheck(ImplicitLocOpBuilder &b, size_t field, LLVM::GlobalOp site, ValueRange operands, Type result) {
  auto plain = LLVM::LLVMPointerType::get(b.getContext());
  Value launch = ocl::CheckLaunchOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), ocl::Global));
  launch = LLVM::AddrSpaceCastOp::create(b, plain, launch);
  Value address = LLVM::GEPOp::create(b, plain, b.getI8Type(), launch, LLVM::GEPArg(int32_t(field)));
  auto function = LLVM::LoadOp::create(b, plain, address);
  function.setInvariant(true);
  SmallVector<Value> all{function, launch};
  if (site)
    all.push_back(LLVM::AddressOfOp::create(b, site));
  llvm::append_range(all, operands);
  const SmallVector<Type> types(llvm::drop_begin(ValueRange(all).getTypes()));
  auto made = LLVM::CallOp::create(
      b, LLVM::LLVMFunctionType::get(result ? result : LLVM::LLVMVoidType::get(b.getContext()), types), all);
  return result ? made.getResult() : Value();
}

} // namespace kiln
