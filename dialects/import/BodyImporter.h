// Lifts instructions to operations at an insertion point: in a function, in a global's initialiser, or in a scratch
// block in which specialisation constants are evaluated. Each category of instructions has a file and a handler. A
// handler returns NotHandled for opcodes of other categories; an opcode without a handler is an error.
//
// Operands are untrusted, and an allowed validation error ends validation early. So a handler checks the preconditions
// of its operations (operand types above all) before it builds or folds them, and `define` compares each result with
// the type that the module declares.
#pragma once
#include "base/abi/PipeAbi.h"
#include "dialects/import/DebugInfo.h"
#include "dialects/import/ModuleImporter.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace kiln::import {

enum class ImportResult { NotHandled, Success, Failure };
inline ImportResult importResult(mlir::LogicalResult result) {
  return mlir::succeeded(result) ? ImportResult::Success : ImportResult::Failure;
}

/// A pointer to a built-in variable or to one of its components.
struct BuiltInPointer {
  spv::BuiltIn builtin{};
  mlir::Value dim;      // null: the whole variable
  uint32_t pointee = 0; // type id
};

class BodyImporter {
public:
  using Values = llvm::SmallVector<mlir::Value, 4>;

  /// Constants are inserted at the start of `constants`, a block that dominates all uses.
  BodyImporter(ModuleImporter &module, mlir::Block *constants, bool contract);

  /// Imports one instruction other than a terminator, a label or a phi.
  mlir::LogicalResult import(const Instruction &ins);

  /// Ends the range of the last OpLine and DebugScope.
  void endLine() {
    line_ = nullptr;
    scope_ = nullptr;
    updateLocation();
  }

  /// Returns the value of an id: local, constant or the address of a global. Null, with a diagnostic, if it has none.
  mlir::Value value(uint32_t id, const Instruction &user);
  void set(uint32_t id, mlir::Value value) { values_[id] = value; }
  mlir::Value zero(mlir::Type type);

  mlir::OpBuilder builder;
  mlir::Location loc;
  ModuleImporter &module;

private:
  // --- Shared by the categories (BodyImporter.cpp).
  mlir::InFlightDiagnostic error(const Instruction &ins) { return module.error(ins); }
  mlir::LogicalResult mismatch(const Instruction &ins);
  mlir::Type resultType(const Instruction &ins) { return module.type(ins.type, ins); }
  /// Sets `values` to the operands from args[first] on. Returns false, with a diagnostic, if one has no value.
  bool operands(const Instruction &ins, Values &values, size_t count, size_t first = 0);
  mlir::LogicalResult define(const Instruction &ins, mlir::Value value);
  /// Builds an operation, or returns the value that it folds to.
  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return builder.createOrFold<Op>(loc, std::forward<Args>(args)...);
  }
  mlir::Value constantInt(mlir::Type type, const llvm::APInt &value); // type: scalar or vector
  mlir::Value constantInt(mlir::Type type, uint64_t value);
  mlir::Value constantFloat(mlir::Type type, double value);
  mlir::Value splat(mlir::Value scalar, mlir::Type type);
  mlir::arith::FastMathFlags fastMath(const Instruction &ins);
  mlir::Value toIndex(mlir::Value integer);
  mlir::Value materialise(uint32_t id, const Instruction &definition, const Instruction &user);

  // --- Categories.
  ImportResult importMemory(const Instruction &ins);     // Memory.cpp
  ImportResult importPointer(const Instruction &ins);    // Pointers.cpp
  ImportResult importArithmetic(const Instruction &ins); // Arithmetic.cpp
  ImportResult importBits(const Instruction &ins);       // Bits.cpp
  ImportResult importRelation(const Instruction &ins);   // Relations.cpp
  ImportResult importConversion(const Instruction &ins); // Conversions.cpp
  ImportResult importComposite(const Instruction &ins);  // Composites.cpp
  ImportResult importSync(const Instruction &ins);       // Sync.cpp: barriers, atomics, clocks
  ImportResult importGroup(const Instruction &ins);      // Groups.cpp
  ImportResult importEnqueue(const Instruction &ins);    // Enqueue.cpp
  ImportResult importPipe(const Instruction &ins);       // Pipes.cpp
  ImportResult importImage(const Instruction &ins);      // Images.cpp
  ImportResult importCall(const Instruction &ins);       // BodyImporter.cpp
  ImportResult importExtended(const Instruction &ins);   // ExtInst.cpp: dispatches OpenCL.std to its categories

  // Memory.cpp
  struct MemoryOperands {
    unsigned align = 0;
    bool isVolatile = false, isNontemporal = false;
  };
  std::optional<MemoryOperands> memoryOperands(const Instruction &ins, size_t first, size_t *end = nullptr);
  mlir::LogicalResult load(const Instruction &ins);
  mlir::LogicalResult store(const Instruction &ins);
  mlir::LogicalResult variable(const Instruction &ins);
  mlir::Value value32(int32_t number);

  // CopyMemory.cpp
  struct Copy {
    mlir::Value to, from;
    mlir::Value bytes;            // the size, if it is not a constant
    std::optional<uint64_t> size; // the size, if it is a constant
    unsigned toAlign = 1, fromAlign = 1;
    bool isVolatile = false;
  };
  mlir::LogicalResult copyMemory(const Instruction &ins);
  uint32_t copiedType(uint32_t pointerId, uint64_t size) const;
  void copyBytes(const Copy &copy, uint32_t typeId);

  // BuiltInVariables.cpp
  mlir::LogicalResult loadBuiltIn(const Instruction &ins, const BuiltInPointer &pointer);
  mlir::LogicalResult builtInAccess(const Instruction &ins, const BuiltInPointer &pointer);
  mlir::Value query(ocl::Query kind, mlir::Value dim, mlir::Type type);
  mlir::Value queryComponent(mlir::Value vector, mlir::Value index, mlir::Type type);
  std::optional<BuiltInPointer> builtInPointer(uint32_t id);

  // Pointers.cpp
  mlir::LogicalResult accessChain(const Instruction &ins, bool hasElement, bool inBounds);
  mlir::Value castPointer(mlir::Value pointer, mlir::Type type);
  mlir::LogicalResult castExplicitly(const Instruction &ins);
  mlir::LogicalResult semanticsOf(const Instruction &ins);
  bool isHandle(uint32_t typeId);
  mlir::LogicalResult castHandle(const Instruction &ins, mlir::Value number, mlir::Type type);

  // Arithmetic.cpp
  mlir::Value safeDivisor(mlir::Value dividend, mlir::Value divisor, bool isSigned);
  mlir::LogicalResult integerBinary(const Instruction &ins, llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)>);
  mlir::LogicalResult floatBinary(const Instruction &ins, llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)>);
  mlir::arith::IntegerOverflowFlags overflow(const Instruction &ins);
  mlir::Value dot(mlir::Value a, mlir::Value b, mlir::arith::FastMathFlags fast);
  mlir::LogicalResult extendedResult(const Instruction &ins);
  mlir::Value mathCall(ocl::MathFn fn, mlir::ValueRange operands,
                       ocl::MathPrecision precision = ocl::MathPrecision::full, mlir::Type result = {});

  // Bits.cpp
  mlir::Value resize(mlir::Value value, mlir::Type type);
  mlir::Value mask(mlir::Value count, mlir::Type type);
  mlir::LogicalResult bitField(const Instruction &ins);

  // Relations.cpp
  mlir::Value classify(spv::Op op, mlir::Value number);

  // Conversions.cpp
  std::optional<ocl::Rounding> rounding(const Instruction &ins);
  mlir::Value bitcast(mlir::Value value, mlir::Type type);

  // Composites.cpp
  mlir::Value inRange(mlir::Value index, mlir::VectorType vector);
  mlir::Value extractAt(mlir::Value vector, mlir::Value index);
  mlir::LogicalResult shuffle(const Instruction &ins);
  mlir::LogicalResult construct(const Instruction &ins);
  mlir::Value extract(mlir::Value value, llvm::ArrayRef<uint32_t> path);
  mlir::Value insert(mlir::Value composite, mlir::Value part, llvm::ArrayRef<uint32_t> path);

  // Sync.cpp
  ocl::Scope scope(uint32_t id);
  ocl::Order order(uint32_t id);
  ocl::Fence fence(uint32_t id);
  mlir::LogicalResult controlBarrier(const Instruction &ins);
  mlir::LogicalResult memoryBarrier(const Instruction &ins);
  mlir::LogicalResult asyncCopy(const Instruction &ins);
  mlir::LogicalResult readClock(const Instruction &ins);
  mlir::LogicalResult fenceOf(uint32_t scopeId, uint32_t semanticsId);
  struct Atomic {
    mlir::Value pointer;
    mlir::Type type;
    ocl::Scope scope;
    ocl::Order order;
  };
  mlir::LogicalResult readModifyWrite(const Instruction &ins, ocl::AtomicKind kind, const Atomic &atomic);
  mlir::LogicalResult otherAtomic(const Instruction &ins, const Atomic &atomic);
  ImportResult importAtomic(const Instruction &ins);

  // Groups.cpp
  enum class LaneMask { All, Equal, Less, LessEqual, Greater, GreaterEqual };
  mlir::LogicalResult groupArithmetic(const Instruction &ins, ocl::CombiningKind kind, bool ofBooleans,
                                      ocl::Scope scope);
  mlir::LogicalResult groupVote(const Instruction &ins, ocl::Scope scope);
  mlir::LogicalResult groupShuffle(const Instruction &ins, ocl::Scope scope);
  mlir::LogicalResult groupBallot(const Instruction &ins);
  bool clusterSize(const Instruction &ins, size_t index, mlir::IntegerAttr &size);
  mlir::Value combineOver(ocl::Scope scope, ocl::CombiningKind kind, mlir::Value value, bool isUniform = false,
                          ocl::GroupOperation operation = ocl::GroupOperation::reduce, mlir::IntegerAttr cluster = {});
  mlir::Value laneId();
  mlir::Value maxSubGroupSize();
  mlir::LogicalResult intelShuffle(const Instruction &ins);
  mlir::LogicalResult intelBlock(const Instruction &ins, uint32_t pointerId, uint32_t typeId);
  mlir::Value linearLocalId(mlir::Value id);
  mlir::Value laneMask(LaneMask which);
  mlir::Value ballotOf(mlir::Value bits);

  // Enqueue.cpp
  mlir::Value arena();
  bool rangeNumbers(const Instruction &ins, mlir::Value given, unsigned &count, Values &numbers);
  mlir::LogicalResult buildRange(const Instruction &ins);
  bool unpackRange(const Instruction &ins, uint32_t id, mlir::Value &dimensions, Values &numbers);
  mlir::Value blockAt(const Instruction &ins, size_t at, uint64_t *bytes);
  mlir::LogicalResult enqueueKernel(const Instruction &ins);
  mlir::LogicalResult enqueueMarker(const Instruction &ins);
  mlir::LogicalResult deviceEvent(const Instruction &ins);
  mlir::LogicalResult blockQuery(const Instruction &ins);

  // Pipes.cpp
  bool pipeOperands(const Instruction &ins, llvm::ArrayRef<unsigned> bits, size_t first, Values &values);
  mlir::LogicalResult copyPacket(const Instruction &ins);
  mlir::LogicalResult reservePackets(const Instruction &ins, abi::PipeSide side, bool ofGroup);
  mlir::LogicalResult commitPackets(const Instruction &ins, abi::PipeSide side, bool ofGroup);

  // Images.cpp
  struct Image {
    mlir::Value pointer;
    uint32_t shape = 0; // abi::ShapeDims and ShapeLayers
  };
  struct SampledImage {
    Image image;
    mlir::Value sampler;
  };
  bool image(const Instruction &ins, uint32_t id, Image &image);
  mlir::LogicalResult combine(const Instruction &ins);
  mlir::Value toVec4(mlir::Value given);
  mlir::Value coordinates(const Instruction &ins, mlir::Value given, uint32_t shape);
  mlir::LogicalResult imageOperands(const Instruction &ins, size_t first);
  mlir::LogicalResult definePixel(const Instruction &ins, mlir::Value pixel);
  mlir::LogicalResult read(const Instruction &ins, const Image &image, mlir::Value sampler, uint32_t coordinateId);
  mlir::LogicalResult sample(const Instruction &ins);
  mlir::LogicalResult readImage(const Instruction &ins);
  mlir::LogicalResult writeImage(const Instruction &ins);
  mlir::LogicalResult querySize(const Instruction &ins);
  mlir::LogicalResult queryFormat(const Instruction &ins);
  mlir::Value imageField(mlir::Value pointer, uint64_t offset);

  // ExtMath.cpp
  using Unary = llvm::function_ref<mlir::Value(mlir::Value)>;
  using Binary = llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)>;
  using Ternary = llvm::function_ref<mlir::Value(mlir::Value, mlir::Value, mlir::Value)>;
  ImportResult extMath(const Instruction &ins, spv::Std fn);
  mlir::Type bitsType(mlir::Type type);
  mlir::LogicalResult mathLeaf(const Instruction &ins, ocl::MathFn fn, ocl::MathPrecision precision);
  mlir::LogicalResult floatUnary(const Instruction &ins, Unary build);
  mlir::LogicalResult extFloatBinary(const Instruction &ins, Binary build);
  mlir::LogicalResult floatTernary(const Instruction &ins, Ternary build);
  mlir::LogicalResult mathWithPointer(const Instruction &ins, spv::Std fn);
  std::pair<mlir::Value, mlir::Value> fract(mlir::Value x);
  std::pair<mlir::Value, mlir::Value> frexp(mlir::Value x, mlir::Type exponentType);
  mlir::LogicalResult exponentOf(const Instruction &ins);
  mlir::Value logb(mlir::Value x);
  mlir::Value nextAfter(mlir::Value x, mlir::Value y);
  mlir::Value gammaSign(mlir::Value x, mlir::Type type);
  std::pair<mlir::Value, mlir::Value> remquo(mlir::Value x, mlir::Value y, mlir::Type quotientType);

  // ExtCommon.cpp
  ImportResult extCommon(const Instruction &ins, spv::Std fn);
  mlir::Value smaller(mlir::Value x, mlir::Value y);
  mlir::Value larger(mlir::Value x, mlir::Value y);
  mlir::LogicalResult select(const Instruction &ins, bool bitwise);
  mlir::LogicalResult geometric(const Instruction &ins, spv::Std fn);
  mlir::Value cross(mlir::Value a, mlir::Value b);
  mlir::Value largestMagnitude(mlir::Value v);
  mlir::Value rescale(mlir::Value v, mlir::Value largest, mlir::Value *back);
  mlir::Value widenHalf(mlir::Value v);
  mlir::Value length(mlir::Value v);
  mlir::Value normalize(mlir::Value v);

  // ExtInteger.cpp
  ImportResult extInteger(const Instruction &ins, spv::Std fn);
  mlir::Value integerFunction(spv::Std fn, bool isSigned, llvm::ArrayRef<mlir::Value> in);
  mlir::Value limitOf(mlir::Value x);
  mlir::Value addSaturated(mlir::Value x, mlir::Value y, bool isSigned);
  std::pair<mlir::Value, mlir::Value> multiply(mlir::Value x, mlir::Value y, bool isSigned);
  mlir::Value madSaturated(mlir::Value x, mlir::Value y, mlir::Value z, bool isSigned);
  mlir::LogicalResult upsample(const Instruction &ins, mlir::Value high, mlir::Value low, mlir::Type type);

  // ExtVector.cpp
  ImportResult extVector(const Instruction &ins, spv::Std fn);
  mlir::Value vectorAddress(const Instruction &ins, size_t offsetAt, mlir::Type element, uint64_t stride);
  mlir::LogicalResult vectorLoad(const Instruction &ins, spv::Std fn);
  mlir::LogicalResult vectorStore(const Instruction &ins, spv::Std fn);
  mlir::LogicalResult shuffleByMask(const Instruction &ins, bool two);

  // DebugValues.cpp
  void updateLocation();
  void importDebug(const Instruction &ins);
  void reemitDebugValues();
  void emitDebugAddress(mlir::Value address, mlir::LLVM::DILocalVariableAttr variable);

  // ExtPrintf.cpp
  ImportResult extPrintf(const Instruction &ins, spv::Std fn);

  DebugInfo debug_{module};
  const Instruction *line_ = nullptr; // an OpLine
  mlir::LLVM::DIScopeAttr scope_;     // null: the function
  struct Declared {
    mlir::Value place;
    mlir::LLVM::DILocalVariableAttr variable;
    mlir::Type type; // null: described by its address, not by its value
  };
  llvm::SmallVector<Declared> declared_;
  IdMap<mlir::Value> values_;
  IdMap<BuiltInPointer> builtInPointers_;
  IdMap<SampledImage> sampledImages_;
  llvm::DenseMap<int32_t, mlir::Value> sizes_;
  mlir::Block *constants_;
  mlir::Operation *lastConstant_ = nullptr;
  unsigned constantDepth_ = 0;
  bool contract_;

  friend class FunctionImporter;
};

} // namespace kiln::import
