// A code file for dlopen: a file of the cache, or a temporary one if the cache cannot hold code (switched off,
// read-only, mounted noexec). gdb and perf can read the former; with KILN_LINES or KILN_DEBUG gdb can read both.
#pragma once
#include "base/support/Descriptor.h"
#include "base/support/Sha256.h"
#include "base/support/Status.h"
#include "base/support/Wire.h"
#include <memory>
#include <string>

namespace kiln {

class CodeFile {
public:
  /// A file owned by the cache, with the digest of its contents.
  static std::shared_ptr<const CodeFile> existing(std::string path, const Sha256::Digest &digest);
  /// A file in memory or in a temporary folder, removed with the object. The object must outlive the loaded code,
  /// because the loader treats files of one name as the same, and names of files in memory are reused.
  static Result<std::shared_ptr<const CodeFile>> temporary(const wire::Bytes &code);
  ~CodeFile();
  CodeFile(const CodeFile &) = delete;
  CodeFile &operator=(const CodeFile &) = delete;

  const std::string &path() const { return path_; }
  const Sha256::Digest &digest() const { return digest_; }
  /// The contents, for program binaries; empty if they cannot be read or do not match the digest.
  wire::Bytes read() const;

private:
  CodeFile(std::string path, const Sha256::Digest &digest) : path_(std::move(path)), digest_(digest) {}
  std::string path_;
  Sha256::Digest digest_;
  Descriptor descriptor_; // keeps an unnamed file alive
  bool unlink_ = false;   // remove the file in the destructor
};

} // namespace kiln
