#include "runtime/compiler/FailedRequest.h"
#include "KilnBuildId.h"
#include "base/support/FileSizeLimit.h"
#include "base/support/Json.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include "runtime/cache/Files.h"
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace kiln {
namespace {

using Named = std::pair<std::string, std::string_view>; // a file's name and contents

std::string_view textOf(const wire::Bytes &bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

/// Creates the next folder; empty if there are enough, or on failure.
std::filesystem::path nextFolder() {
  std::error_code failed;
  std::filesystem::path above = options().captureDir;
  if (above.empty()) {
    above = std::filesystem::temp_directory_path(failed) / text("kiln-crashes-", geteuid());
    if (failed || !files::makeFolders(above.string()) || files::reasonNotTrusted(above.string()))
      return {};
  } else if (!std::filesystem::create_directories(above, failed) && failed) {
    return {};
  }
  unsigned count = 0;
  for (auto entry = std::filesystem::directory_iterator(above, failed);
       !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed))
    count += entry->path().filename().string().starts_with("crash-");
  for (unsigned i = 0; !failed && count < MaxFailedRequests && i < MaxFailedRequests; ++i) {
    std::filesystem::path folder = above / text("crash-", getpid(), "-", i);
    if (std::filesystem::create_directory(folder, failed) && !failed) {
      std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed); // it has the program's source
      return std::filesystem::absolute(folder, failed);
    }
  }
  return {};
}

std::string keep(const char *compiler, std::string_view why, const std::vector<Named> &files) {
  const std::filesystem::path folder = nextFolder();
  if (folder.empty())
    return {};
  const std::string about =
      text("{\n \"version\":1,\n \"writer\":\"crash\",\n \"compiler\":", json::quoted(compiler),
           ",\n \"build\":", json::quoted(KILN_BUILD_ID), ",\n \"why\":", json::quoted(why), "\n}\n");
  FileSizeLimit noSignal;
  bool written = true;
  for (const auto &[name, content] : files)
    written &= std::ofstream(folder / name, std::ios::binary)
                   .write(content.data(), std::streamsize(content.size()))
                   .flush()
                   .good();
  written &= std::ofstream(folder / "bundle.json").write(about.data(), std::streamsize(about.size())).flush().good();
  if (!written)
    return {};
  KILN_LOG(Info, Compile, "the input of ", compiler, " is kept in ", folder.string());
  return text("note: the compiler's input is in ", folder.string(), "; kiln-replay repeats it\n");
}

} // namespace

std::string keepFailedRequest(const protocol::CompileRequest &request, std::string_view why) {
  const wire::Bytes packed = wire::pack(request);
  return keep("kiln-clc", why, {{"request.bin", textOf(packed)}, {"program.cl", request.source}});
}

std::string keepFailedRequest(protocol::BuildRequest request, std::string_view why) {
  request.assembler.path.clear(); // a library that is not a file's to choose
  const wire::Bytes packed = wire::pack(request);
  const char *ending = request.task == protocol::Task::Assemble ? ".s" : ".spv";
  std::vector<Named> files = {{"request.bin", textOf(packed)}};
  for (size_t i = 0; i < request.modules.size(); ++i)
    files.emplace_back(text("module-", i, ending), textOf(request.modules[i]));
  return keep("kilnc", why, files);
}

} // namespace kiln
