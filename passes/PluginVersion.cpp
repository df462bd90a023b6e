#include "passes/PluginVersion.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MemoryBuffer.h"
#include <dlfcn.h>

namespace kiln {
namespace {

// Patch releases are compatible.
const std::string ownVersion = "Kiln " KILN_MINOR_VERSION ", LLVM " + std::to_string(LLVM_VERSION_MAJOR) + "." +
                               std::to_string(LLVM_VERSION_MINOR);

// Not one literal, so that a program with this code is not itself a marked file.
const std::string mark = std::string("KILN-PASS-") + "PLUGIN for ";

} // namespace

std::string pluginMismatch(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return {};
  const llvm::StringRef content = (*file)->getBuffer();
  if (const size_t begin = content.find(mark); begin != llvm::StringRef::npos) {
    const llvm::StringRef version = content.substr(begin + mark.size()).take_until([](char c) { return c == '\0'; });
    if (version != ownVersion)
      return path + " was built for " + version.str() + ", this is " + ownVersion + "; build it again";
  }
  // LLVM binds functions at their first call, and the process ends if one is missing. This binds all of them now.
  if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
    return {};
  const char *why = dlerror();
  return path + " does not fit " + ownVersion + ": " + (why ? why : "no reason given") + "; build it again";
}

} // namespace kiln
