#include "dialects/frontend/FrontEnd.h"
#include "base/protocol/BuildLog.h"
#include "base/protocol/ExtensionWords.h"
#include "dialects/frontend/Assembly.h"
#include "dialects/frontend/ClangInstance.h"
#include "dialects/frontend/Destructors.h"
#include "dialects/frontend/Extensions.h"
#include "dialects/frontend/Generation.h"
#include "dialects/frontend/Matrices.h"
#include "dialects/frontend/SourceFiles.h"
#include "dialects/frontend/ToSpirv.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/OpenCLOptions.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <optional>

namespace kiln::frontend {
namespace {

/// Returns Clang's spelling of a language version.
std::string clangStandard(llvm::StringRef option) { return "-cl-std=" + option.drop_front(strlen("-cl-std=")).lower(); }

bool contains(const std::vector<std::string> &list, llvm::StringRef name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// Returns true if the source may call a function of Kiln's header. For a small kernel, parsing that header takes as
/// long as the rest of the compilation. A call needs the name in the source or in a macro on the command line, or a way
/// to build it (## and its digraph, a line continuation, a trigraph), or an #include.
bool mayUseOwnHeader(const protocol::CompileRequest &request) {
  auto mentions = [](llvm::StringRef text) {
    return llvm::any_of(llvm::ArrayRef<llvm::StringRef>{"work_group_", "clock_read_", "atomic_half", "vloada_half",
                                                        "vstorea_half", "##", "%:", "\\\n", "\\\r", "\\ ", "\\\t", "??",
                                                        "include"},
                        [&](llvm::StringRef pattern) { return text.contains(pattern); });
  };
  return mentions(request.source) || llvm::any_of(request.options, mentions);
}

/// The width of Clang's `long long`, which is also the type of a decimal literal above LONG_MAX. OpenCL C has no such
/// type. Programs that name it expect 64 bits; Clang's 128 bits cannot be translated to SPIR-V.
constexpr unsigned LongLongBits = 64, WideLongLongBits = 128;

/// Returns true if the source may write LONG_MIN as a literal. With 64 bits the literal is a ulong, and so is its
/// negation.
bool mayWriteLongMin(const protocol::CompileRequest &request) {
  llvm::StringRef source = request.source;
  return source.contains("9223372036854775808") && !source.contains("long long");
}

/// Returns true if the module has 128-bit integers: Clang did not fold all uses of the literal.
bool hasWideNumbers(const llvm::Module &module) {
  auto isWide = [](const llvm::Value *value) {
    return value->getType()->getScalarType()->isIntegerTy(WideLongLongBits);
  };
  return llvm::any_of(module.globals(),
                      [&](const llvm::GlobalVariable &variable) {
                        return variable.getValueType()->getScalarType()->isIntegerTy(WideLongLongBits);
                      }) ||
         llvm::any_of(module, [&](const llvm::Function &function) {
           return llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction &ins) {
             return isWide(&ins) || llvm::any_of(ins.operand_values(), isWide);
           });
         });
}

constexpr char NoOptimisation[] = "-cl-opt-disable";

/// Returns true if the program failed because it uses `assert` and does not define it. It is compiled again with
/// AssertHeader then: programs with an `assert` of their own are not changed.
bool lacksAssert(const protocol::CompileReply &reply) {
  return llvm::StringRef(reply.log).contains("function 'assert'") ||
         llvm::StringRef(reply.log).contains("undeclared identifier 'assert'");
}

/// Returns the arguments for clang -cc1.
std::vector<std::string> arguments(const protocol::CompileRequest &request) {
  std::vector<std::string> words = {
      "-triple", "spir64-unknown-unknown", "-emit-llvm-only",
      // At -O0 Clang adds noinline to functions, without -funroll-loops llvm.loop.unroll.disable to loops. No LLVM
      // pass runs in Clang: Kiln's passes optimise later.
      "-O1", "-funroll-loops", "-disable-llvm-passes", "-disable-lifetime-markers", "-finclude-default-header",
      "-fdeclare-opencl-builtins", "-cl-kernel-arg-info", "-ffp-contract=on", "-nostdsysteminc", "-nobuiltininc",
      "-internal-isystem", ClangFolder,
      // The base header defines every extension for a SPIR device; this device has those in the request.
      "-U", "__SPIR__", "-U", "__IMAGE_SUPPORT__", "-D", "__OPENCL_VERSION__=300", "-D", "FP_FAST_FMAF=1"};
  words.insert(words.end(), argumentsOfGeneration().begin(), argumentsOfGeneration().end());
  unsigned version = 120;
  std::vector<std::string> rest;
  for (const std::string &word : request.options) {
    llvm::StringRef option(word);
    if (startsWith(option, "-cl-std=")) {
      words.push_back(clangStandard(option));
      version = option.contains("3.0") || option.contains("2021")    ? 300
                : option.contains("2.0") || option.contains("CLC++") ? 200
                                                                     : 120;
    } else if (option == "-g") { // variables are described only if nothing is optimised
      words.push_back(contains(request.options, NoOptimisation) ? "-debug-info-kind=limited"
                                                                : "-debug-info-kind=line-tables-only");
      words.insert(words.end(), {"-dwarf-version=4", "-fdebug-compilation-dir="});
    } else if (option == NoOptimisation) {
      continue; // Clang would use -O0
    } else {
      rest.push_back(word);
    }
  }
  // Existing kernels mix integers and pointers, mix pointer types, and omit `int`; newer versions of Clang make these
  // errors by default.
  if (!contains(request.options, "-Werror"))
    words.insert(words.end(), {"-Wno-error=int-conversion", "-Wno-error=incompatible-pointer-types",
                               "-Wno-error=incompatible-function-pointer-types", "-Wno-error=implicit-int"});

  std::string list = "-cl-ext=-all";
  for (const std::string &extension : completed(request.extensions)) {
    if (extension == protocol::ImageSupport) {
      words.insert(words.end(), {"-D", "__IMAGE_SUPPORT__=1"});
      // Image formats that Clang does not define: OpenCL C 2.0's name of CL_UNORM_INT_101010, and one of OpenCL 3.0.
      words.insert(words.end(), {"-D", "CLK_UNORM_SHORT_101010=CLK_UNORM_INT_101010"});
      if (version >= 300)
        words.insert(words.end(), {"-D", "CLK_UNORM_INT_101010_2=0x10E0"});
      continue;
    }
    if (extension == protocol::InlineAssembly) {
      words.push_back("-fgnu-keywords"); // `asm`, beside `__asm__`
      continue;
    }
    list += ",+" + extension;
    if (extension == MatrixExtension)
      words.insert(words.end(), matrixArguments().begin(), matrixArguments().end());
    // Clang defines macros only for extensions that it supports.
    if (version >= macroSince(extension))
      words.insert(words.end(), {"-D", extension + "=1"});
  }
  if (mayUseOwnHeader(request))
    words.insert(words.end(), {"-include", OwnHeader});
  if (contains(request.extensions, "cl_khr_fp64"))
    words.insert(words.end(), {"-D", "FP_FAST_FMA=1"});
  words.push_back(list);
  words.insert(words.end(), {"-I", EmbeddedFolder}); // before the user's folders
  words.insert(words.end(), rest.begin(), rest.end());
  if (!request.workingFolder.empty()) // after the user's folders
    words.insert(words.end(), {"-I", request.workingFolder});
  words.push_back(std::string("-fdebug-prefix-map=") + EmbeddedFolder +
                  "/="); // the file name alone, unless `rest` maps a folder
  return words;
}

/// Checks that no struct or union has a pipe member. Clang checks this rule only for images and events.
class PipeMembers final : public clang::ASTConsumer {
public:
  void HandleTagDeclDefinition(clang::TagDecl *tag) override {
    auto *record = llvm::dyn_cast<clang::RecordDecl>(tag);
    if (!record)
      return;
    clang::DiagnosticsEngine &diagnostics = record->getASTContext().getDiagnostics();
    for (const clang::FieldDecl *field : record->fields())
      if (field->getType()->getBaseElementTypeUnsafe()->isPipeType())
        diagnostics.Report(field->getLocation(),
                           diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                       "a struct or union cannot have a pipe for a member"));
  }
};

/// Clang's code generation, and the consumers above.
class Action final : public clang::EmitLLVMOnlyAction {
public:
  Action(llvm::LLVMContext &context, unsigned longLongBits, bool assembly, std::vector<DestructorEntry> &destroyed)
      : EmitLLVMOnlyAction(&context), longLongBits_(longLongBits), assembly_(assembly), destroyed_(destroyed) {}

private:
  bool BeginInvocation(clang::CompilerInstance &instance) override {
    if (assembly_)
      acceptAssembly(instance);
    return EmitLLVMOnlyAction::BeginInvocation(instance);
  }
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &instance,
                                                        llvm::StringRef file) override {
    instance.getTarget().LongLongWidth = instance.getTarget().LongLongAlign = longLongBits_;
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<PipeMembers>());
    consumers.push_back(EmitLLVMOnlyAction::CreateASTConsumer(instance, file));
    if (instance.getLangOpts().OpenCLCPlusPlus)
      consumers.push_back(collectDestructors(destroyed_));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

  unsigned longLongBits_;
  bool assembly_;
  std::vector<DestructorEntry> &destroyed_;
};

/// Clang's messages, as a log of bounded size.
class LogStream final : public llvm::raw_ostream {
public:
  LogStream() { SetUnbuffered(); }
  std::string text() const { return log_.text(); }

private:
  void write_impl(const char *text, size_t size) override {
    log_.append({text, size});
    written_ += size;
  }
  uint64_t current_pos() const override { return written_; }

  protocol::BuildLog log_;
  uint64_t written_ = 0;
};

/// One compilation by Clang.
class Compilation {
public:
  Compilation(const protocol::CompileRequest &request, const std::string &name, unsigned longLongBits)
      : files_(new SourceFiles(request.headers)) {
    choosePointers(context_);
    startMatrices();
    std::vector<std::string> words = arguments(request);
    std::vector<const char *> pointers;
    for (const std::string &word : words)
      pointers.push_back(word.c_str());
    instance_ = makeInstance(pointers, files_, log_);
    if (!instance_)
      return;
    instance_->getFrontendOpts().Inputs.assign(
        {clang::FrontendInputFile(llvm::MemoryBufferRef(request.source, name), kindOf(instance_->getInvocation()))});
    instance_->getFrontendOpts().DisableFree = false;
    instance_->setVerboseOutputStream(log_);
    Action action(context_, longLongBits, contains(request.extensions, protocol::InlineAssembly), destroyed_);
    if (instance_->ExecuteAction(action))
      module_ = action.takeModule();
  }

  llvm::Module *module() { return module_.get(); }
  const std::vector<DestructorEntry> &destroyed() const { return destroyed_; }
  protocol::CompileReply reply;

  void finish() {
    reply.log = log_.text();
    reply.included = files_->takeIncluded();
    reply.missing = files_->takeMissing();
  }

private:
  static clang::InputKind kindOf(const clang::CompilerInvocation &invocation) {
    return languageOf(invocation).OpenCLCPlusPlus ? clang::Language::OpenCLCXX : clang::Language::OpenCL;
  }

  llvm::IntrusiveRefCntPtr<SourceFiles> files_;
  LogStream log_;
  llvm::LLVMContext context_;
  std::unique_ptr<clang::CompilerInstance> instance_;
  std::unique_ptr<llvm::Module> module_;
  std::vector<DestructorEntry> destroyed_;
};

} // namespace

static protocol::CompileReply compileOnce(const protocol::CompileRequest &request, const std::string &name, Emit emit) {
  std::optional<Compilation> compilation;
  if (mayWriteLongMin(request)) {
    compilation.emplace(request, name, WideLongLongBits);
    if (!compilation->module() || hasWideNumbers(*compilation->module()))
      compilation.reset();
  }
  if (!compilation)
    compilation.emplace(request, name, LongLongBits);
  std::string output;
  if (llvm::Module *module = compilation->module()) {
    TranslationOptions options;
    options.assembly = contains(request.extensions, protocol::InlineAssembly);
    options.keepsPrivateVariables = contains(request.options, NoOptimisation);
    std::string error;
    if (emit == Emit::Llvm) {
      llvm::raw_string_ostream(output) << *module;
      compilation->reply.ok = true;
    } else {
      compilation->reply.ok = makeFinalizer(*module, compilation->destroyed(), options.finalizer, error) &&
                              toSpirv(*module, options, output, error);
    }
    compilation->finish();
    if (!compilation->reply.ok)
      compilation->reply.log += "error: the program cannot be translated to SPIR-V: " + error + "\n";
  } else {
    compilation->finish();
  }
  compilation->reply.spirv.assign(output.begin(), output.end());
  return std::move(compilation->reply);
}

protocol::CompileReply compile(const protocol::CompileRequest &request, const std::string &name, Emit emit) {
  protocol::CompileReply reply = compileOnce(request, name, emit);
  if (reply.ok || !lacksAssert(reply))
    return reply;
  protocol::CompileRequest withAssert = request;
  withAssert.options.insert(withAssert.options.end(), {"-include", std::string(ClangFolder) + "/" + AssertHeader});
  return compileOnce(withAssert, name, emit);
}

} // namespace kiln::frontend
