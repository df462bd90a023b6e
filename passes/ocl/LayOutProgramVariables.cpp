// Lays out the variables in global memory as one block that the runtime allocates.
//
//   llvm.mlir.global internal @a(7 : i32) {addr_space = 1}      module attributes {ocl.program_variables =
//   llvm.mlir.global internal @p() {addr_space = 1} {             {size = 16, image = array<i8: 7, 0, ...>,
//     llvm.return (llvm.mlir.addressof @a)                  ==>    relocations = array<i64: 8, 0>, ...}}
//   }
//   %x = llvm.mlir.addressof @p                                 %b = ocl.program_variables
//                                                               %x = llvm.getelementptr %b[8]
//
// The code then contains no variables, so all kernels and all their variants share the runtime's block. Constants stay
// in the code, except those whose initial value contains an address of the block (unknown to the code) and those whose
// address the block contains (unknown to the runtime).
//
// Each variant of a kernel is compiled separately, so the order depends on the module only: variables with an initial
// value first, which keeps the image short, then by alignment, then as declared.
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "passes/Pass.h"
#include "passes/ocl/InitialValue.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;

namespace kiln {
#include "passes/LayOutProgramVariables.pass.inc"
namespace {

constexpr uint64_t MaxImageBytes = uint64_t(1) << 28;
constexpr uint64_t MaxBlockBytes = uint64_t(1) << 46; // sums below stay in 64 bits

struct Variable {
  LLVM::GlobalOp global;
  uint64_t size, alignment;
  InitialValue value;
  size_t position; // in the module
  uint64_t offset = 0;
};

struct LayOutProgramVariables : impl::LayOutProgramVariablesBase<LayOutProgramVariables> {
  void runOnOperation() override {
    SmallVector<LLVM::GlobalOp> globals = membersOfTheBlock();
    if (globals.empty())
      return;
    DataLayout layout(getOperation());
    SmallVector<Variable, 0> variables;
    uint64_t imageBytes = 0;
    const NullPointers nulls = nullPointers();
    for (LLVM::GlobalOp global : globals) {
      FailureOr<InitialValue> value = initialValue(global, layout, MaxImageBytes - imageBytes, nulls);
      if (failed(value))
        return signalPassFailure();
      imageBytes += value->bytes.size();
      Type type = global.getGlobalType();
      // An empty struct has an address as well.
      variables.push_back({global, std::max<uint64_t>(layout.getTypeSize(type).getFixedValue(), 1),
                           std::max<uint64_t>(layout.getTypeABIAlignment(type), global.getAlignment().value_or(1)),
                           std::move(*value), variables.size()});
    }
    if (failed(layOut(variables)))
      return signalPassFailure();
    replaceUses();
    for (LLVM::GlobalOp global : globals)
      global.erase();
  }

private:
  // See ConvertAddressSpaces.cpp.
  NullPointers nullPointers() {
    auto name = getOperation()->getAttrOfType<StringAttr>(LLVM::LLVMDialect::getTargetTripleAttrName());
    if (!name)
      return {};
    llvm::Triple triple(name.getValue());
    return {.ofLocal = triple.isAMDGPU() || triple.isNVPTX() ? 0xffffffffu : 0,
            .ofPrivate = triple.isAMDGPU() ? 0xffffffffu : 0};
  }

  /// Variables in global memory, and constants that are connected to one of them by addresses.
  SmallVector<LLVM::GlobalOp> membersOfTheBlock() {
    llvm::EquivalenceClasses<StringAttr> connected;
    llvm::MapVector<StringAttr, LLVM::GlobalOp> globals;
    for (auto global : getOperation().getOps<LLVM::GlobalOp>())
      if (global.getAddrSpace() == ocl::Global || global.getAddrSpace() == ocl::Constant)
        globals.insert({global.getSymNameAttr(), global});
    StringAttr block; // all of global memory is one class
    for (auto &[name, global] : globals) {
      if (global.getAddrSpace() == ocl::Global) {
        block = block ? block : name;
        connected.unionSets(block, name);
      }
      global.getInitializerRegion().walk(
          [&, name = name](LLVM::AddressOfOp use) { connected.unionSets(name, use.getGlobalNameAttr().getAttr()); });
    }
    SmallVector<LLVM::GlobalOp> members;
    for (auto &[name, global] : globals)
      if (block && connected.isEquivalent(block, name))
        members.push_back(global);
    return members;
  }

  LogicalResult layOut(SmallVector<Variable, 0> &variables) {
    auto hasValue = [](const Variable &variable) { return !variable.value.bytes.empty(); };
    llvm::sort(variables, [&](const Variable &a, const Variable &b) {
      return std::tuple(hasValue(b), b.alignment, a.position) < std::tuple(hasValue(a), a.alignment, b.position);
    });
    uint64_t size = 0, alignment = 1, largest = 0, image = 0;
    for (Variable &variable : variables) {
      variable.offset = llvm::alignTo(size, variable.alignment);
      size = variable.offset + variable.size;
      if (size > MaxBlockBytes)
        return getOperation().emitError()
               << "the variables in global memory have " << size << " bytes, must be at most " << MaxBlockBytes;
      alignment = std::max(alignment, variable.alignment);
      largest = std::max(largest, variable.size);
      image = hasValue(variable) ? size : image;
      offsets_[variable.global.getSymNameAttr()] = variable.offset;
    }
    if (image > MaxImageBytes)
      return getOperation().emitError() << "the initial values of the variables in global memory have " << image
                                        << " bytes, must be at most " << MaxImageBytes;
    SmallVector<int8_t, 0> bytes(image);
    SmallVector<std::pair<int64_t, int64_t>, 0> relocations;
    for (Variable &variable : variables) {
      llvm::copy(variable.value.bytes, bytes.begin() + variable.offset);
      for (const auto &[offset, address] : variable.value.addresses) {
        auto target = offsets_.find(address.variable);
        if (target == offsets_.end())
          return variable.global.emitError()
                 << "variable '" << variable.global.getSymName() << "' is initialised with the address of '"
                 << address.variable.getValue() << "', which is not in global memory";
        relocations.push_back({int64_t(variable.offset + offset), int64_t(target->second + address.distance)});
      }
    }
    llvm::sort(relocations);
    SmallVector<int64_t, 0> pairs;
    uint64_t used = 0;
    for (auto [offset, target] : relocations) {
      pairs.append({offset, target});
      used = offset + 8;
    }
    while (bytes.size() > used && !bytes.back())
      bytes.pop_back();
    Builder b(&getContext());
    auto number = [&](StringRef name, uint64_t value) { return b.getNamedAttr(name, b.getI64IntegerAttr(value)); };
    getOperation()->setAttr(
        ocl::ProgramVariablesAttr,
        b.getDictionaryAttr({number("size", size), number("alignment", alignment), number("largest", largest),
                             b.getNamedAttr("image", b.getDenseI8ArrayAttr(bytes)),
                             b.getNamedAttr("relocations", b.getDenseI64ArrayAttr(pairs))}));
    return success();
  }

  void replaceUses() {
    SmallVector<std::pair<LLVM::AddressOfOp, uint64_t>> uses;
    getOperation().walk([&](LLVM::AddressOfOp use) {
      auto offset = offsets_.find(use.getGlobalNameAttr().getAttr());
      if (offset != offsets_.end() && !use->getParentOfType<LLVM::GlobalOp>())
        uses.push_back({use, offset->second});
    });
    for (auto [use, offset] : uses) {
      OpBuilder b(use);
      Type type = use.getType();
      Value address = ocl::ProgramVariablesOp::create(b, use.getLoc(), type);
      if (offset) {
        Value distance = intConstant(b, use.getLoc(), int64_t(offset), 64);
        address = LLVM::GEPOp::create(b, use.getLoc(), type, b.getI8Type(), address, distance,
                                      LLVM::GEPNoWrapFlags::inbounds);
      }
      use.replaceAllUsesWith(address);
      use.erase();
    }
  }

  DenseMap<StringAttr, uint64_t> offsets_;
};
} // namespace
} // namespace kiln
