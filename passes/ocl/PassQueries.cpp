// Passes the ids, sizes and addresses that called functions query as arguments.
//
//   func.func private @f(%x: i32) {            func.func private @f(%x: i32, %i: i64) {
//     %i = ocl.query global_id[%c0]
//     ...                               ==>      ...
//   }                                          }
//   func.call @f(%y)                           %i = ocl.query global_id[%c0]
//                                              func.call @f(%y, %i)
//
// Only a kernel's code can compute queries: they depend on the launch and on the work-item's position in it. Legal
// because each of these operations has the same value everywhere in a work-item, so the caller can execute it.
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "passes/Pass.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace kiln {
#include "passes/PassQueries.pass.inc"
namespace {

/// The key of a query: two queries with the same kind, dimension and result type are equal.
struct Query {
  OperationName name;
  DictionaryAttr properties;
  Attribute dimension;
  Type type;
  bool operator==(const Query &) const = default;
};

struct PassQueries : impl::PassQueriesBase<PassQueries> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    DenseMap<Operation *, SmallVector<func::CallOp>> calls;
    getOperation().walk([&](func::CallOp call) { calls[symbols.lookup(call.getCallee())].push_back(call); });
    // Passing a callee's queries adds queries to its callers, so callees come first.
    DenseSet<Operation *> done;
    SmallVector<Operation *> stack;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(ocl::CalledAttr))
        stack.push_back(function);
    while (!stack.empty()) {
      auto function = cast<func::FuncOp>(stack.back());
      const size_t size = stack.size();
      if (!done.contains(function))
        function.walk([&](func::CallOp call) {
          if (Operation *callee = symbols.lookup(call.getCallee());
              callee->hasAttr(ocl::CalledAttr) && !done.contains(callee))
            stack.push_back(callee);
        });
      if (stack.size() != size)
        continue;
      stack.pop_back();
      if (done.insert(function).second)
        pass(function, calls[function]);
    }
  }

private:
  static void pass(func::FuncOp function, ArrayRef<func::CallOp> calls) {
    SmallVector<std::pair<Query, BlockArgument>> arguments;
    SmallVector<Operation *> queries, first;
    function.walk([&](Operation *op) {
      if (isa<ocl::QueryOp, ocl::LinearQueryOp, ocl::ProgramVariablesOp, ocl::PrintfBufferOp, ocl::AccessNoteOp>(op))
        queries.push_back(op);
    });
    for (Operation *op : queries) {
      Query query = describe(op);
      auto known = llvm::find_if(arguments, [&](const auto &argument) { return argument.first == query; });
      if (known == arguments.end()) {
        unsigned index = function.getNumArguments();
        (void)function.insertArgument(index, query.type, {}, op->getLoc());
        arguments.push_back({query, function.getArgument(index)});
        first.push_back(op);
        known = std::prev(arguments.end());
      }
      op->getResult(0).replaceAllUsesWith(known->second);
    }
    for (func::CallOp call : calls) {
      OpBuilder b(call);
      for (Operation *op : first) {
        IRMapping mapping;
        for (Value operand : op->getOperands())
          mapping.map(operand, b.clone(*operand.getDefiningOp())->getResult(0));
        call.getOperandsMutable().append(b.clone(*op, mapping)->getResults());
      }
    }
    for (Operation *op : queries)
      op->erase();
  }

  static Query describe(Operation *op) {
    Attribute dimension;
    if (op->getNumOperands())
      (void)matchPattern(op->getOperand(0), m_Constant(&dimension));
    return {op->getName(), op->getAttrDictionary(), dimension, op->getResult(0).getType()};
  }
};
} // namespace
} // namespace kiln
