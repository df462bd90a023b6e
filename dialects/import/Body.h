// The context in which instructions are lifted: the insertion point, the values of ids, and what all categories of
// instructions share. A body is a function, a global's initialiser, or a scratch block in which specialisation
// constants are evaluated. `Instructions` has the handlers.
#pragma once
#include "dialects/import/DebugValues.h"
#include "dialects/import/ModuleImporter.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace kiln::import {

using Values = llvm::SmallVector<mlir::Value, 4>;

/// A pointer to a built-in variable or to one of its components.
struct BuiltInPointer {
  spv::BuiltIn builtin{};
  mlir::Value dim;      // null: the whole variable
  uint32_t pointee = 0; // type id
};

struct Image {
  mlir::Value pointer;
  uint32_t shape = 0; // abi::ShapeDims and ShapeLayers
};

struct SampledImage {
  Image image;
  mlir::Value sampler;
};

class Body {
public:
  /// Constants are inserted at the start of `constants`, a block that dominates all uses.
  Body(ModuleImporter &module, mlir::Block *constants, bool contract);
  Body(const Body &) = delete;
  Body &operator=(const Body &) = delete;

  // Values of ids.
  /// Returns the value of an id: local, constant or the address of a global. Null, with a diagnostic, if it has none.
  mlir::Value value(uint32_t id, const Instruction &user);
  /// Returns the value of an id that has been set or used before, else null.
  mlir::Value known(uint32_t id) const { return values_.lookup(id); }
  void set(uint32_t id, mlir::Value value) { values_[id] = value; }
  /// Sets `values` to the operands from args[first] on. Returns false, with a diagnostic, if one has no value.
  bool operands(const Instruction &ins, Values &values, size_t count, size_t first = 0);
  /// Sets the result of an instruction. Fails, with a diagnostic, if the value does not have the declared type.
  mlir::LogicalResult define(const Instruction &ins, mlir::Value value);
  mlir::Type resultType(const Instruction &ins) { return module.type(ins.type, ins); }
  mlir::arith::FastMathFlags fastMath(const Instruction &ins);

  mlir::InFlightDiagnostic error(const Instruction &ins) { return module.error(ins); }
  mlir::LogicalResult mismatch(const Instruction &ins);

  // Operations at the insertion point.
  /// Builds an operation, or returns the value that it folds to.
  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return builder.createOrFold<Op>(loc, std::forward<Args>(args)...);
  }
  mlir::Value constantInt(mlir::Type type, const llvm::APInt &value); // type: scalar or vector
  mlir::Value constantInt(mlir::Type type, uint64_t value);
  mlir::Value constantFloat(mlir::Type type, double value);
  mlir::Value zero(mlir::Type type);
  mlir::Value splat(mlir::Value scalar, mlir::Type type);
  mlir::Value toIndex(mlir::Value integer);
  /// Returns an i32 constant for the size of an alloca, one per body and value.
  mlir::Value value32(int32_t number);

  mlir::Block *constants() const { return constants_; }

  mlir::OpBuilder builder;
  mlir::Location loc;
  ModuleImporter &module;
  DebugValues debug{*this};

  // Results without an SSA value.
  IdMap<BuiltInPointer> builtInPointers;
  IdMap<SampledImage> sampledImages;

private:
  mlir::Value materialise(uint32_t id, const Instruction &definition, const Instruction &user);

  IdMap<mlir::Value> values_;
  llvm::DenseMap<int32_t, mlir::Value> sizes_;
  mlir::Block *constants_;
  mlir::Operation *lastConstant_ = nullptr;
  unsigned constantDepth_ = 0;
  bool contract_;
};

} // namespace kiln::import
