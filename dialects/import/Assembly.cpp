#include "dialects/import/Assembly.h"
#include "dialects/ocl/LlvmAttributes.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/Error.h"

using namespace mlir;

namespace kiln::import {
namespace {

/// Checks that the constraints are those of a statement with these numbers of results and operands. Returns a message
/// if they are not, else an empty string.
std::string checkConstraints(llvm::StringRef constraints, size_t results, size_t operands) {
  if (constraints.contains('*') || constraints.contains('!'))
    return "has an operand in memory or a label";
  llvm::LLVMContext context;
  llvm::Type *number = llvm::Type::getInt32Ty(context), *result = number; // the types do not matter
  if (results == 0)
    result = llvm::Type::getVoidTy(context);
  else if (results > 1)
    result = llvm::StructType::get(context, SmallVector<llvm::Type *>(results, number));
  auto *type = llvm::FunctionType::get(result, SmallVector<llvm::Type *>(operands, number), false);
  const std::string message = llvm::toString(llvm::InlineAsm::verify(type, constraints));
  return message.empty() ? message : "has wrong constraints: " + message;
}

/// Returns a message if the text refers to operands in a way that LLVM's assembly printer takes for a mistake of the
/// compiler, or if it could leave the function: $0, ${0:letter}, ${:uid} and $$ are allowed, and braces are in pairs.
std::string checkText(llvm::StringRef text, size_t operands) {
  int64_t open = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (!llvm::isPrint(c) && !llvm::isSpace(c))
      return "has a character that is not printable ASCII";
    open += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (open < 0)
      return "closes a brace that it does not open";
    if (c != '$')
      continue;
    llvm::StringRef rest = text.drop_front(at + 1);
    if (rest.consume_front("$")) {
      ++at;
      continue;
    }
    const bool braces = rest.consume_front("{");
    uint64_t number = 0;
    const bool hasNumber = !rest.consumeInteger(10, number);
    if (hasNumber ? number >= operands : !braces || !rest.starts_with(":uid}"))
      return "refers to an operand that it does not have";
    if (braces && rest.consume_front(":"))
      rest = rest.drop_while(llvm::isAlpha);
    if (braces && !rest.consume_front("}"))
      return "has an operand without a closing brace";
    at = text.size() - rest.size() - 1;
  }
  return open ? "opens a brace that it does not close" : "";
}

} // namespace

LogicalResult assemblyCall(Body &body, const Instruction &ins, const abi::Assembly &assembly, FunctionType type,
                           ArrayRef<Value> operands) {
  Type result = type.getNumResults() ? type.getResult(0) : Type();
  if (!llvm::all_of(type.getInputs(), LLVM::isCompatibleType) || (result && !LLVM::isCompatibleType(result)))
    return body.error(ins) << "is an asm statement with an operand that is no number, vector or pointer";
  auto record = llvm::dyn_cast_or_null<LLVM::LLVMStructType>(result);
  const size_t results = record ? record.getBody().size() : result ? 1 : 0;
  std::string message = checkConstraints(assembly.constraints, results, operands.size());
  if (message.empty())
    message = checkText(assembly.text, results + operands.size());
  if (!message.empty())
    return body.error(ins) << "is an asm statement that " << message;
  auto call = LLVM::InlineAsmOp::create(body.builder, body.loc, result ? TypeRange(result) : TypeRange(), operands,
                                        assembly.text, assembly.constraints, assembly.hasSideEffects,
                                        /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                        /*asm_dialect=*/nullptr, /*operand_attrs=*/nullptr);
  // A statement that is not volatile may be moved, as in CUDA: it is a function of its operands.
  if (assembly.hasSideEffects)
    call->setAttr(ocl::ConvergentAttr, body.builder.getUnitAttr());
  return result ? body.define(ins, call.getRes()) : success();
}

} // namespace kiln::import
