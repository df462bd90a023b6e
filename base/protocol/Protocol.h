// Requests of libkiln to its two compilers, and their replies. Zygote.h describes the transport.
#pragma once
#include "base/abi/ProgramInfo.h"
#include "base/protocol/CodeFlags.h"
#include "base/protocol/Effort.h"
#include "base/protocol/IncludedFile.h"
#include "base/support/Sha256.h"
#include "base/support/Wire.h"

namespace kiln::protocol {

/// The exit status of `kilnc --request` and `kiln-clc --request` for a file that is no request, or one that they refuse
/// because it names code or files. An error in the program has status 1.
inline constexpr int NotRepeated = 125;

// ---- kiln-clc: OpenCL C to SPIR-V ----------------------------------------------------------------------------------

/// The source file's name in diagnostics and line information.
inline constexpr char SourceName[] = "<source>";

struct Header {
  std::string name, text;
  auto fields() { return std::tie(name, text); }
};

/// One translation unit. `options` are the words for kiln-clc, from the checked option string.
struct CompileRequest {
  std::string source;
  std::vector<std::string> options;
  std::vector<Header> headers;         // clCompileProgram's embedded headers
  std::vector<std::string> extensions; // names that the device supports: cl_khr_* and __opencl_c_*
  std::string workingFolder{};         // the application's, which #include searches last; may be empty
  auto fields() { return std::tie(source, options, headers, extensions, workingFolder); }
};

struct CompileReply {
  bool ok = false;
  std::string log;
  wire::Bytes spirv;
  std::vector<IncludedFile> included; // files that were read: part of the cache entry
  std::vector<std::string> missing;   // paths that do not exist: a file that appears there changes the result
  std::string libraries;              // Libraries.h: of the compiler
  auto fields() { return std::tie(ok, log, spirv, included, missing, libraries); }
};

// ---- kilnc: SPIR-V to code -----------------------------------------------------------------------------------------

struct SpecConstant {
  uint32_t id = 0;
  wire::Bytes value;
  auto fields() { return std::tie(id, value); }
};

/// The value of an argument in all launches of a variant: an image's format, with FormatTextured if it has a texture
/// object (ImageAbi.h), or a sampler.
struct KnownArgument {
  uint32_t index = 0, value = 0;
  bool operator==(const KnownArgument &) const = default;
  auto fields() { return std::tie(index, value); }
};

/// The fixed values of a specialised variant.
struct Specialisation {
  std::string kernel;
  std::array<uint64_t, 3> localSize{}; // zero: any
  std::vector<KnownArgument> known{};
  bool operator==(const Specialisation &) const = default;
  auto fields() { return std::tie(kernel, localSize, known); }
};

enum class Task : uint8_t {
  Inspect,  // validate and describe the modules; no code
  Build,    // generic variants of all kernels, or of `specialisations` if there are any
  Generate, // convert the LLVM IR of a deferred kernel, the only module, to code
  Link,     // link modules; the result is SPIR-V
  Assemble, // convert the code of an earlier build, the only module, to machine code
};

/// A library with the assembler of a device's driver, for Task::Assemble. The process that loads it runs its code, so
/// only libkiln sets it: a request in a file has none (FailedRequest.h).
struct AssemblerLibrary {
  std::string path;              // or a name, which the loader searches
  uint32_t major = 0, minor = 0; // the version that it must have; 0.0: any
  auto fields() { return std::tie(path, major, minor); }
};

/// A kernel whose code is generated when it is launched for the first time. Its plan is complete.
struct DeferredKernel {
  std::string name;
  std::string entry; // KernelInfo::entry
  Effort effort = Effort::Full;
  Sha256::Digest digest{}; // of its LLVM IR
  auto fields() { return std::tie(name, entry, effort, digest); }
};

struct BuildRequest {
  Task task = Task::Build;
  std::vector<wire::Bytes> modules;
  std::string target; // "cpu" is this machine; "cpu:skylake" is a named one, as kilnc --target takes it
  CodeFlags flags;
  std::vector<SpecConstant> specConstants;
  std::vector<Specialisation> specialisations;
  std::string pipeline;             // KILN_PIPELINE_<TARGET>, or a schedule (ScheduleText.h); empty: the default
  std::string pipelineFile;         // for errors in a transform-dialect schedule; may be empty
  bool hashKernels = false;         // KILN_SCHEDULES: set KernelInfo::hash
  std::vector<std::string> plugins; // KILN_PASS_PLUGINS
  std::string dumpFolder;           // KILN_DUMP; empty is none
  bool explore = false;             // KILN_EXPLORE: describe all stages in the reply
  uint64_t machineWidth = 0;        // KILN_CPU_MACHINE_WIDTH; 0: the processor's
  uint64_t subGroupSize = 0;        // KILN_PROFILE's, for kernels that require none, if the device has it; 0: default
  bool checkAssumptions = false;    // KILN_CHECK_ASSUMPTIONS
  bool checkMemory = false;         // KILN_CHECK=memory
  bool checkBarriers = false;       // KILN_CHECK=barriers
  bool checkRaces = false;          // KILN_CHECK=races
  bool checkInit = false;           // KILN_CHECK=init
  bool scalar = false;              // the scalar form: one lane, Kiln's own pipeline, no plug-ins
  bool located = false;             // with `scalar`: the located form, which notes each access (AccessNote.h)
  bool strict = false;              // KILN_CROSSCHECK: arithmetic is as written, without contraction or relaxed options
  bool library = false;             // for Task::Link: the result may have unresolved symbols
  AssemblerLibrary assembler{};     // for Task::Assemble, as the next one
  bool forLargestGroups = false;    // machine code that has room for the device's largest groups
  bool deferKernels = false;        // for Task::Build: the reply may have deferred kernels
  bool quickForm = false;           // for Task::Build: the reply may have the quick form
  bool quickIfLarge = false;        // with `quickForm`: only if the program is large. Not a part of the cache key
  DeferredKernel deferred{};        // for Task::Generate
  auto fields() {
    return std::tie(task, modules, target, flags, specConstants, specialisations, pipeline, pipelineFile, hashKernels,
                    plugins, dumpFolder, explore, machineWidth, subGroupSize, checkAssumptions, checkMemory,
                    checkBarriers, checkRaces, checkInit, scalar, located, strict, library, assembler, forLargestGroups,
                    deferKernels, quickForm, quickIfLarge, deferred);
  }
};

struct BuildReply {
  bool ok = false;
  std::string log;
  ProgramInfo info;
  wire::Bytes code;                       // for the device's driver; SPIR-V for Task::Link; empty: all are deferred
  std::vector<DeferredKernel> deferred;   // kernels that `code` does not have
  std::vector<wire::Bytes> deferredIr;    // the LLVM IR of each, as bitcode
  bool isQuick = false;                   // kernels are in the quick form: with little effort, mostly scalar
  uint64_t processorNanoseconds = 0;      // that the task took of all threads
  bool hasAssembler = true;               // false: Task::Assemble cannot use the library, and the log has the reason
  std::string libraries;                  // Libraries.h: of the compiler
  std::string explored;                   // a variant of the explorer's page (base/explorer); empty unless requested
  std::vector<std::string> exploredFiles; // the names of the source files that it refers to
  auto fields() {
    return std::tie(ok, log, info, code, deferred, deferredIr, isQuick, processorNanoseconds, hasAssembler, libraries,
                    explored, exploredFiles);
  }
};

} // namespace kiln::protocol
