// Source to SPIR-V and SPIR-V to code, as the rest of libkiln sees it: the cache answers first, and only what it does
// not know reaches a compiler process. Safe to call from any number of threads; builds run side by side.
//
//   auto options = KILN_TRY(parseBuildOptions(text, BuildStep::Build));
//   SourceResult unit = Compiler::get().compile({source, options.frontEnd, headers, device.extensions});
//   CodeResult program = Compiler::get().build({.modules = {unit.spirv}, .target = "cpu", .options = options.math});
//   void *code = dlopen(program.code->path().c_str(), RTLD_NOW | RTLD_LOCAL);
//
// Nothing here fails other than by `ok == false` with a log that says why: a compiler that is missing, dies or takes
// too long is told in the same place as an error in the source.
#pragma once
#include "runtime/cache/CodeFile.h"
#include "runtime/compiler/BuildOptions.h"
#include "runtime/compiler/Protocol.h"
#include <memory>

namespace kiln {

class Cache;
class CompilerClient;

/// What tells this build of Kiln from every other one: 32 hexadecimal digits.
std::string_view buildId();

/// SPIR-V: from source, or of several modules linked into one.
struct SourceResult {
  bool ok = false;
  std::string log; // warnings too, when ok
  wire::Bytes spirv;
};

/// Code, and what it is; without code from inspect().
struct CodeResult {
  bool ok = false;
  std::string log;
  ProgramInfo info;
  std::shared_ptr<const CodeFile> code;
  std::string libraries; // Libraries.h: of the compiler that made it
};

class Compiler {
public:
  /// The one of this process, set up as options() say.
  static Compiler &get();

  /// One translation unit. `options` come from BuildOptions::frontEnd.
  SourceResult compile(const protocol::CompileRequest &request);
  /// Checks modules and says what is in them: what clCreateProgramWithIL must know when it returns.
  CodeResult inspect(std::vector<wire::Bytes> modules);
  /// Several modules to one. Unresolved symbols are errors unless the result is a library.
  SourceResult link(std::vector<wire::Bytes> modules, const std::string &mathOptions, bool library);
  /// Generic variants of every kernel, or the specialisations asked for. Pipeline, plug-ins and dump folder are filled
  /// in from options(). `sealed` is what seal() gave for the same request, perhaps: it takes the compiler's place where
  /// the cache knows nothing, if it is genuine and still what would be built today.
  CodeResult build(protocol::BuildRequest request, const wire::Bytes &sealed = {});
  /// The answer to a request in a form that can leave this machine and come back; empty where that cannot be done.
  static wire::Bytes seal(protocol::BuildRequest request, const CodeResult &built);

  /// Starts both compilers without waiting for them, so that the first build finds them ready. Does nothing where
  /// they run already or cannot run.
  void startInBackground();
  /// Ends both; the next build starts them again. clUnloadPlatformCompiler.
  void stop();

  Compiler(std::unique_ptr<CompilerClient> frontEnd, std::unique_ptr<CompilerClient> codeGenerator,
           std::unique_ptr<Cache> cache);
  ~Compiler();

private:
  std::unique_ptr<CompilerClient> frontEnd_, codeGenerator_;
  std::unique_ptr<Cache> cache_;
};

} // namespace kiln
