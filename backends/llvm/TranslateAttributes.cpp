// Translates attributes of the `ocl` dialect on operations of the LLVM dialect, whose operations have no attribute for
// the property in MLIR 21:
//
//   "llvm.intr.memcpy"(%to, %from, %n) {ocl.copy_align = array<i64: 8, 4>}
//     -> call void @llvm.memcpy(ptr align 8 %to, ptr align 4 %from, i64 %n)
//   llvm.fence release {ocl.synchronize_as = "local"}
//     -> fence release, !mmra !{!"amdgpu-synchronize-as", !"local"}
//   llvm.inline_asm {ocl.convergent} "bar.sync 0;", ""
//     -> call void asm "bar.sync 0;", ""() convergent
#include "backends/llvm/TranslateAttributes.h"
#include "dialects/ocl/LlvmAttributes.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MemoryModelRelaxationAnnotations.h"

using namespace mlir;

namespace kiln {
namespace {

class AttributeTranslation : public LLVMTranslationDialectInterface {
public:
  using LLVMTranslationDialectInterface::LLVMTranslationDialectInterface;

  LogicalResult amendOperation(Operation *, ArrayRef<llvm::Instruction *> instructions, NamedAttribute attribute,
                               LLVM::ModuleTranslation &) const override {
    for (llvm::Instruction *instruction : instructions)
      if (attribute.getName() == ocl::CopyAlignAttr) {
        if (auto *copy = dyn_cast<llvm::MemCpyInst>(instruction)) {
          auto bytes = cast<DenseI64ArrayAttr>(attribute.getValue());
          copy->setDestAlignment(llvm::Align(bytes[0]));
          copy->setSourceAlignment(llvm::Align(bytes[1]));
        }
      } else if (attribute.getName() == ocl::SynchronizeAsAttr) {
        llvm::StringRef memory = cast<StringAttr>(attribute.getValue()).getValue();
        instruction->setMetadata(
            llvm::LLVMContext::MD_mmra,
            llvm::MMRAMetadata::getTagMD(instruction->getContext(), "amdgpu-synchronize-as", memory));
      } else if (attribute.getName() == ocl::ConvergentAttr) {
        if (auto *call = dyn_cast<llvm::CallBase>(instruction))
          call->setConvergent();
      }
    return success();
  }
};

} // namespace

void registerAttributeTranslation(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *, ocl::OclDialect *dialect) { dialect->addInterfaces<AttributeTranslation>(); });
}

} // namespace kiln
