#include "dialects/frontend/Assembly.h"
#include "base/abi/AssemblyName.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/MacroBuilder.h"
#include "clang/Basic/TargetInfo.h"
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>

namespace kiln::frontend {
namespace {

/// Clang's target for SPIR, which accepts all letters as constraints.
class AssemblyTarget final : public clang::TargetInfo {
public:
  explicit AssemblyTarget(clang::TargetInfo &spir) : clang::TargetInfo(spir), spir_(&spir) {
    static_cast<clang::TransferrableTargetInfo &>(*this) = spir; // Clang 15: a virtual base, which is not copied above
    NoAsmVariants = true;                                        // '{' and '|' stand for themselves, as in PTX
  }

  bool validateAsmConstraint(const char *&, ConstraintInfo &info) const override {
    info.setAllowsRegister();
    return true;
  }
  llvm::ArrayRef<const char *> getGCCRegNames() const override { return {}; }
  llvm::ArrayRef<GCCRegAlias> getGCCRegAliases() const override { return {}; }

  // What Clang's SPIR target overrides. Its data members have been copied.
  void getTargetDefines(const clang::LangOptions &language, clang::MacroBuilder &macros) const override {
    spir_->getTargetDefines(language, macros);
  }
  decltype(std::declval<const clang::TargetInfo &>().getTargetBuiltins()) getTargetBuiltins() const override {
    return spir_->getTargetBuiltins();
  }
  decltype(std::declval<const clang::TargetInfo &>().getClobbers()) getClobbers() const override {
    return spir_->getClobbers();
  }
  BuiltinVaListKind getBuiltinVaListKind() const override { return spir_->getBuiltinVaListKind(); }
  bool hasFeature(llvm::StringRef feature) const override { return spir_->hasFeature(feature); }
  bool hasInt128Type() const override { return spir_->hasInt128Type(); }
  bool hasBitIntType() const override { return spir_->hasBitIntType(); }
  bool useFP16ConversionIntrinsics() const override { return spir_->useFP16ConversionIntrinsics(); }
  bool supportSourceEvalMethod() const override { return spir_->supportSourceEvalMethod(); }
  clang::CallingConv getDefaultCallingConv() const override { return spir_->getDefaultCallingConv(); }
  CallingConvCheckResult checkCallingConvention(clang::CallingConv convention) const override {
    return spir_->checkCallingConvention(convention);
  }
  decltype(std::declval<const clang::TargetInfo &>().getDWARFAddressSpace(0))
  getDWARFAddressSpace(unsigned space) const override {
    return spir_->getDWARFAddressSpace(space);
  }

private:
  const llvm::IntrusiveRefCntPtr<clang::TargetInfo> spir_;
};

} // namespace

void acceptAssembly(clang::CompilerInstance &instance) { instance.setTarget(new AssemblyTarget(instance.getTarget())); }

void assemblyToCalls(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &ins : block) {
        auto *call = llvm::dyn_cast<llvm::CallInst>(&ins);
        auto *assembly = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
        if (!assembly)
          continue;
        std::string name =
            abi::nameOf({assembly->getAsmString(), assembly->getConstraintString(), assembly->hasSideEffects()});
        // Statements with one text may have operands of several types, a name has one type.
        llvm::Function *callee = module.getFunction(name);
        for (; callee && callee->getFunctionType() != assembly->getFunctionType(); callee = module.getFunction(name))
          name += ' ';
        if (!callee)
          callee =
              llvm::Function::Create(assembly->getFunctionType(), llvm::GlobalValue::ExternalLinkage, name, module);
        callee->setCallingConv(llvm::CallingConv::SPIR_FUNC);
        call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
        call->setCalledFunction(callee);
      }
}

} // namespace kiln::frontend
