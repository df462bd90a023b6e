// For programs of the build that carry bitcode into the compiler.
#pragma once
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Module.h"

namespace kiln {

/// Removes what says for which processor, and how, a library was compiled: each build of a kernel says so anew.
inline void stripTarget(llvm::Module &module) {
  for (llvm::Function &function : module) {
    llvm::AttributeMask mask;
    for (llvm::Attribute attribute : function.getAttributes().getFnAttrs())
      if (attribute.isStringAttribute())
        mask.addAttribute(attribute.getKindAsString());
    function.removeFnAttrs(mask);
    function.setVisibility(llvm::GlobalValue::DefaultVisibility);
    function.setDSOLocal(false);
  }
  for (llvm::NamedMDNode &node : llvm::make_early_inc_range(module.named_metadata()))
    module.eraseNamedMetadata(&node);
}

} // namespace kiln
