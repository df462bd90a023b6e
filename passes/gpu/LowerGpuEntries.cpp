// Lowers kernels to GPU entry points: parameters, local memory, NDRange queries.
//
//   func.func @k(%a: !llvm.ptr<1>, %t: !llvm.ptr<3>)     llvm.func @k(%a: !llvm.ptr<1>, %o: i64, %launch: !llvm.ptr)
//       attributes {ocl.kernel} {                    ==>     attributes {nvvm.kernel} {
//     %i = ocl.query global_id[%c0] : i64                  %i = launch.firstItem[0] + ctaid.x * ntid.x + tid.x
//     return                                               llvm.return
//   }                                                    }
//
// The parameters follow KernelAbi.h: separate arguments, so that pointers can have attributes such as noalias, then
// abi::GpuLaunch. A `local` argument is an offset into the group's local memory. Static local variables are globals
// laid out by the assembler; the dynamic part is an array of size 0 after them.
//
// In the dimensions of `ocl.rounded_dims`, work-items beyond the end of the NDRange end at once.
//
// If only the low 32 bits of an id are used, as in `int i = get_global_id(0)`, it is computed in 32 bits.
#include "base/abi/CheckAbi.h"
#include "base/abi/KernelAbi.h"
#include "dialects/ocl/KernelPlan.h"
#include "dialects/ocl/ProgramOptions.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "passes/Pass.h"
#include "passes/analysis/ArgumentLayout.h"
#include "passes/gpu/GpuTargetInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace kiln {
#include "passes/LowerGpuEntries.pass.inc"
namespace {

constexpr llvm::StringLiteral LocalArray = "__kiln_local";

using Overflow = arith::IntegerOverflowFlags;

class EntryLowering {
public:
  EntryLowering(func::FuncOp kernel, ocl::TargetAttr target)
      : kernel_(kernel), info_(gpu::GpuTargetInfo::of(target)), loc_(kernel.getLoc()),
        layout_(DataLayout::closest(kernel)), b_(kernel.getContext()), isFlat_(kernel->hasAttr(ocl::BlockAttr)),
        subGroupSize_(target.getSubGroupSize()) {
    i32_ = b_.getI32Type(), i64_ = b_.getI64Type();
    if (auto dims = kernel->getAttrOfType<IntegerAttr>(ocl::RoundedDimsAttr))
      roundedDims_ = unsigned(dims.getInt());
    const ArrayRef<int64_t> fixedSize = ocl::fixedLocalSize(kernel->getParentOfType<ModuleOp>());
    auto required = kernel->getAttrOfType<DenseI64ArrayAttr>(ocl::RequiredSizeAttr);
    ArrayRef<int64_t> largest = required ? required.asArrayRef() : fixedSize;
    if (largest.size() == 3)
      llvm::copy(largest, largest_.begin());
    // Smaller groups at the end of an NDRange run the generic variant.
    if (!fixedSize.empty() || kernel->getParentOp()->hasAttr(ocl::UniformGroupsAttr))
      size_ = largest_;
  }

  LogicalResult run(StringRef name) {
    if (largest_[0] && !fits())
      return kernel_.emitError() << "the required work-group size of kernel '" << kernel_.getName() << "' is "
                                 << largest_[0] << " x " << largest_[1] << " x " << largest_[2] << ", must be at most "
                                 << gpu::MaxGroupDims[0] << " x " << gpu::MaxGroupDims[1] << " x "
                                 << gpu::MaxGroupDims[2] << " and " << gpu::MaxGroupSize << " work-items";
    if (uint64_t bytes = ArgumentLayout(kernel_).bytes; bytes > abi::MaxGpuArgumentBytes)
      return kernel_.emitError() << "the arguments of kernel '" << kernel_.getName() << "' have " << bytes
                                 << " bytes, must have at most " << abi::MaxGpuArgumentBytes;
    countMemory();
    makeFunction(name);
    lowerArguments();
    lowerQueries();
    kernel_.erase();
    return success();
  }

private:
  bool fits() const {
    int64_t together = 1;
    for (int dim : {0, 1, 2}) {
      if (largest_[dim] > gpu::MaxGroupDims[dim])
        return false;
      together *= largest_[dim];
    }
    return together <= gpu::MaxGroupSize;
  }

  // ---- small helpers -----------------------------------------------------------------------------------------------

  Value constant(Type type, int64_t value) {
    return arith::ConstantOp::create(b_, loc_, IntegerAttr::get(type, value));
  }
  Value add(Value x, Value y, Overflow flags = Overflow::none) { return arith::AddIOp::create(b_, loc_, x, y, flags); }
  Value mul(Value x, Value y, Overflow flags = Overflow::none) { return arith::MulIOp::create(b_, loc_, x, y, flags); }
  Value field(size_t bytes) { return field(bytes, i64_); }
  Value field(size_t bytes, Type type) {
    Value address = LLVM::GEPOp::create(b_, loc_, launch_.getType(), b_.getI8Type(), launch_,
                                        ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
    auto load = LLVM::LoadOp::create(b_, loc_, type, address, 8);
    load.setInvariant(true);
    return load;
  }
  Value field32(size_t bytes, unsigned dim) { return resized(field(bytes + sizeof(uint64_t) * dim), i32_); }
  Value launchField(size_t bytes, unsigned dim) { return inType(field(bytes + sizeof(uint64_t) * dim)); }

  // ---- the entry ---------------------------------------------------------------------------------------------------

  // Computes the size of static local memory, laid out in descending order of alignment to avoid padding, and of the
  // private variables that are in memory.
  void countMemory() {
    auto module = kernel_->getParentOfType<ModuleOp>();
    llvm::SmallDenseSet<Operation *> seen;
    SmallVector<std::pair<uint64_t, uint64_t>> variables; // alignment, size
    uint64_t privateBytes = 0;
    kernel_.walk([&](Operation *op) {
      if (auto use = dyn_cast<LLVM::AddressOfOp>(op)) {
        auto global = module.lookupSymbol<LLVM::GlobalOp>(use.getGlobalName());
        if (global && global.getAddrSpace() == ocl::Local && seen.insert(global).second)
          variables.push_back(
              {std::max<uint64_t>(layout_.getTypeABIAlignment(global.getType()), global.getAlignment().value_or(1)),
               layout_.getTypeSize(global.getType()).getFixedValue()});
      } else if (auto alloca = dyn_cast<LLVM::AllocaOp>(op)) {
        IntegerAttr count;
        matchPattern(alloca.getArraySize(), m_Constant(&count));
        privateBytes += layout_.getTypeSize(alloca.getElemType()).getFixedValue() * (count ? count.getInt() : 1);
      }
    });
    llvm::sort(variables, std::greater<>());
    for (auto [alignment, size] : variables)
      staticLocalBytes_ = llvm::alignTo(staticLocalBytes_, alignment) + size;
    privateBytes_ = privateBytes;
  }

  bool isLocalArgument(BlockArgument argument) {
    auto pointer = dyn_cast<LLVM::LLVMPointerType>(argument.getType());
    return pointer && pointer.getAddressSpace() == ocl::Local;
  }
  bool isTooAligned(Type type) { return layout_.getTypeABIAlignment(type) > abi::MaxArgumentAlignment; }
  bool isInline(BlockArgument argument) { return byValue(argument.getArgNumber()) || isTooAligned(argument.getType()); }
  TypeAttr byValue(unsigned index) { return kernel_.getArgAttrOfType<TypeAttr>(index, ocl::ArgByValueAttr); }

  void makeFunction(StringRef name) {
    b_.setInsertionPoint(kernel_);
    Type inlineStruct = LLVM::LLVMPointerType::get(b_.getContext(), info_.parameterSpace());
    SmallVector<Type> types;
    for (BlockArgument argument : kernel_.getArguments())
      types.push_back(isInline(argument) ? inlineStruct : isLocalArgument(argument) ? i64_ : argument.getType());
    types.push_back(inlineStruct);
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b_.getContext()), types);
    function_ = LLVM::LLVMFuncOp::create(b_, loc_, name, type);
    StringRef userName = kernel_.getName();
    if (auto stated = kernel_->getAttrOfType<StringAttr>(ocl::KernelAttr))
      userName = stated.getValue();
    function_->setAttr(ocl::KernelAttr, b_.getStringAttr(userName));
    function_->setAttr(ocl::plan::StaticLocalBytes, b_.getI64IntegerAttr(staticLocalBytes_));
    function_->setAttr(ocl::plan::PrivateBytes, b_.getI64IntegerAttr(privateBytes_));
    function_->setAttr(ocl::plan::RoundedDims, b_.getI64IntegerAttr(roundedDims_));
    if (auto sites = kernel_->getAttr(ocl::CheckSitesAttr))
      function_->setAttr(ocl::CheckSitesAttr, sites);
    info_.markKernel(function_, largest_, /*isSmaller=*/!size_[0], isFlat_);
    entry_ = function_.addEntryBlock(b_);
    b_.setInsertionPointToStart(entry_);
    launch_ = entry_->getArguments().back();
    uint64_t words = sizeof(abi::GpuLaunch) / sizeof(uint64_t);
    markInlineStruct(types.size() - 1, LLVM::LLVMArrayType::get(i64_, words), alignof(abi::GpuLaunch));
  }

  void mark(unsigned index, StringRef name, Attribute value = {}) {
    function_.setArgAttr(index, name, value ? value : b_.getUnitAttr());
  }
  void markInlineStruct(unsigned index, Type type, uint64_t alignment) {
    if (isTooAligned(type)) // LLVM would use the type's larger alignment
      type = LLVM::LLVMArrayType::get(i64_, llvm::divideCeil(layout_.getTypeSize(type).getFixedValue(), 8));
    mark(index, info_.inlineStructAttr(), TypeAttr::get(type));
    mark(index, LLVM::LLVMDialect::getAlignAttrName(), b_.getI64IntegerAttr(alignment));
  }

  void lowerArguments() {
    for (BlockArgument argument : kernel_.getArguments()) {
      unsigned index = argument.getArgNumber();
      Value parameter = entry_->getArgument(index);
      if (TypeAttr type = byValue(index))
        parameter = lowerStruct(index, type.getValue(), parameter, argument.getType());
      else if (isTooAligned(argument.getType()))
        parameter = lowerVector(index, parameter, argument.getType());
      else if (isLocalArgument(argument))
        parameter = localAddress(parameter, argument.getType());
      else if (isa<LLVM::LLVMPointerType>(argument.getType()))
        markPointer(index);
      argument.replaceAllUsesWith(parameter);
    }
    Block *body = &kernel_.getBody().front();
    body->eraseArguments(0, body->getNumArguments());
    enter(*body);
    function_.getBody().getBlocks().splice(function_.end(), kernel_.getBody().getBlocks());
    function_.walk([&](func::ReturnOp exit) {
      OpBuilder end(exit);
      LLVM::ReturnOp::create(end, exit.getLoc(), ValueRange());
      exit.erase();
    });
  }

  // Branches to the body, or to a return if the work-item is beyond the end of the NDRange.
  void enter(Block &body) {
    Value isBeyond;
    for (unsigned dim : {0, 1, 2})
      if (isRounded(dim)) {
        Value end = field32(offsetof(abi::GpuLaunch, items), dim);
        Value isOver = arith::CmpIOp::create(b_, loc_, arith::CmpIPredicate::uge, itemOfLaunch(dim), end);
        isBeyond = isBeyond ? Value(arith::OrIOp::create(b_, loc_, isBeyond, isOver)) : isOver;
      }
    if (!isBeyond) {
      cf::BranchOp::create(b_, loc_, &body);
      return;
    }
    for (auto alloca : llvm::make_early_inc_range(body.getOps<LLVM::AllocaOp>())) // LLVM promotes only the entry's
      if (Operation *count = alloca.getArraySize().getDefiningOp(); count->hasTrait<OpTrait::ConstantLike>()) {
        alloca.getArraySizeMutable().set(b_.clone(*count)->getResult(0));
        alloca->moveBefore(entry_, entry_->end());
      }
    Block *end = b_.createBlock(&function_.getBody());
    LLVM::ReturnOp::create(b_, loc_, ValueRange());
    b_.setInsertionPointToEnd(entry_);
    cf::CondBranchOp::create(b_, loc_, isBeyond, end, ValueRange(), &body, ValueRange());
  }
  bool isRounded(unsigned dim) const { return roundedDims_ & 1u << dim; }
  // The index of the work-item in this launch, in a rounded dimension: the driver splits NDRanges so that it has 32
  // bits (abi::GpuLaunch::items), also beyond the end of the NDRange.
  Value itemOfLaunch(unsigned dim) {
    constexpr auto Safe = Overflow::nuw;
    Value size = largest_[dim]             ? constant(i32_, largest_[dim])
                 : info_.hasSizeRegister() ? localSize(dim)
                                           : enqueuedSize(dim);
    return add(mul(resized(info_.gridId(b_, loc_, dim), i32_), size, Safe), localId(dim), Safe);
  }

  // A kernel never writes its struct arguments. If parameters are not in the private address space they are copied;
  // LLVM removes the copy.
  Value lowerStruct(unsigned index, Type type, Value parameter, Type wanted) {
    uint64_t alignment = layout_.getTypeABIAlignment(type);
    markInlineStruct(index, type, std::min(alignment, abi::MaxArgumentAlignment));
    if (parameter.getType() == wanted)
      return parameter;
    Value copy = LLVM::AllocaOp::create(b_, loc_, wanted, type, constant(i32_, 1), alignment);
    Value bytes = constant(i64_, layout_.getTypeSize(type).getFixedValue());
    LLVM::MemcpyOp::create(b_, loc_, copy, parameter, bytes, /*isVolatile=*/false);
    return copy;
  }

  // A vector whose alignment exceeds that of parameters.
  Value lowerVector(unsigned index, Value parameter, Type type) {
    markInlineStruct(index, type, abi::MaxArgumentAlignment);
    auto load = LLVM::LoadOp::create(b_, loc_, type, parameter, abi::MaxArgumentAlignment);
    load.setInvariant(true);
    return load;
  }

  Value localAddress(Value offset, Type type) {
    auto module = kernel_->getParentOfType<ModuleOp>();
    if (!module.lookupSymbol(LocalArray)) {
      OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
      LLVM::GlobalOp::create(top, loc_, LLVM::LLVMArrayType::get(b_.getI8Type(), 0), /*isConstant=*/false,
                             LLVM::Linkage::External, LocalArray, Attribute(), abi::LocalAlignment, ocl::Local);
    }
    int64_t start = llvm::alignTo(staticLocalBytes_, abi::LocalAlignment);
    Value behind = arith::SubIOp::create(b_, loc_, offset, constant(i64_, start), Overflow::nuw | Overflow::nsw);
    Value array = LLVM::AddressOfOp::create(b_, loc_, type, LocalArray);
    return LLVM::GEPOp::create(b_, loc_, type, b_.getI8Type(), array, ValueRange{behind});
  }

  void markPointer(unsigned index) {
    auto number = [&](StringRef name) -> int64_t {
      auto value = kernel_.getArgAttrOfType<IntegerAttr>(index, name);
      return value ? value.getInt() : 0;
    };
    auto has = [&](StringRef name) { return kernel_.getArgAttr(index, name) != nullptr; };
    constexpr int64_t restricted = 2, isVolatile = 4; // CL_KERNEL_ARG_TYPE_RESTRICT, _VOLATILE
    int64_t qualifiers = number(ocl::ArgQualifiersAttr);
    auto pointer = cast<LLVM::LLVMPointerType>(kernel_.getArgumentTypes()[index]);
    // Memory of a `constant` pointer does not change while a kernel runs, so it does not alias written memory.
    bool isConstant = pointer.getAddressSpace() == ocl::Constant;
    if ((qualifiers & restricted) || (isConstant && !(qualifiers & isVolatile)))
      mark(index, LLVM::LLVMDialect::getNoAliasAttrName());
    if (isConstant || has(ocl::ArgNoWriteAttr))
      mark(index, has(ocl::ArgNoReadAttr) ? LLVM::LLVMDialect::getReadnoneAttrName()
                                          : LLVM::LLVMDialect::getReadonlyAttrName());
    else if (has(ocl::ArgNoReadAttr))
      mark(index, LLVM::LLVMDialect::getWriteOnlyAttrName());
    if (int64_t alignment = number(ocl::ArgPointeeAlignAttr))
      mark(index, LLVM::LLVMDialect::getAlignAttrName(), b_.getI64IntegerAttr(alignment));
  }

  // ---- queries -----------------------------------------------------------------------------------------------------

  // Lowers each query in place: unused queries cost nothing, and LLVM merges equal ones.
  void lowerQueries() {
    SmallVector<Operation *> queries;
    function_.walk([&](Operation *op) {
      if (isa<ocl::QueryOp, ocl::LinearQueryOp>(op))
        queries.push_back(op);
    });
    for (Operation *op : queries) {
      b_.setInsertionPoint(op);
      Value result = op->getResult(0);
      bool isNarrow = result.getType() == i32_ || llvm::all_of(result.getUsers(), [](Operation *user) {
                        return isa<arith::TruncIOp>(user) && user->getResult(0).getType().getIntOrFloatBitWidth() <= 32;
                      });
      type_ = isNarrow ? i32_ : i64_;
      Value lowered;
      if (auto query = dyn_cast<ocl::QueryOp>(op))
        lowered = valueOf(query);
      else
        lowered = linearQuery(cast<ocl::LinearQueryOp>(op).getKind());
      result.replaceAllUsesWith(resized(lowered, result.getType()));
      op->erase();
    }
    function_.walk([&](ocl::ProgramVariablesOp op) {
      b_.setInsertionPoint(op);
      op.replaceAllUsesWith(field(offsetof(abi::GpuLaunch, programVariables), op.getType()));
      op.erase();
    });
    lowerChecks();
    lowerLaunchField<ocl::PrintfBufferOp>(offsetof(abi::GpuLaunch, printfBuffer), ocl::plan::Prints);
    lowerLaunchField<ocl::EnqueueArenaOp>(offsetof(abi::GpuLaunch, enqueueArena), ocl::plan::Enqueues);
  }

  /// Replaces `Op` by a pointer in abi::GpuLaunch, and records in the plan whether the kernel uses it.
  template <typename Op> void lowerLaunchField(size_t where, StringRef plan) {
    bool any = false;
    function_.walk([&](Op op) {
      b_.setInsertionPoint(op);
      op.replaceAllUsesWith(field(where, op.getType()));
      op.erase();
      any = true;
    });
    function_->setAttr(plan, b_.getI64IntegerAttr(any));
  }

  /// Lowers what checked code reads of the launch's abi::GpuCheck.
  void lowerChecks() {
    const Type global = LLVM::LLVMPointerType::get(b_.getContext(), ocl::Global);
    SmallVector<Operation *> found;
    function_.walk([&](Operation *op) {
      if (isa<ocl::CheckLaunchOp, ocl::ArgumentRangeOp>(op))
        found.push_back(op);
    });
    for (Operation *op : found) {
      b_.setInsertionPoint(op);
      const Value check = field(offsetof(abi::GpuLaunch, check), global);
      if (auto range = dyn_cast<ocl::ArgumentRangeOp>(op)) {
        const size_t start = sizeof(abi::GpuCheck) + sizeof(abi::GpuCheckRange) * range.getArgument();
        auto load = [&](size_t bytes) {
          Value address = LLVM::GEPOp::create(b_, loc_, global, b_.getI8Type(), check,
                                              ArrayRef<LLVM::GEPArg>{int32_t(start + bytes)});
          auto loaded = LLVM::LoadOp::create(b_, loc_, i64_, address, 8);
          loaded.setInvariant(true);
          return loaded.getResult();
        };
        const Type type = range.getBegin().getType();
        range.getBegin().replaceAllUsesWith(
            LLVM::IntToPtrOp::create(b_, loc_, type, load(offsetof(abi::GpuCheckRange, begin))).getResult());
        range.getSize().replaceAllUsesWith(load(offsetof(abi::GpuCheckRange, size)));
      } else {
        op->getResult(0).replaceAllUsesWith(check);
      }
      op->erase();
    }
  }

  Value resized(Value value, Type type) {
    if (value.getType() == type)
      return value;
    return type == i64_ ? Value(arith::ExtUIOp::create(b_, loc_, type, value))
                        : Value(arith::TruncIOp::create(b_, loc_, type, value));
  }
  Value inType(Value value) { return resized(value, type_); }

  Value valueOf(ocl::QueryOp query) {
    APInt dim;
    if (matchPattern(query.getDim(), m_ConstantInt(&dim)) && dim.ult(3))
      return component(query.getKind(), dim.getZExtValue());
    Value lowered = constant(type_, query.getKind() >= ocl::Query::global_size ? 1 : 0);
    for (unsigned d : {0, 1, 2}) {
      Value is = arith::CmpIOp::create(b_, loc_, arith::CmpIPredicate::eq, query.getDim(), constant(i32_, d));
      lowered = arith::SelectOp::create(b_, loc_, is, component(query.getKind(), d), lowered);
    }
    return lowered;
  }

  // In 32 bits: a group has at most gpu::MaxGroupSize work-items.
  Value localId(unsigned dim) {
    if (isFlat_) { // the hardware's first dimension contains all three
      Value row = flatId();
      for (unsigned d = 0; d < dim; ++d)
        row = arith::DivUIOp::create(b_, loc_, row, localSize(d));
      return dim == 2 ? row : Value(arith::RemUIOp::create(b_, loc_, row, localSize(dim)));
    }
    return largest_[dim] == 1 ? constant(i32_, 0) : info_.localId(b_, loc_, dim, largest_[dim]);
  }
  Value flatId() { return info_.localId(b_, loc_, 0, largest_[0] * largest_[1] * largest_[2]); }
  Value localSize(unsigned dim) { return isFlat_ ? field32(offsetof(abi::GpuLaunch, ownSize), dim) : sizeOfGroup(dim); }
  Value sizeOfGroup(unsigned dim) {
    bool isConstant = size_[dim] || largest_[dim] == 1;
    return isConstant ? constant(i32_, largest_[dim]) : info_.localSize(b_, loc_, dim);
  }
  Value enqueuedSize(unsigned dim) {
    return largest_[dim] ? constant(i32_, largest_[dim]) : field32(offsetof(abi::GpuLaunch, localSize), dim);
  }

  // In type_. A launch whose local size differs from the enqueued one has one group in that dimension, so the stride
  // between groups is the enqueued size in all cases.
  Value component(ocl::Query kind, unsigned dim) {
    auto safe = type_ == i64_ ? Overflow::nuw | Overflow::nsw : Overflow::none;
    switch (kind) {
    case ocl::Query::global_id: {
      if (isRounded(dim)) // computed already, for the end of the NDRange
        return add(inType(itemOfLaunch(dim)), launchField(offsetof(abi::GpuLaunch, firstItem), dim));
      Value group = inType(info_.gridId(b_, loc_, dim));
      bool inRegister = info_.hasSizeRegister() && !isFlat_ && !largest_[dim];
      Value step = inType(inRegister ? localSize(dim) : enqueuedSize(dim));
      Value start = mul(group, step, safe);
      Value item = add(start, inType(localId(dim)), safe);
      return add(item, launchField(offsetof(abi::GpuLaunch, firstItem), dim));
    }
    case ocl::Query::local_id:
      return inType(localId(dim));
    case ocl::Query::group_id:
      return add(inType(info_.gridId(b_, loc_, dim)), launchField(offsetof(abi::GpuLaunch, firstGroup), dim));
    case ocl::Query::global_offset:
      return launchField(offsetof(abi::GpuLaunch, globalOffset), dim);
    case ocl::Query::global_size:
      return launchField(offsetof(abi::GpuLaunch, globalSize), dim);
    case ocl::Query::local_size:
      return inType(localSize(dim));
    case ocl::Query::enqueued_local_size:
      return inType(enqueuedSize(dim));
    case ocl::Query::num_groups:
      return launchField(offsetof(abi::GpuLaunch, numGroups), dim);
    }
    llvm_unreachable("all kinds are handled");
  }

  Value localLinear() {
    if (isFlat_)
      return flatId();
    auto both = Overflow::nuw | Overflow::nsw;
    Value x = localId(0), y = localId(1), z = localId(2), width = localSize(0), height = localSize(1);
    return add(mul(add(mul(z, height, both), y, both), width, both), x, both);
  }
  Value product(Value (EntryLowering::*size)(unsigned)) {
    auto both = Overflow::nuw | Overflow::nsw;
    Value x = (this->*size)(0), y = (this->*size)(1), z = (this->*size)(2);
    return mul(mul(x, y, both), z, both);
  }
  Value groupItems() { return product(&EntryLowering::localSize); }
  Value enqueuedItems() { return product(&EntryLowering::enqueuedSize); }
  Value subGroupsOf(Value items) {
    Value rounded = add(items, constant(i32_, subGroupSize_ - 1), Overflow::nuw | Overflow::nsw);
    return arith::ShRUIOp::create(b_, loc_, rounded, constant(i32_, llvm::Log2_32(subGroupSize_)));
  }

  // Sub-groups are consecutive linear local ids, as the hardware divides a group into warps or waves.
  Value linearQuery(ocl::LinearQuery kind) {
    switch (kind) {
    case ocl::LinearQuery::work_dim:
      return field(offsetof(abi::GpuLaunch, workDim));
    case ocl::LinearQuery::local_linear_id:
      return localLinear();
    case ocl::LinearQuery::global_linear_id: {
      Value linear; // over the dimensions from the last to this one
      for (unsigned dim : {2, 1, 0}) {
        Value id = component(ocl::Query::global_id, dim);
        id = arith::SubIOp::create(b_, loc_, id, component(ocl::Query::global_offset, dim));
        linear = linear ? add(mul(linear, component(ocl::Query::global_size, dim)), id) : id;
      }
      return linear;
    }
    case ocl::LinearQuery::sub_group_size: {
      Value items = groupItems();
      Value first = arith::AndIOp::create(b_, loc_, localLinear(), constant(i32_, -int64_t(subGroupSize_)));
      Value rest = arith::SubIOp::create(b_, loc_, items, first, Overflow::nuw | Overflow::nsw);
      return arith::MinUIOp::create(b_, loc_, rest, constant(i32_, subGroupSize_));
    }
    case ocl::LinearQuery::max_sub_group_size:
      return arith::MinUIOp::create(b_, loc_, enqueuedItems(), constant(i32_, subGroupSize_));
    case ocl::LinearQuery::num_sub_groups:
      return subGroupsOf(groupItems());
    case ocl::LinearQuery::enqueued_num_sub_groups:
      return subGroupsOf(enqueuedItems());
    case ocl::LinearQuery::sub_group_id:
      return arith::ShRUIOp::create(b_, loc_, localLinear(), constant(i32_, llvm::Log2_32(subGroupSize_)));
    case ocl::LinearQuery::sub_group_local_id:
      return info_.laneId(b_, loc_, subGroupSize_);
    }
    llvm_unreachable("all kinds are handled");
  }

  func::FuncOp kernel_;
  const gpu::GpuTargetInfo &info_;
  Location loc_;
  DataLayout layout_;
  OpBuilder b_;
  const bool isFlat_; // KernelAbi.h
  unsigned subGroupSize_;
  // The constant local size, and the enqueued one, which groups at the end of an NDRange may not have; zero: any.
  std::array<int64_t, 3> size_{}, largest_{};
  Type i32_, i64_, type_; // type_: result type of the current query
  LLVM::LLVMFuncOp function_;
  Block *entry_ = nullptr;
  Value launch_;
  unsigned roundedDims_ = 0; // bits
  uint64_t staticLocalBytes_ = 0, privateBytes_ = 0;
};

// Returns true if all assemblers accept the name and Kiln does not use it. Other names are replaced; KernelInfo::entry
// has the new name.
bool isPortableName(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) && !name.starts_with("__") && name != "WARP_SZ" &&
         name != "_GLOBAL_OFFSET_TABLE_" && // PTX's and ELF's
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

struct LowerGpuEntries : impl::LowerGpuEntriesBase<LowerGpuEntries> {
  using LowerGpuEntriesBase::LowerGpuEntriesBase;

  void runOnOperation() override {
    const ocl::TargetAttr target = ocl::gpuTargetOf(getOperation(), "gpu-lower-entries");
    if (!target)
      return signalPassFailure();
    const StringRef suffix = ocl::entrySuffix(getOperation());
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    llvm::StringSet<> names;
    for (func::FuncOp function : functions)
      names.insert(function.getName());
    unsigned number = 0;
    for (func::FuncOp function : functions)
      if (ocl::staysFunction(function)) {
        continue;
      } else if (!function->hasAttr(ocl::KernelAttr) || function.isExternal()) {
        function.erase(); // inlined everywhere
      } else {
        std::string name = function.getName().str();
        while (!isPortableName(name))
          if (std::string other = "kernel_" + std::to_string(number++); names.insert(other).second)
            name = other;
        if (!suffix.empty()) {
          name += suffix;
          llvm::replace(name, '.', '_');
          while (!names.insert(name).second)
            name += '_';
        }
        if (failed(EntryLowering(function, target).run(name)))
          return signalPassFailure();
      }
  }
};
} // namespace
} // namespace kiln
