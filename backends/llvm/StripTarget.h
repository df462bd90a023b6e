// For build-time programs whose bitcode the compiler embeds.
#pragma once
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Module.h"

namespace kiln {

/// Removes attributes and metadata that describe the target and options of a library's compilation; setProcessor sets
/// them for each kernel.
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
