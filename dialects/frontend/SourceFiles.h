// The file system of `#include`: the request's embedded headers, then Clang's base header, then the disk. Records all
// accesses to the disk for the cache, failed ones included: a file that appears later changes the program.
#pragma once
#include "dialects/frontend/FrontEnd.h"
#include "clang/Basic/LLVM.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace kiln::frontend {

inline constexpr char ClangFolder[] = "/kiln/clang";
/// In ClangFolder: declares the built-in functions that Clang does not have.
inline constexpr char OwnHeader[] = "opencl-c-kiln.h";
/// In ClangFolder as well, for programs that include it, and for those that use `assert` without defining it.
inline constexpr char AssertHeader[] = "assert.h";

class SourceFiles : public llvm::vfs::FileSystem {
public:
  explicit SourceFiles(const std::vector<protocol::Header> &embedded);

  /// Files read from disk, in the order of their first use.
  std::vector<protocol::IncludedFile> takeIncluded() { return std::move(included_); }
  /// Paths that do not exist.
  std::vector<std::string> takeMissing() { return std::move(missing_); }

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &path) override;
  llvm::vfs::directory_iterator dir_begin(const llvm::Twine &folder, std::error_code &error) override;
  llvm::ErrorOr<std::string> getCurrentWorkingDirectory() const override { return std::string(EmbeddedFolder); }
  std::error_code setCurrentWorkingDirectory(const llvm::Twine &) override { return {}; }

private:
  std::string absolute(const llvm::Twine &path) const;
  void recordMissing(const std::string &path);

  llvm::vfs::InMemoryFileSystem memory_;
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> disk_ = llvm::vfs::getRealFileSystem();
  llvm::StringSet<> seen_; // paths already recorded
  std::vector<protocol::IncludedFile> included_;
  std::vector<std::string> missing_;
};

} // namespace kiln::frontend
