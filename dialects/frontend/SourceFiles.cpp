#include "dialects/frontend/SourceFiles.h"
#include "dialects/frontend/Generation.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace kiln::frontend {
namespace {

const unsigned char BaseHeader[] = {
#include "BaseHeader.inc"
    0};
const unsigned char OwnHeaderText[] = {
#include "OwnHeader.inc"
    0};

const unsigned char AssertHeaderText[] = {
#include "AssertHeader.inc"
    0};

/// A file that has been read.
class ReadFile : public llvm::vfs::File {
public:
  ReadFile(llvm::vfs::Status status, std::unique_ptr<llvm::MemoryBuffer> text)
      : status_(std::move(status)), text_(std::move(text)) {}
  llvm::ErrorOr<llvm::vfs::Status> status() override { return status_; }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine &, int64_t, bool, bool) override {
    return std::move(text_);
  }
  std::error_code close() override { return {}; }

private:
  llvm::vfs::Status status_;
  std::unique_ptr<llvm::MemoryBuffer> text_;
};

} // namespace

SourceFiles::SourceFiles(const std::vector<protocol::Header> &embedded) {
  auto addBuiltIn = [&](const char *name, llvm::ArrayRef<unsigned char> text) {
    llvm::StringRef content(reinterpret_cast<const char *>(text.data()), text.size() - 1);
    memory_.addFile(llvm::Twine(ClangFolder) + "/" + name, 0, llvm::MemoryBuffer::getMemBuffer(content));
  };
  addBuiltIn("opencl-c-base.h", BaseHeader);
  addBuiltIn(OwnHeader, OwnHeaderText);
  addBuiltIn(AssertHeader, AssertHeaderText);
  for (const protocol::Header &header : embedded) {
    std::string path = absolute(header.name);
    if (!memory_.exists(path)) // the first header of a name takes precedence
      memory_.addFile(path, 0, llvm::MemoryBuffer::getMemBuffer(header.text, path));
  }
  memory_.addFile(llvm::Twine(EmbeddedFolder) + "/.kiln", 0,
                  llvm::MemoryBuffer::getMemBuffer("")); // so that the folder exists
}

std::string SourceFiles::absolute(const llvm::Twine &path) const {
  llvm::SmallString<256> full;
  path.toVector(full);
  if (!llvm::sys::path::is_absolute(full)) {
    llvm::SmallString<256> inFolder(EmbeddedFolder);
    llvm::sys::path::append(inFolder, full);
    full = inFolder;
  }
  llvm::sys::path::remove_dots(full, /*remove_dot_dot=*/false);
  return std::string(full);
}

void SourceFiles::recordMissing(const std::string &path) {
  if (!startsWith(path, "/kiln/") && seen_.insert(path).second)
    missing_.push_back(path);
}

llvm::ErrorOr<llvm::vfs::Status> SourceFiles::status(const llvm::Twine &path) {
  std::string full = absolute(path);
  if (auto found = memory_.status(full))
    return llvm::vfs::Status::copyWithNewName(*found, path);
  auto found = disk_->status(full);
  if (!found)
    recordMissing(full);
  return found;
}

llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> SourceFiles::openFileForRead(const llvm::Twine &path) {
  std::string full = absolute(path);
  if (memory_.exists(full))
    return memory_.openFileForRead(full);
  auto status = disk_->status(full);
  if (!status) {
    recordMissing(full);
    return status.getError();
  }
  // Reading a device or a pipe might not end.
  if (!status->isRegularFile() && !status->isDirectory())
    return std::make_error_code(std::errc::invalid_argument);
  if (status->getSize() > protocol::LargestInclude)
    return std::make_error_code(std::errc::file_too_large);
  auto file = disk_->openFileForRead(full);
  if (!file)
    return file.getError();
  auto text = (*file)->getBuffer(full, status->getSize(), /*RequiresNullTerminator=*/true, /*IsVolatile=*/true);
  if (!text)
    return text.getError();
  if (seen_.insert(full).second) {
    const llvm::StringRef content = (*text)->getBuffer();
    included_.push_back(protocol::describeInclude(full, {content.data(), content.size()}));
  }
  // Clang compares the size with the text's length; the file may have grown since its status was read.
  llvm::vfs::Status current(path, status->getUniqueID(), status->getLastModificationTime(), status->getUser(),
                            status->getGroup(), (*text)->getBufferSize(), status->getType(), status->getPermissions());
  return std::unique_ptr<llvm::vfs::File>(std::make_unique<ReadFile>(std::move(current), std::move(*text)));
}

llvm::vfs::directory_iterator SourceFiles::dir_begin(const llvm::Twine &folder, std::error_code &error) {
  return disk_->dir_begin(folder, error);
}

} // namespace kiln::frontend
