// Loads built code on a device, as machine code if the device has an assembler.
//
//   code of kilnc -> [cache] -> kilnc, Task::Assemble -> [cache] -> Device::load
//
// The assembler is the driver's, but runs in a process of kilnc: code with asm statements of the program reaches it,
// and a crash or an endless loop then fails one build. A process that exits also has no thread in the assembler. Only
// where kilnc cannot use the assembler, or cannot be started, the driver gets the code and assembles it in this
// process.
#include "KilnBuildId.h"
#include "base/support/Log.h"
#include "base/support/Trace.h"
#include "runtime/cache/Cache.h"
#include "runtime/compiler/Compiler.h"
#include "runtime/compiler/CompilerClient.h"
#include "runtime/compiler/FailedRequest.h"

namespace kiln {
namespace {

/// The data of a cache entry, beside the machine code.
struct MachineCodeEntry {
  std::string log; // the assembler's messages
  auto fields() { return std::tie(log); }
};

std::string_view withoutLineFeed(std::string_view text) { return text.substr(0, text.find_last_not_of('\n') + 1); }

} // namespace

/// Machine code as a file; null if the driver must assemble the code.
struct Compiler::MachineCode {
  std::string log;
  std::shared_ptr<const CodeFile> file;
};

/// What is assembled, and for what.
struct Compiler::Assembly {
  Assembly(const Device &device, const CodeFile &code, bool forLargestGroups)
      : assembler(device.assembler()), target(device.info().target), forLargestGroups(forLargestGroups),
        key(KeyBuilder()
                .add("machine code")
                .add(KILN_BUILD_ID)
                .add(assembler.identity)
                .add(hexadecimal(code.digest()))
                .add(std::string(forLargestGroups ? "largest groups" : ""))
                .finish()) {}

  Assembler assembler;
  std::string target;
  bool forLargestGroups;
  CacheKey key;
};

std::optional<Compiler::MachineCode> Compiler::findMachineCode(const Assembly &assembly) {
  auto found = cache_->find(assembly.key);
  MachineCodeEntry entry;
  if (!found || !found->code || !wire::unpack(found->data, entry))
    return std::nullopt;
  KILN_LOG(Debug, Cache, "machine code ", hexadecimal(assembly.key), " is cached");
  return MachineCode{std::move(entry.log), std::move(found->code)};
}

/// Appends the reasons of a failure to `log`, and the assembler's messages.
Result<Compiler::MachineCode> Compiler::assemble(const Assembly &assembly, wire::Bytes code, std::string &log) {
  trace::Span span("compile", "assemble");
  if (!hasAssembler_.load(std::memory_order_relaxed))
    return MachineCode{};
  const Assembler &assembler = assembly.assembler;
  protocol::BuildRequest request;
  request.task = protocol::Task::Assemble;
  request.modules.push_back(std::move(code));
  request.target = assembly.target;
  request.assembler = {assembler.library, assembler.major, assembler.minor};
  request.forLargestGroups = assembly.forLargestGroups;
  Result<wire::Bytes> bytes = codeGenerator_->request(wire::pack(request));
  if (bytes.code() == CL_COMPILER_NOT_AVAILABLE) {
    KILN_LOG(Warn, Compile, "the driver assembles code in the application's process: ", bytes.message());
    return MachineCode{};
  }
  if (!bytes.ok()) {
    log += text("error: the assembler: ", bytes.message(), "\n", keepFailedRequest(request, bytes.message()));
    return std::move(bytes).status();
  }
  protocol::BuildReply reply;
  if (!wire::unpack(*bytes, reply))
    return fail(CL_BUILD_PROGRAM_FAILURE, "invalid reply of kilnc");
  if (!reply.hasAssembler) {
    hasAssembler_.store(false, std::memory_order_relaxed);
    KILN_LOG(Warn, Compile,
             "the driver assembles code in the application's process from now on: ", withoutLineFeed(reply.log));
    return MachineCode{};
  }
  log += reply.log;
  if (!reply.ok) {
    KILN_LOG(Warn, Program, "code for ", assembly.target, " is rejected: ", withoutLineFeed(reply.log));
    return fail(CL_INVALID_BINARY, "the code cannot be assembled");
  }
  auto file = cache_->store(assembly.key, wire::pack(MachineCodeEntry{reply.log}), reply.code);
  if (!file)
    return fail(CL_OUT_OF_RESOURCES, "cannot create a file for the machine code");
  return MachineCode{std::move(reply.log), std::move(file)};
}

Result<LoadedCode> Compiler::load(Device &device, const CodeResult &built, std::string &log) {
  auto loadFiles = [&](std::shared_ptr<const CodeFile> machineCode) -> Result<LoadedCode> {
    CodePaths paths{built.code->path()};
    if (machineCode) {
      paths.machineCode = machineCode->path();
      paths.assembleForLargestGroups = [this, largest = Assembly(device, *built.code, true)](std::string_view code) {
        return assembleForLargestGroups(largest, code);
      };
    }
    std::unique_ptr<Code> code = KILN_TRY(device.load(paths, built.info, log));
    return LoadedCode{built.code, std::move(machineCode), std::move(code)};
  };
  if (device.assembler().library.empty())
    return loadFiles(nullptr);
  const Assembly assembly(device, *built.code, /*forLargestGroups=*/false);
  auto cached = [&]() -> std::optional<LoadedCode> {
    std::optional<MachineCode> found = findMachineCode(assembly);
    if (!found)
      return std::nullopt;
    Result<LoadedCode> loaded = loadFiles(std::move(found->file));
    if (!loaded.ok()) {
      KILN_LOG(Warn, Cache, "machine code ", hexadecimal(assembly.key), " is assembled again: ", loaded.message());
      return std::nullopt;
    }
    log += found->log;
    return std::move(*loaded);
  };
  if (auto found = cached())
    return std::move(*found);
  BuildTurn turn = cache_->takeTurn(assembly.key);
  if (turn.waited()) {
    if (auto found = cached())
      return std::move(*found);
    turn.release(); // as in Compiler::compile
  }
  wire::Bytes code = built.code->read();
  if (code.empty())
    return fail(CL_OUT_OF_RESOURCES, "the code in ", built.code->path(), " cannot be read");
  MachineCode machineCode = KILN_TRY(assemble(assembly, std::move(code), log));
  return loadFiles(std::move(machineCode.file));
}

/// CodePaths::assembleForLargestGroups.
Result<wire::Bytes> Compiler::assembleForLargestGroups(const Assembly &assembly, std::string_view code) {
  auto cached = [&] {
    std::optional<MachineCode> found = findMachineCode(assembly);
    return found ? found->file->read() : wire::Bytes();
  };
  if (wire::Bytes found = cached(); !found.empty())
    return found;
  BuildTurn turn = cache_->takeTurn(assembly.key);
  if (turn.waited()) {
    if (wire::Bytes found = cached(); !found.empty())
      return found;
    turn.release(); // as in Compiler::compile
  }
  std::string log;
  Result<MachineCode> assembled = assemble(assembly, {code.begin(), code.end()}, log);
  if (!assembled.ok() && !log.empty())
    return fail(assembled.code(), withoutLineFeed(log));
  const MachineCode machineCode = KILN_TRY(std::move(assembled));
  return machineCode.file ? machineCode.file->read() : wire::Bytes();
}

} // namespace kiln
