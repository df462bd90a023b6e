// What belongs to a whole module: types, constants, decorations, global variables, functions and entry points.
// Instructions inside functions are BodyImporter's.
#pragma once
#include "dialects/import/Import.h"
#include "dialects/import/Reader.h"
#include <map>
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

namespace kiln::import {

/// What a type id stands for, in SSA values and in memory.
struct TypeInfo {
  mlir::Type type;    // null: not supported; using it is the error, declaring it is none
  uint64_t size = 0;  // bytes from one array element to the next; 0: cannot lie in memory
  uint64_t align = 1; // bytes
  unsigned depth = 0; // nesting of composites
};

struct Function {
  const Instruction *head = nullptr;
  const Instruction *type = nullptr; // its OpTypeFunction
  std::vector<const Instruction *> params;
  size_t begin = 0, end = 0; // instructions of the body: code[begin, end)
  mlir::func::FuncOp op;
  bool contract = false; // may a multiplication and an addition become one operation
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

  // Facts about ids.
  const Instruction *definition(uint32_t id) const;
  /// The instruction that defines a value's type; null for ids that are no values.
  const Instruction *typeOf(uint32_t valueId) const;
  /// The type id that a pointer value points to; 0 if it is no pointer.
  uint32_t pointeeOf(uint32_t valueId) const;
  const Instruction *decoration(uint32_t id, spv::Decoration kind) const;
  llvm::SmallVector<const Instruction *> decorations(uint32_t id, spv::Decoration kind) const;
  /// The literal behind a decoration: the alignment, the rounding mode, ...
  std::optional<uint32_t> decorationValue(uint32_t id, spv::Decoration kind) const;
  /// What the module says of a pointer, 1 where it says nothing that a variable could have.
  uint64_t statedAlignment(uint32_t id) const;
  llvm::StringRef name(uint32_t id) const;
  std::optional<std::string> string(uint32_t id) const;

  // Types and constants. The ones that can fail emit a diagnostic for `user`.
  mlir::Type type(uint32_t id, const Instruction &user);
  const TypeInfo *typeInfo(uint32_t id) const;
  /// As typeInfo, for a type that something of which lies in memory.
  const TypeInfo *memoryType(uint32_t id, const Instruction &user);
  static bool isConstant(spv::Op op);
  /// A constant's value as an attribute: scalars and vectors in arith's form, composites and null pointers as
  /// llvm.mlir.global takes them. Null, without a diagnostic, for addresses and what holds them.
  mlir::Attribute constant(uint32_t id) const { return constants_.lookup(id); }
  /// The value of an integer constant, zero-extended.
  std::optional<uint64_t> integer(uint32_t id) const;
  /// The zero of any type that has a TypeInfo::type; null for pointers and composites (llvm.mlir.zero makes these).
  mlir::TypedAttr zero(mlir::Type type);

  mlir::LLVM::GlobalOp global(uint32_t id) const { return globals_.lookup(id); }
  Function *function(uint32_t id);
  mlir::func::FuncOp blockKernel(const Instruction &user, uint32_t invoke, uint64_t size, uint64_t align);
  bool isStandardSet(uint32_t id) const { return standardSets_.contains(id); }
  bool keepsVariables() const { return options_.variables; }
  bool isDebugSet(uint32_t id) const { return debugSets_.contains(id); }

  /// "OpLoad at word 12 ": the start of every complaint about an instruction.
  mlir::InFlightDiagnostic error(const Instruction &ins) const;
  mlir::InFlightDiagnostic unsupported(const Instruction &ins) const;

  mlir::Location location(const Instruction &line) const;
  mlir::MLIRContext &context() const { return context_; }
  const Binary &binary() const { return binary_; }
  mlir::ModuleOp module() const { return *module_; }

private:
  // ModuleImporter.cpp: the walk over the module.
  mlir::LogicalResult gather();
  mlir::LogicalResult memoryModel(const Instruction &ins);
  void annotate(const Instruction &ins);
  mlir::LogicalResult moduleLevel(const Instruction &ins);
  mlir::LogicalResult gatherFunctions(size_t first);
  mlir::LogicalResult importBodies();
  /// Of which no call is left.
  void eraseLlvmFunctions();

  // Types.cpp
  mlir::LogicalResult declareType(const Instruction &ins);
  TypeInfo arrayType(const Instruction &ins);
  TypeInfo structType(const Instruction &ins);
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
  mlir::LogicalResult refuseRecursion();
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
  mlir::LogicalResult checkOwnRun(const EntryPoint &entry, mlir::func::FuncOp op) const;
  void describeArguments(const EntryPoint &entry, const Function &function, mlir::func::FuncOp op);
  const Function *named(const EntryPoint &entry, const Function &function);
  /// "<prefix>.<kernel>.<what is given back>"
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
  std::vector<std::string> foreign_; // capabilities and extensions that it declares and Kiln does not have
  IdMap<TypeInfo> types_;
  IdMap<mlir::Attribute> constants_;
  IdMap<mlir::LLVM::GlobalOp> globals_;
  llvm::SmallVector<std::pair<mlir::LLVM::GlobalOp, const Instruction *>> initialised_; // by an operand
  llvm::StringMap<unsigned> symbols_; // taken names -> the next suffix to try
  std::vector<EntryPoint> entryPoints_;
  std::vector<uint32_t> functionIds_; // in the module's order
  IdMap<Function> functions_;
  std::map<std::tuple<uint32_t, uint64_t, uint64_t>, mlir::func::FuncOp> blocks_; // by function, size, alignment
};

} // namespace kiln::import
