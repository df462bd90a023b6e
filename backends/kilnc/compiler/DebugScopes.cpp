#include "backends/kilnc/compiler/DebugScopes.h"
#include "dialects/ocl/Ocl.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace kiln {

DebugScopes::DebugScopes(ModuleOp module, LLVM::DIEmissionKind kind, bool isOptimised)
    : context_(module.getContext()),
      flags_(LLVM::DISubprogramFlags::Definition |
             (isOptimised ? LLVM::DISubprogramFlags::Optimized : LLVM::DISubprogramFlags::Definition)) {
  FileLineColLoc first;
  module.walk([&](Operation *op) {
    first = op->getLoc()->findInstanceOf<FileLineColLoc>();
    return first ? WalkResult::interrupt() : WalkResult::advance();
  });
  unit_ =
      LLVM::DICompileUnitAttr::get(DistinctAttr::create(UnitAttr::get(context_)), llvm::dwarf::DW_LANG_OpenCL,
                                   LLVM::DIFileAttr::get(context_, first ? first.getFilename().getValue() : "-", ""),
                                   StringAttr::get(context_, "Kiln"), isOptimised, kind);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal())
      describe(function);
}

/// The lines of a location, each with its function if the importer named it.
void DebugScopes::collect(Location location, SmallVectorImpl<Frame> &innermostFirst) {
  if (auto line = dyn_cast<FileLineColLoc>(location)) {
    innermostFirst.push_back({line, nullptr});
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collect(call.getCallee(), innermostFirst);
    collect(call.getCaller(), innermostFirst);
  } else if (auto name = dyn_cast<NameLoc>(location)) {
    collect(name.getChildLoc(), innermostFirst);
  } else if (auto fused = dyn_cast<FusedLoc>(location); fused && !fused.getLocations().empty()) {
    const size_t before = innermostFirst.size();
    collect(fused.getLocations().front(), innermostFirst);
    if (auto scope = dyn_cast_if_present<LLVM::DIScopeAttr>(fused.getMetadata());
        scope && functionOf(scope) && innermostFirst.size() == before + 1)
      innermostFirst.back().scope = scope;
  }
}

LLVM::DISubprogramAttr DebugScopes::functionOf(LLVM::DIScopeAttr scope) {
  while (auto block = dyn_cast_if_present<LLVM::DILexicalBlockAttr>(scope))
    scope = block.getScope();
  return dyn_cast_if_present<LLVM::DISubprogramAttr>(scope);
}

LLVM::DIFileAttr DebugScopes::file(StringRef path) {
  return LLVM::DIFileAttr::get(context_, llvm::sys::path::filename(path), llvm::sys::path::parent_path(path));
}

// Without a linkage name, which gdb would show in place of the name.
LLVM::DISubprogramAttr DebugScopes::define(StringRef name, FileLineColLoc line) {
  LLVM::DIFileAttr source = line ? file(line.getFilename().getValue()) : unit_.getFile();
  const unsigned number = line ? line.getLine() : 0;
  auto type = LLVM::DISubroutineTypeAttr::get(context_, llvm::dwarf::DW_CC_normal, {});
  return LLVM::DISubprogramAttr::get(context_, DistinctAttr::create(UnitAttr::get(context_)), unit_, source,
                                     StringAttr::get(context_, name), /*linkageName=*/{}, source, number, number,
                                     flags_, type, {}, {});
}

LLVM::DISubprogramAttr DebugScopes::inlined(LLVM::DISubprogramAttr imported) {
  LLVM::DISubprogramAttr &made = inlined_[imported];
  if (!made)
    made =
        define(imported.getName().getValue(), FileLineColLoc::get(imported.getFile().getName(), imported.getLine(), 0));
  return made;
}

LLVM::DIScopeAttr DebugScopes::within(LLVM::DIScopeAttr scope, LLVM::DISubprogramAttr function) {
  auto block = dyn_cast_if_present<LLVM::DILexicalBlockAttr>(scope);
  if (!block)
    return function;
  return LLVM::DILexicalBlockAttr::get(within(block.getScope(), function), file(block.getFile().getName().getValue()),
                                       block.getLine(), block.getColumn());
}

Location DebugScopes::placed(Location location, LLVM::DISubprogramAttr function) {
  if (auto found = placed_.find(location); found != placed_.end())
    return found->second;
  SmallVector<Frame> frames;
  collect(location, frames);
  Location result = UnknownLoc::get(context_);
  if (!frames.empty()) {
    const auto callees = ArrayRef(frames).drop_back();
    if (llvm::any_of(callees, [](const Frame &frame) { return !frame.scope; })) {
      result = FusedLoc::get({frames.front().line}, function, context_);
    } else {
      result = FusedLoc::get({frames.back().line}, within(frames.back().scope, function), context_);
      for (const Frame &frame : llvm::reverse(callees))
        result = CallSiteLoc::get(
            FusedLoc::get({frame.line}, within(frame.scope, inlined(functionOf(frame.scope))), context_), result);
    }
  }
  placed_.try_emplace(location, result);
  return result;
}

void DebugScopes::describe(LLVM::LLVMFuncOp function) {
  placed_.clear();
  SmallVector<Frame> frames;
  function.walk([&](Operation *op) {
    if (op != function)
      collect(op->getLoc(), frames);
    return frames.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  const Frame outermost = frames.empty() ? Frame{} : frames.back();
  const LLVM::DISubprogramAttr imported = functionOf(outermost.scope);
  auto kernel = function->getAttrOfType<StringAttr>(ocl::KernelAttr);
  const FileLineColLoc line =
      imported ? FileLineColLoc::get(imported.getFile().getName(), imported.getLine(), 0) : outermost.line;
  const LLVM::DISubprogramAttr own = define(kernel     ? kernel.getValue()
                                            : imported ? imported.getName().getValue()
                                                       : function.getSymName(),
                                            line);
  // LLVM requires a location of a call of a function that it may inline (Verifier::verifyInlinedCall).
  const Location noLine = FusedLoc::get({FileLineColLoc::get(own.getFile().getName(), 0, 0)}, own, context_);
  function.walk([&](Operation *op) {
    if (op == function)
      return;
    op->setLoc(placed(op->getLoc(), own));
    if (isa<UnknownLoc>(op->getLoc()) && isa<LLVM::CallOp>(op))
      op->setLoc(noLine);
  });
  for (Block &block : function.getBody())
    for (BlockArgument argument : block.getArguments())
      argument.setLoc(placed(argument.getLoc(), own));
  function->setLoc(FusedLoc::get({line ? Location(line) : UnknownLoc::get(context_)}, own, context_));
}

DebugScopes::Variable DebugScopes::variable(LLVM::LLVMFuncOp function, LLVM::DILocalVariableAttr variable,
                                            Location at) {
  auto own = cast<LLVM::DISubprogramAttr>(cast<FusedLoc>(function.getLoc()).getMetadata());
  auto call = dyn_cast<CallSiteLoc>(at);
  const LLVM::DISubprogramAttr imported = functionOf(variable.getScope());
  LLVM::DIScopeAttr scope = within(variable.getScope(), call && imported ? inlined(imported) : own);
  LLVM::DIFileAttr source = file(variable.getFile().getName().getValue());
  auto description = LLVM::DILocalVariableAttr::get(context_, scope, variable.getName(), source, variable.getLine(), 0,
                                                    0, variable.getType(), variable.getFlags());
  Location declaration =
      FusedLoc::get({FileLineColLoc::get(variable.getFile().getName(), variable.getLine(), 0)}, scope, context_);
  if (call && imported)
    declaration = CallSiteLoc::get(declaration, call.getCaller());
  return {description, declaration};
}

} // namespace kiln
