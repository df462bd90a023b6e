// NVIDIA's assembler for tests: libnvidia-ptxjitcompiler.so.1 over text. The name of a kernel in the PTX is a command:
// crash_assembler, hang_assembler, fill_memory_of_assembler, reject_code and fail_inside. KILN_FAKE_ASSEMBLER="MAJOR
// MINOR" is its version, by default that of the fake driver; with "broken" after it, it fails inside for any code.
#include "tests/backends/cuda/FakeMachineCode.h"
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

/// One compilation.
struct Compiler {
  std::string code, image, errors, messages;
};

enum Result : int {
  Success = 0,
  InvalidHandle = 1,
  InvalidInput = 2,
  CompilationFailure = 3,
  Internal = 4,
  NotCompiled = 6
};

volatile unsigned spun;
void *volatile kept; // prevents removal of allocations

void obey(const std::string &code) {
  auto has = [&](const char *kernel) { return code.find(std::string(".entry ") + kernel) != std::string::npos; };
  if (has("crash_assembler"))
    raise(SIGSEGV);
  while (has("hang_assembler"))
    spun = spun + 1;
  while (has("fill_memory_of_assembler"))
    kept = std::memset(new char[16 << 20], 1, 16 << 20);
}

int give(const std::string &text, size_t *size) {
  *size = text.empty() ? 0 : text.size() + 1;
  return Success;
}

} // namespace

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

// NOLINTBEGIN(readability-identifier-naming): the library's names
FAKE_EXPORT int nvPTXCompilerGetVersion(unsigned *major, unsigned *minor) {
  const char *version = std::getenv("KILN_FAKE_ASSEMBLER");
  char *end = nullptr;
  *major = version ? unsigned(std::strtoul(version, &end, 10)) : 12;
  *minor = version ? unsigned(std::strtoul(end, nullptr, 10)) : 8;
  return Success;
}
FAKE_EXPORT int nvPTXCompilerCreate(Compiler **compiler, size_t size, const char *code) {
  if (std::strlen(code) != size)
    return InvalidInput;
  *compiler = new Compiler{.code = std::string(code, size), .image = {}, .errors = {}, .messages = {}};
  return Success;
}
FAKE_EXPORT int nvPTXCompilerCompile(Compiler *compiler, int count, const char *const *options) {
  const std::string &code = compiler->code;
  obey(code);
  const char *version = std::getenv("KILN_FAKE_ASSEMBLER");
  if (code.find(".entry fail_inside") != std::string::npos || (version && std::strstr(version, "broken")))
    return Internal;
  if (code.find(".version") == std::string::npos || code.find(".entry reject_code") != std::string::npos) {
    compiler->errors = "ptxas application ptx input, line 1; fatal   : the fake rejects it\n";
    return CompilationFailure;
  }
  compiler->image = kiln::fake::MachineCode;
  compiler->image += code + "\n";
  for (int i = 0; i < count; ++i)
    compiler->image += std::string("// ") + options[i] + "\n";
  compiler->messages = "ptxas info    : assembled by the fake\n";
  return Success;
}
FAKE_EXPORT int nvPTXCompilerGetCompiledProgramSize(Compiler *compiler, size_t *size) {
  *size = compiler->image.size();
  return compiler->image.empty() ? NotCompiled : Success;
}
FAKE_EXPORT int nvPTXCompilerGetCompiledProgram(Compiler *compiler, void *image) {
  std::memcpy(image, compiler->image.data(), compiler->image.size());
  return Success;
}
FAKE_EXPORT int nvPTXCompilerGetErrorLogSize(Compiler *compiler, size_t *size) { return give(compiler->errors, size); }
FAKE_EXPORT int nvPTXCompilerGetErrorLog(Compiler *compiler, char *log) {
  std::strcpy(log, compiler->errors.c_str());
  return Success;
}
FAKE_EXPORT int nvPTXCompilerGetInfoLogSize(Compiler *compiler, size_t *size) { return give(compiler->messages, size); }
FAKE_EXPORT int nvPTXCompilerGetInfoLog(Compiler *compiler, char *log) {
  std::strcpy(log, compiler->messages.c_str());
  return Success;
}
// NOLINTEND(readability-identifier-naming)
