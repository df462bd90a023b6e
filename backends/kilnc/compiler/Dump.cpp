#include "backends/kilnc/compiler/Dump.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

namespace kiln {

Dump::Dump(const protocol::BuildRequest &request) {
  if (request.dumpFolder.empty())
    return;
  uint64_t digest = 0;
  for (const wire::Bytes &module : request.modules)
    digest = digest * 31 + llvm::xxh3_64bits(module);
  std::string name = llvm::utohexstr(digest, /*LowerCase=*/true);
  for (const protocol::Specialisation &variant : request.specialisations) {
    name += "." + variant.kernel + "." + std::to_string(variant.localSize[0]) + "x" +
            std::to_string(variant.localSize[1]) + "x" + std::to_string(variant.localSize[2]);
    for (const protocol::KnownArgument &known : variant.known)
      name += "." + std::to_string(known.index) + "=" + llvm::utohexstr(known.value, /*LowerCase=*/true);
  }
  if (request.scalar)
    name += ".scalar";
  folder_ = request.dumpFolder + "/" + name;
  if (llvm::sys::fs::create_directories(folder_))
    folder_.clear(); // disables the dump: the build does not need it
}

std::string Dump::path(llvm::StringRef file) const { return folder_ + "/" + file.str(); }

void Dump::write(llvm::StringRef file, llvm::StringRef content) const {
  if (!wanted())
    return;
  std::error_code error;
  llvm::raw_fd_ostream stream(path(file), error);
  if (!error)
    stream << content;
}

void Dump::write(llvm::StringRef file, const wire::Bytes &content) const {
  write(file, llvm::StringRef(reinterpret_cast<const char *>(content.data()), content.size()));
}

} // namespace kiln
