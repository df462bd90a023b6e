#include "dialects/frontend/Destructors.h"
#include "dialects/frontend/Generation.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/GlobalDecl.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/raw_ostream.h"

namespace kiln::frontend {
namespace {

class Finder final : public clang::ASTConsumer, public clang::RecursiveASTVisitor<Finder> {
public:
  explicit Finder(std::vector<DestructorEntry> &variables) : variables_(variables) {}

  void HandleTranslationUnit(clang::ASTContext &context) override {
    if (!context.getLangOpts().OpenCLCPlusPlus || context.getDiagnostics().hasErrorOccurred())
      return;
    context_ = &context;
    mangle_.reset(context.createMangleContext());
    TraverseDecl(context.getTranslationUnitDecl());
  }

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitVarDecl(clang::VarDecl *variable) {
    if (!variable->hasGlobalStorage() || variable->getType()->isDependentType() ||
        variable->isThisDeclarationADefinition() != clang::VarDecl::Definition ||
        variable->needsDestruction(*context_) != clang::QualType::DK_cxx_destructor)
      return true;
    const clang::CXXRecordDecl *type = variable->getType()->getAsCXXRecordDecl();
    if (!type)
      return true;
    DestructorEntry found;
    llvm::raw_string_ostream name(found.variable), destructor(found.destructor);
    if (mangle_->shouldMangleDeclName(variable))
      mangle_->mangleName(variable, name);
    else
      name << variable->getName();
    mangle_->mangleName(clang::GlobalDecl(type->getDestructor(), clang::Dtor_Complete), destructor);
    found.inOrder = !variable->isStaticLocal() && !variable->isInline() &&
                    !variable->hasAttr<clang::InitPriorityAttr>() &&
                    variable->getTemplateSpecializationKind() == clang::TSK_Undeclared;
    name.flush(), destructor.flush();
    variables_.push_back(std::move(found));
    return true;
  }

private:
  std::vector<DestructorEntry> &variables_;
  clang::ASTContext *context_ = nullptr;
  std::unique_ptr<clang::MangleContext> mangle_;
};

constexpr char AtExit[] = "__cxa_atexit";
constexpr char InitialiserStart[] = "_GLOBAL__sub_I_";

/// Returns true if the call is executed each time that its function is called.
bool isUnconditional(llvm::CallInst &call) {
  llvm::Function &function = *call.getFunction();
  return llvm::PostDominatorTree(function).dominates(call.getParent(), &function.getEntryBlock());
}

/// Returns the calls of __cxa_atexit in execution order; none if the order cannot be determined.
std::vector<llvm::CallInst *> registrations(llvm::Module &module, llvm::Function &initialiser) {
  std::vector<llvm::CallInst *> calls;
  // Clang's initialiser calls one function per variable.
  for (llvm::BasicBlock &block : initialiser)
    for (llvm::Instruction &ins : block)
      if (auto *outer = llvm::dyn_cast<llvm::CallInst>(&ins); outer && outer->getCalledFunction())
        for (llvm::BasicBlock &innerBlock : *outer->getCalledFunction())
          for (llvm::Instruction &inner : innerBlock)
            if (auto *call = llvm::dyn_cast<llvm::CallInst>(&inner);
                call && call->getCalledFunction() && call->getCalledFunction()->getName() == AtExit)
              calls.push_back(call);
  const llvm::Function *atExit = module.getFunction(AtExit);
  if (initialiser.size() != 1 || calls.size() != atExit->getNumUses())
    return {};
  for (llvm::CallInst *call : calls)
    if (!isUnconditional(*call) || !call->getFunction()->hasOneUse())
      return {};
  return calls;
}

/// A destructor and its object; null for a function without a parameter for it.
struct Destruction {
  llvm::Function *destructor;
  llvm::Constant *object;
};

llvm::Function *makeKernel(llvm::Module &module, const llvm::Function &initialiser,
                           const std::vector<Destruction> &inOrder) {
  llvm::StringRef file = initialiser.getName().drop_front(strlen(InitialiserStart));
  auto *kernel = llvm::Function::Create(initialiser.getFunctionType(), llvm::GlobalValue::InternalLinkage,
                                        "_GLOBAL__D_" + file, module);
  kernel->setCallingConv(llvm::CallingConv::SPIR_KERNEL);
  kernel->copyMetadata(&initialiser, 0); // the metadata of an empty argument list
  kernel->setSubprogram(nullptr);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(module.getContext(), "", kernel));
  for (auto destruction = inOrder.rbegin(); destruction != inOrder.rend(); ++destruction) {
    llvm::Function *destructor = destruction->destructor;
    llvm::Type *parameter = destructor->getArg(0)->getType();
    llvm::Value *object = destruction->object ? b.CreatePointerBitCastOrAddrSpaceCast(destruction->object, parameter)
                                              : llvm::Constant::getNullValue(parameter);
    b.CreateCall(destructor, object)->setCallingConv(destructor->getCallingConv());
  }
  b.CreateRetVoid();
  return kernel;
}

/// Adds the kernel to llvm.global_dtors, as Clang adds `initialiser` to llvm.global_ctors: the translator drops
/// unreferenced internal functions.
void listAmongDestructors(llvm::Module &module, llvm::Function &kernel) {
  const llvm::GlobalVariable *constructors = module.getNamedGlobal("llvm.global_ctors");
  auto *row = llvm::cast<llvm::ConstantStruct>(constructors->getInitializer()->getAggregateElement(0u));
  llvm::Constant *made = llvm::ConstantStruct::get(row->getType(), {row->getOperand(0), &kernel, row->getOperand(2)});
  auto *list = llvm::ConstantArray::get(llvm::ArrayType::get(row->getType(), 1), made);
  new llvm::GlobalVariable(module, list->getType(), false, llvm::GlobalValue::AppendingLinkage, list,
                           "llvm.global_dtors");
}

} // namespace

std::unique_ptr<clang::ASTConsumer> collectDestructors(std::vector<DestructorEntry> &variables) {
  return std::make_unique<Finder>(variables);
}

bool makeFinalizer(llvm::Module &module, const std::vector<DestructorEntry> &variables, std::string &finalizer,
                   std::string &error) {
  llvm::Function *atExit = module.getFunction(AtExit);
  if (!atExit)
    return true;
  error = "a variable with a destructor is a template's, inline, in a function, or has a priority";
  llvm::Function *initialiser = nullptr;
  for (llvm::Function &function : module)
    if (startsWith(function.getName(), InitialiserStart) && !function.isDeclaration())
      initialiser = &function;
  if (!initialiser || !module.getNamedGlobal("llvm.global_ctors"))
    return false;
  std::vector<llvm::CallInst *> calls = registrations(module, *initialiser);
  if (calls.empty())
    return false;

  std::vector<Destruction> destructions;
  auto next = variables.begin();
  for (llvm::CallInst *call : calls) {
    auto *destructor = llvm::dyn_cast<llvm::Function>(call->getArgOperand(0)->stripPointerCasts());
    auto *object = llvm::dyn_cast<llvm::Constant>(call->getArgOperand(1));
    if (!destructor || !object || destructor->arg_size() != 1)
      return false;
    if (!object->isNullValue()) {
      destructions.push_back({destructor, object->stripPointerCasts()});
    } else if (startsWith(destructor->getName(), "__cxx_global_array_dtor")) {
      destructions.push_back({destructor, nullptr});
    } else {
      if (next == variables.end() || !next->inOrder || next->destructor != destructor->getName())
        return false;
      llvm::GlobalVariable *variable = module.getNamedGlobal(next->variable);
      if (!variable || variable->getAddressSpace() != 1)
        return false;
      destructions.push_back({destructor, variable});
      ++next;
    }
  }
  if (next != variables.end())
    return false;
  llvm::Function *kernel = makeKernel(module, *initialiser, destructions);
  listAmongDestructors(module, *kernel);
  finalizer = kernel->getName().str();
  for (llvm::CallInst *call : calls) {
    call->replaceAllUsesWith(llvm::Constant::getNullValue(call->getType()));
    call->eraseFromParent();
  }
  atExit->eraseFromParent();
  if (llvm::GlobalVariable *handle = module.getNamedGlobal("__dso_handle"); handle && handle->use_empty())
    handle->eraseFromParent();
  error.clear();
  return true;
}

} // namespace kiln::frontend
