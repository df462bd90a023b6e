#include "doctor/Checks.h"
#include "runtime/compiler/CompilerClient.h"
#include <utility>

namespace kiln::doctor {

Findings checkCompiler(const std::string &name, const std::string &folder) {
  // The client that libkiln uses: it finds the program in the same way, and its message states why it does not start.
  // An empty request is invalid, so the answer of a working compiler is a failed build.
  CompilerClient client(name, folder, {.processorSeconds = 30, .wallSeconds = 60, .memoryBytes = uint64_t(4) << 30});
  Result<wire::Bytes> reply = client.request({});
  if (reply.ok() || reply.code() == CL_BUILD_PROGRAM_FAILURE)
    return {good(name + " starts and is of this build")};
  const std::string_view message = reply.message();
  if (const size_t hint = message.find("; install the package "); hint != std::string_view::npos)
    return {problem(std::string(message.substr(0, hint)), std::string(message.substr(hint + 2)))};
  if (message.find("another build") != std::string_view::npos)
    return {problem(std::string(message), "install libkiln, kilnc and kiln-clc from one build")};
  return {problem(std::string(message),
                  folder.empty()
                      ? "install Kiln's compilers (package kiln-compilers), or set KILN_COMPILER_DIR to their "
                        "folder"
                      : "KILN_COMPILER_DIR is " + folder + ", must be the folder of " + name +
                            "; without it Kiln searches the folder of libkiln")};
}

} // namespace kiln::doctor
