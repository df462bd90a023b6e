// Code that dlopen can take: a file of the cache, or of its own where the cache cannot hold code (switched off,
// read-only, mounted noexec). gdb and perf read the former.
#pragma once
#include "runtime/cache/Sha256.h"
#include "runtime/compiler/Wire.h"
#include "runtime/support/Descriptor.h"
#include "runtime/support/Status.h"
#include <memory>
#include <string>

namespace kiln {

class CodeFile {
public:
  /// A file that somebody else keeps, with the digest of what it holds.
  static std::shared_ptr<const CodeFile> existing(std::string path, const Sha256::Digest &digest);
  /// A file of its own in memory, or in a temporary folder, gone with the object. Keep the object as long as the code
  /// is loaded: the loader takes two files of one name for the same, and names of files in memory come again.
  static Result<std::shared_ptr<const CodeFile>> temporary(const wire::Bytes &code);
  ~CodeFile();
  CodeFile(const CodeFile &) = delete;
  CodeFile &operator=(const CodeFile &) = delete;

  const std::string &path() const { return path_; }
  /// What it holds, for program binaries; empty when it cannot be read any more, or is not what it was.
  wire::Bytes read() const;

private:
  CodeFile(std::string path, const Sha256::Digest &digest) : path_(std::move(path)), digest_(digest) {}
  std::string path_;
  Sha256::Digest digest_;
  Descriptor descriptor_; // keeps a file without a name alive
  bool unlink_ = false;   // the file goes with the object
};

} // namespace kiln
