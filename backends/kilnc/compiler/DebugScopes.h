// The functions and lines of the source, in the form from which LLVM builds debug information. A function of the module
// and each function of the source that was inlined into one gets a DISubprogram, and each operation its line in one of
// them, with the calls that it was inlined through. So a debugger and a profiler tell an inlined function from its
// caller.
//
//   loc(callsite("k.cl":2 <half> at "k.cl":9 <k>))  ==>  !DILocation(line: 2, scope: half, inlinedAt: line 9 of k)
//
// The importer names the function of each line (import::Options::functions). Where it did not, an operation has its
// innermost line as one of the module's function. Operations that were inlined from a function without lines, such as
// one of the device library, have the line of the call.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace kiln {

class DebugScopes {
public:
  /// Gives every function with a body its DISubprogram, and its operations their lines. Debug records keep the
  /// importer's variables.
  DebugScopes(mlir::ModuleOp module, mlir::LLVM::DIEmissionKind kind, bool isOptimised);

  /// A variable of the importer's, in the scopes of the function that contains it now, and the location of its
  /// declaration.
  struct Variable {
    mlir::LLVM::DILocalVariableAttr description;
    mlir::Location declaration;
  };
  /// `at`: the location of one of its debug records, as this class has made it.
  Variable variable(mlir::LLVM::LLVMFuncOp function, mlir::LLVM::DILocalVariableAttr variable, mlir::Location at);

private:
  struct Frame {
    mlir::FileLineColLoc line;
    mlir::LLVM::DIScopeAttr scope; // the importer's: a function, or a block in one; null: unknown
  };
  static void collect(mlir::Location location, llvm::SmallVectorImpl<Frame> &innermostFirst);
  static mlir::LLVM::DISubprogramAttr functionOf(mlir::LLVM::DIScopeAttr scope);
  mlir::LLVM::DIFileAttr file(llvm::StringRef path);
  mlir::LLVM::DISubprogramAttr define(llvm::StringRef name, mlir::FileLineColLoc line);
  mlir::LLVM::DISubprogramAttr inlined(mlir::LLVM::DISubprogramAttr imported);
  /// Returns the importer's scope with `function` in place of its outermost scope.
  mlir::LLVM::DIScopeAttr within(mlir::LLVM::DIScopeAttr scope, mlir::LLVM::DISubprogramAttr function);
  mlir::Location placed(mlir::Location location, mlir::LLVM::DISubprogramAttr function);
  void describe(mlir::LLVM::LLVMFuncOp function);

  mlir::MLIRContext *context_;
  mlir::LLVM::DICompileUnitAttr unit_;
  mlir::LLVM::DISubprogramFlags flags_;
  llvm::DenseMap<mlir::LLVM::DISubprogramAttr, mlir::LLVM::DISubprogramAttr> inlined_;
  llvm::DenseMap<mlir::Location, mlir::Location> placed_; // of the function that is described
};

} // namespace kiln
