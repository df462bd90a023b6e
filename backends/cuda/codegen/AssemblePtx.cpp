#include "backends/cuda/codegen/AssemblePtx.h"
#include <dlfcn.h>

namespace kiln {
namespace {

using Handle = struct PtxCompiler *;

/// The functions, and their results. Each returns 0 if it succeeds.
struct Library {
  enum : int { CompilationFailure = 3, OutOfMemory = 5, UnsupportedVersion = 7 };

  int (*version)(unsigned *major, unsigned *minor) = nullptr;
  int (*create)(Handle *compiler, size_t size, const char *code) = nullptr;
  int (*compile)(Handle compiler, int count, const char *const *options) = nullptr;
  int (*imageSize)(Handle compiler, size_t *size) = nullptr;
  int (*image)(Handle compiler, void *image) = nullptr;
  int (*errorLogSize)(Handle compiler, size_t *size) = nullptr;
  int (*errorLog)(Handle compiler, char *log) = nullptr;
  int (*infoLogSize)(Handle compiler, size_t *size) = nullptr;
  int (*infoLog)(Handle compiler, char *log) = nullptr;

  /// Loads the library, which stays loaded. Returns why it cannot be used; empty if it can.
  std::string load(const AssemblerInput &input) {
    // The loader gives an empty name the program itself.
    void *library = input.library.empty() ? nullptr : dlopen(input.library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return input.library.empty() ? "no library is given" : dlerror();
    std::string missing;
    auto bind = [&](auto *&function, const char *name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (!function && missing.empty())
        missing = input.library + " has no " + name;
    };
    bind(version, "nvPTXCompilerGetVersion");
    bind(create, "nvPTXCompilerCreate");
    bind(compile, "nvPTXCompilerCompile");
    bind(imageSize, "nvPTXCompilerGetCompiledProgramSize");
    bind(image, "nvPTXCompilerGetCompiledProgram");
    bind(errorLogSize, "nvPTXCompilerGetErrorLogSize");
    bind(errorLog, "nvPTXCompilerGetErrorLog");
    bind(infoLogSize, "nvPTXCompilerGetInfoLogSize");
    bind(infoLog, "nvPTXCompilerGetInfoLog");
    return missing.empty() ? checkVersion(input) : missing;
  }

  /// Sets the machine code and the messages of `assembly`. Returns the first result that is not 0.
  int assemble(const std::string &code, const std::vector<std::string> &options, Assembly &assembly) const {
    Handle compiler = nullptr; // never destroyed: the process ends
    if (int status = create(&compiler, code.size(), code.c_str()))
      return status;
    std::vector<const char *> words;
    for (const std::string &option : options)
      words.push_back(option.c_str());
    int status = compile(compiler, int(words.size()), words.data());
    assembly.messages = textOf(compiler, infoLogSize, infoLog) + textOf(compiler, errorLogSize, errorLog);
    size_t size = 0;
    if (!status)
      status = imageSize(compiler, &size);
    if (status)
      return status;
    assembly.machineCode.resize(size);
    return image(compiler, assembly.machineCode.data());
  }

private:
  /// The text that two functions return, with a line feed at its end; empty if there is none.
  static std::string textOf(Handle compiler, int (*sizeOf)(Handle, size_t *), int (*get)(Handle, char *)) {
    size_t size = 0;
    if (sizeOf(compiler, &size) || !size)
      return {};
    std::string text(size + 1, 0); // some versions do not count the terminator
    if (get(compiler, text.data()))
      return {};
    text.resize(text.find('\0'));
    text.erase(text.find_last_not_of('\n') + 1);
    return text.empty() ? text : text + "\n";
  }

  // Its version is that of CUDA. A driver does not load what a newer one assembles.
  std::string checkVersion(const AssemblerInput &input) const {
    unsigned major = 0, minor = 0;
    if (int code = version(&major, &minor))
      return "nvPTXCompilerGetVersion returned " + std::to_string(code);
    if ((!input.major && !input.minor) || (major == input.major && minor == input.minor))
      return {};
    auto text = [](unsigned major, unsigned minor) { return std::to_string(major) + "." + std::to_string(minor); };
    return input.library + " has version " + text(major, minor) + ", must be " + text(input.major, input.minor);
  }
};

constexpr unsigned RegistersOfGroup = 65536, LargestGroup = 1024; // of every processor from sm_70 on

std::string describe(int code) {
  return code == Library::OutOfMemory          ? "it is out of memory"
         : code == Library::UnsupportedVersion ? "the version of the PTX is not supported"
                                               : "error " + std::to_string(code);
}

// Of sm_70, the oldest processor, and for every newer one.
constexpr char EmptyModule[] = ".version 6.0\n.target sm_70\n.address_size 64\n";

Assembly unusable(const std::string &reason) {
  return {.error = "NVIDIA's assembler cannot be used: " + reason, .hasAssembler = false};
}

} // namespace

Assembly assemblePtx(const AssemblerInput &input, llvm::StringRef processor) {
  Library library;
  if (std::string reason = library.load(input); !reason.empty())
    return unusable(reason);
  std::vector<std::string> options = {("--gpu-name=" + processor).str()};
  if (input.code.contains("\t.loc\t"))
    options.push_back("--generate-line-info");
  if (input.forLargestGroups)
    options.push_back("--maxrregcount=" + std::to_string(RegistersOfGroup / LargestGroup));
  Assembly result;
  const int status = library.assemble(input.code.str(), options, result);
  if (!status && !result.machineCode.empty())
    return result;
  result.machineCode.clear();
  result.error = "NVIDIA's assembler rejects the code";
  if (status == Library::CompilationFailure)
    return result;
  // The code, or all code.
  Assembly empty;
  if (const int code = library.assemble(EmptyModule, {options.front()}, empty))
    return unusable(input.library + " fails: " + describe(code));
  result.error += ": " + (status ? describe(status) : std::string("there is no machine code"));
  return result;
}

} // namespace kiln
