// KILN_DUMP: the stages of a compilation as files, in a folder of its own.
#pragma once
#include "llvm/ADT/StringRef.h"
#include "runtime/compiler/Protocol.h"
#include <string>

namespace kiln {

class Dump {
public:
  /// Names the folder after the modules' content, so that the same program lands in the same place.
  explicit Dump(const protocol::BuildRequest &request);
  bool wanted() const { return !folder_.empty(); }
  std::string path(llvm::StringRef file) const;
  void write(llvm::StringRef file, llvm::StringRef content) const;
  void write(llvm::StringRef file, const wire::Bytes &content) const;

private:
  std::string folder_;
};

} // namespace kiln
