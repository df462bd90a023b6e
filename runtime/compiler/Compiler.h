// Compiles source to SPIR-V and SPIR-V to code. Looks in the cache first and sends a request to a compiler process only
// on a miss. Thread-safe; builds run in parallel.
//
//   auto options = KILN_TRY(parseBuildOptions(text, BuildStep::Build));
//   SourceResult unit = Compiler::get().compile({source, options.frontEnd, headers, device.extensions});
//   CodeResult program = Compiler::get().build({.modules = {unit.spirv}, .target = "cpu", .flags = options.flags});
//   void *code = dlopen(program.code->path().c_str(), RTLD_NOW | RTLD_LOCAL);
//
// Every failure is `ok == false` with the reason in the log: errors in the source, and a compiler that is missing,
// crashes or exceeds its time.
#pragma once
#include "backends/Device.h"
#include "base/protocol/BuildOptions.h"
#include "base/protocol/Protocol.h"
#include "runtime/cache/CodeFile.h"
#include "runtime/cache/Key.h"
#include <atomic>
#include <memory>
#include <optional>
#include <string_view>

namespace kiln {

class Cache;
class CompilerClient;

/// The id of this build of Kiln: 32 hexadecimal digits.
std::string_view buildId();

/// SPIR-V of a translation unit or of linked modules.
struct SourceResult {
  bool ok = false;
  std::string log; // also has warnings if ok
  wire::Bytes spirv;
  std::vector<std::string> included{}; // the files on the disk that the source includes
  bool isCached = false;
};

/// The LLVM IR of the deferred kernels of a program, as bitcode.
struct DeferredIr {
  std::vector<wire::Bytes> modules;
  auto fields() { return std::tie(modules); }
};

/// Code and its description; inspect() returns no code.
struct CodeResult {
  bool ok = false;
  std::string log;
  ProgramInfo info;
  std::shared_ptr<const CodeFile> code; // null if all kernels are deferred
  std::string libraries;                // Libraries.h: of the compiler that built it
  std::string explored{};               // BuildReply's
  CacheKey key{};
  bool isCached = false;    // the cache had it
  uint64_t nanoseconds = 0; // of processors, that the compilation took, when it was made; 0: unknown
  std::vector<protocol::DeferredKernel> deferred{};
  std::shared_ptr<const DeferredIr> deferredIr{}; // in the order of `deferred`; null: the cache has it
  bool isQuick = false;                           // BuildReply's
};

/// Code that a device has loaded.
struct LoadedCode {
  std::shared_ptr<const CodeFile> compiled, machineCode; // outlive the code; the latter may be null
  std::unique_ptr<Code> code;
};

/// On a variant, measured in launches.
enum class Verdict : uint8_t { None, Faster, Slower };

/// What launches have shown of a variant, for later processes.
struct Experience {
  Verdict verdict = Verdict::None;
  uint64_t spent = 0; // nanoseconds of processors that launches took without it
  auto fields() { return std::tie(verdict, spent); }
};

class Compiler {
public:
  /// The compiler of this process, configured by options().
  static Compiler &get();

  /// Compiles one translation unit. `options` come from BuildOptions::frontEnd.
  SourceResult compile(const protocol::CompileRequest &request);
  /// Validates modules and describes their contents, for clCreateProgramWithIL.
  CodeResult inspect(std::vector<wire::Bytes> modules);
  /// Links modules. Unresolved symbols are errors unless the result is a library.
  SourceResult link(std::vector<wire::Bytes> modules, bool library);
  /// Builds the generic variants of all kernels, or the requested specialisations. Pipeline, plug-ins and dump folder
  /// are taken from options(). `binaryCode` may be the result of authenticate() for the same request: on a cache miss
  /// it is used instead of a compiler, if its HMAC and its cache key are valid. Both are checked before the file for
  /// dlopen is written.
  CodeResult build(protocol::BuildRequest request, const wire::Bytes &binaryCode = {});
  /// Returns the result of `build` if the cache has it.
  std::optional<CodeResult> find(protocol::BuildRequest request);
  /// Returns true if a program of this request may run in other forms than its own: no switch sets the form, or needs
  /// repeatable code.
  static bool choosesForms(protocol::BuildRequest request);
  /// The key of what is known of the variant of a request.
  static CacheKey experienceKey(protocol::BuildRequest request);
  /// Replaces it in the cache.
  void remember(const CacheKey &key, Experience experience);
  /// Returns what the cache has.
  Experience experience(const CacheKey &key);
  /// Generates the code of a deferred kernel of `built`, which came from `program`. If the cache has neither the code
  /// nor the kernel's LLVM IR, the program is compiled again.
  CodeResult generate(const protocol::BuildRequest &program, const CodeResult &built,
                      const protocol::DeferredKernel &kernel);
  /// Removes a result from the cache, which had it and cannot be loaded: the next build compiles.
  void drop(const CacheKey &key);
  /// Loads built code on the device. If the device has an assembler, its machine code is looked up in the cache by the
  /// code, the processor and the assembler's version; on a miss a compiler process assembles it, and it is stored. If
  /// that process cannot use the assembler or cannot be started, the log says so and the driver gets the code itself.
  /// The messages of the assembler and the driver are appended to `log`; the former are in the cache as well. The
  /// compiler must outlive the loaded code.
  Result<LoadedCode> load(Device &device, const CodeResult &built, std::string &log);
  /// Returns the result of a request with an HMAC, for a program binary; empty if there is no user key.
  static wire::Bytes authenticate(protocol::BuildRequest request, const CodeResult &built);

  /// Returns true while the compilations of this process have taken so little time that code is compiled before
  /// launches have earned it: full forms of medium programs, and variants for local sizes.
  bool paysAhead() const;

  /// Starts both compilers without waiting, so that the first build finds them ready. Does nothing if they run already
  /// or cannot be started.
  void startInBackground();
  /// Ends both; the next build starts them again (clUnloadPlatformCompiler).
  void stop();

  Compiler(std::unique_ptr<CompilerClient> frontEnd, std::unique_ptr<CompilerClient> codeGenerator,
           std::unique_ptr<Cache> cache);
  ~Compiler();

private:
  /// As the public one. `quickIfLarge`: a medium program starts in its full form.
  CodeResult build(protocol::BuildRequest request, const wire::Bytes &binaryCode, bool quickIfLarge);
  // MachineCode.cpp
  struct MachineCode;
  struct Assembly;
  std::optional<MachineCode> findMachineCode(const Assembly &assembly);
  Result<MachineCode> assemble(const Assembly &assembly, wire::Bytes code, std::string &log);
  Result<wire::Bytes> assembleForLargestGroups(const Assembly &assembly, std::string_view code);
  /// The LLVM IR of a deferred kernel of `built`, which came from `program`.
  Result<wire::Bytes> irOf(const protocol::BuildRequest &program, const CodeResult &built,
                           const protocol::DeferredKernel &kernel);

  std::unique_ptr<CompilerClient> frontEnd_, codeGenerator_;
  std::unique_ptr<Cache> cache_;
  std::atomic<uint64_t> compiledFor_{0}; // nanoseconds of processors that the compilations of this process took
  std::atomic<bool> hasAssembler_{true}; // false: no compiler process can use the one that the process's driver has
};

} // namespace kiln
