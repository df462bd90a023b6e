#include "backends/kilnc/compiler/TransformSchedule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr llvm::StringRef EntryName = transform::TransformDialect::kTransformEntryPointSymbolName;

/// Loads the dialect with the operations of all dialects' extensions. Costs time, so builds without a transform-dialect
/// schedule do without.
void loadTransformDialect(MLIRContext &context) {
  DialectRegistry registry;
  registry.insert<transform::TransformDialect>();
  registerAllExtensions(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<transform::TransformDialect>();
}

} // namespace

LogicalResult applyTransformSchedule(ModuleOp program, llvm::StringRef schedule, llvm::StringRef file) {
  MLIRContext &context = *program.getContext();
  loadTransformDialect(context);
  auto module = parseSourceString<ModuleOp>(schedule, ParserConfig(&context), file);
  if (!module)
    return failure();
  auto entry = module->lookupSymbol<transform::NamedSequenceOp>(EntryName);
  if (!entry || entry.isDeclaration())
    return emitError(FileLineColLoc::get(&context, file, 1, 1))
           << "the file has no transform.named_sequence @" << EntryName << " with a body";
  if (entry.getNumArguments() != 1)
    return entry.emitError() << "@" << EntryName << " has " << entry.getNumArguments()
                             << " arguments, must have one: the program";
  if (failed(transform::applyTransformNamedSequence(program, entry, *module, transform::TransformOptions())))
    return failure();
  Operation *end = entry.getBody().front().getTerminator();
  if (failed(verify(program)))
    return emitError(end->getLoc(), "the program is not valid here");
  for (auto function : program.getOps<func::FuncOp>())
    return emitError(end->getLoc()) << "function '" << function.getName()
                                    << "' is not in the LLVM dialect where the schedule ends";
  return success();
}

} // namespace kiln
