// KILN_DUMP: writes the stages of a compilation to files in a separate folder.
#pragma once
#include "base/protocol/Protocol.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace kiln {

class Dump {
public:
  /// The folder's name is a hash of the modules, so that the same program has the same folder.
  explicit Dump(const protocol::BuildRequest &request);
  bool wanted() const { return !folder_.empty(); }
  std::string path(llvm::StringRef file) const;
  void write(llvm::StringRef file, llvm::StringRef content) const;
  void write(llvm::StringRef file, const wire::Bytes &content) const;

private:
  std::string folder_;
};

} // namespace kiln
