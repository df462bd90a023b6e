// Imports a module's types, constants, decorations, global variables, functions and entry points. Instructions.h
// imports the instructions inside functions.
#pragma once
#include "dialects/import/Import.h"
#include "dialects/import/Reader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace kiln::import {

/// The MLIR type of a type id and its layout in memory.
struct TypeInfo {
  mlir::Type type;    // null: not supported; using it is an error, declaring it is not
  uint64_t size = 0;  // array stride in bytes; 0: has no representation in memory
  uint64_t align = 1; // bytes
  unsigned depth = 0; // nesting of composites
  bool hasMatrix = false;
};

struct Function {
  const Instruction *head = nullptr;
  const Instruction *type = nullptr; // its OpTypeFunction
  std::vector<const Instruction *> params;
  size_t begin = 0, end = 0; // instructions of the body: code[begin, end)
  mlir::func::FuncOp op;
  bool contract = false; // allows FMA contraction
};

struct EntryPoint {
  const Instruction *head = nullptr;
  uint32_t function = 0;
  std::string name;
  std::vector<const Instruction *> modes;
};

class ModuleImporter {
public:
  ModuleImporter(mlir::MLIRContext &context, const Binary &binary, const Options &options);
  mlir::OwningOpRef<mlir::ModuleOp> run();

  // Properties of ids.
  const Instruction *definition(uint32_t id) const;
  /// Returns the instruction that defines a value's type; null if the id is not a value.
  const Instruction *typeOf(uint32_t valueId) const;
  /// Returns the type id that a pointer value points to; 0 if it is not a pointer.
  uint32_t pointeeOf(uint32_t valueId) const;
  const Instruction *decoration(uint32_t id, spv::Decoration kind) const;
  llvm::SmallVector<const Instruction *> decorations(uint32_t id, spv::Decoration kind) const;
  /// The literal of a decoration: the alignment, the rounding mode, ...
  std::optional<uint32_t> decorationValue(uint32_t id, spv::Decoration kind) const;
  /// Returns the Alignment decoration of a pointer; 1 if it has none or one that is not a valid alignment.
  uint64_t declaredAlignment(uint32_t id) const;
  llvm::StringRef name(uint32_t id) const;
  std::optional<std::string> string(uint32_t id) const;

  // Types and constants. Functions with the parameter `user` emit a diagnostic for it if they fail.
  mlir::Type type(uint32_t id, const Instruction &user);
  const TypeInfo *typeInfo(uint32_t id) const;
  /// As typeInfo, for a type that must have a representation in memory.
  const TypeInfo *memoryType(uint32_t id, const Instruction &user);
  static bool isConstant(spv::Op op);
  /// A constant's value as an attribute: arith's for scalars and vectors, llvm.mlir.global's for composites and null
  /// pointers. Null, without a diagnostic, for addresses and composites that contain one.
  mlir::Attribute constant(uint32_t id) const { return constants_.lookup(id); }
  /// The value of an integer constant, zero-extended.
  std::optional<uint64_t> integer(uint32_t id) const;
  /// The zero of any type that has a TypeInfo::type; null for pointers and composites (use llvm.mlir.zero).
  mlir::TypedAttr zero(mlir::Type type);

  mlir::LLVM::GlobalOp global(uint32_t id) const { return globals_.lookup(id); }
  Function *function(uint32_t id);
  mlir::func::FuncOp blockKernel(const Instruction &user, uint32_t invoke, uint64_t size, uint64_t align);
  bool isStandardSet(uint32_t id) const { return standardSets_.contains(id); }
  bool keepsFunctions() const { return options_.functions; }
  bool keepsVariables() const { return options_.variables; }
  bool isDebugSet(uint32_t id) const { return debugSets_.contains(id); }

  /// Starts a diagnostic about an instruction: "SPIR-V: OpLoad at word 12 ".
  mlir::InFlightDiagnostic error(const Instruction &ins) const;
  mlir::InFlightDiagnostic unsupported(const Instruction &ins) const;

  mlir::Location location(const Instruction &line) const;
  mlir::MLIRContext &context() const { return context_; }
  const Binary &binary() const { return binary_; }
  mlir::ModuleOp module() const { return *module_; }

private:
  // ModuleImporter.cpp: the walk over the module.
  mlir::LogicalResult collect();
  mlir::LogicalResult memoryModel(const Instruction &ins);
  void annotate(const Instruction &ins);
  mlir::LogicalResult moduleLevel(const Instruction &ins);
  mlir::LogicalResult collectFunctions(size_t first);
  mlir::LogicalResult importBodies();
  /// Erases the declarations of LLVM intrinsics and asm statements, whose calls have been replaced.
  void eraseReplacedFunctions();

  // Types.cpp
  mlir::LogicalResult declareType(const Instruction &ins);
  TypeInfo arrayType(const Instruction &ins);
  TypeInfo structType(const Instruction &ins);
  mlir::LogicalResult matrixType(const Instruction &ins, TypeInfo &info); // Matrices.cpp
  void setLayout();

  // Constants.cpp
  mlir::LogicalResult declareConstant(const Instruction &ins);
  mlir::Attribute numberConstant(const Instruction &ins, mlir::Type type);
  mlir::Attribute compositeConstant(const Instruction &ins, mlir::Type type);
  mlir::Attribute evaluate(const Instruction &ins);
  llvm::ArrayRef<uint8_t> specialisation(uint32_t id) const;

  // Globals.cpp
  mlir::LogicalResult declareVariable(const Instruction &ins);
  mlir::LogicalResult initialiseVariables();
  mlir::LogicalResult initialise(mlir::LLVM::GlobalOp global, const Instruction &ins);
  void setLinkage(mlir::Operation *op, uint32_t id);

  // Functions.cpp
  mlir::LogicalResult declareFunctions();
  mlir::LogicalResult declareFunction(uint32_t id, Function &function, llvm::StringRef symbol);
  mlir::LogicalResult rejectRecursion();
  void decideContraction();
  std::vector<uint32_t> callees(const Function &function) const;

  // Enqueue.cpp
  void dropBlockEntries();

  // Pipes.cpp
  mlir::LogicalResult declarePipeStorage(const Instruction &ins);

  // Images.cpp
  mlir::LogicalResult checkImageType(const Instruction &ins);
  mlir::Type imageArgument();
  static int32_t imageObject(const Instruction &type);

  // Kernels.cpp
  mlir::LogicalResult finishKernels();
  mlir::LogicalResult describeKernel(const EntryPoint &entry, mlir::func::FuncOp op);
  mlir::LogicalResult executionModes(const EntryPoint &entry, mlir::func::FuncOp op);
  mlir::LogicalResult checkInitFini(const EntryPoint &entry, mlir::func::FuncOp op) const;
  void describeArguments(const EntryPoint &entry, const Function &function, mlir::func::FuncOp op);
  const Function *named(const EntryPoint &entry, const Function &function);
  /// Finds the OpString "<prefix>.<kernel>.<text>" and returns its text.
  std::optional<llvm::StringRef> stringAbout(llvm::StringRef prefix, llvm::StringRef kernel) const;
  std::vector<std::string> argumentStrings(llvm::StringRef prefix, llvm::StringRef kernel, size_t count) const;

  std::string uniqueSymbol(llvm::StringRef wanted);

  mlir::MLIRContext &context_;
  const Binary &binary_;
  const Options &options_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;

  IdMap<std::string> names_, strings_;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, llvm::SmallVector<const Instruction *, 1>> decorations_;
  IdMap<llvm::SmallVector<uint32_t, 1>> groupsOf_; // decoration groups of an id
  IdSet standardSets_, debugSets_;
  std::vector<std::string> unsupported_; // declared capabilities and extensions that Kiln does not support
  IdMap<TypeInfo> types_;
  IdMap<mlir::Attribute> constants_;
  IdMap<mlir::LLVM::GlobalOp> globals_;
  llvm::SmallVector<std::pair<mlir::LLVM::GlobalOp, const Instruction *>> initialised_; // have an Initializer operand
  llvm::StringMap<unsigned> symbols_; // names in use -> the next suffix to try
  std::vector<EntryPoint> entryPoints_;
  std::vector<uint32_t> functionIds_; // in the module's order
  IdMap<Function> functions_;
  std::map<std::tuple<uint32_t, uint64_t, uint64_t>, mlir::func::FuncOp> blocks_; // by function, size, alignment
};

} // namespace kiln::import
