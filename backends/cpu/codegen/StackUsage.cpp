#include "backends/cpu/codegen/StackUsage.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/ErrorHandling.h"

namespace kiln {

uint64_t largestStackFrame(llvm::ArrayRef<char> object) {
  auto file = llvm::object::ObjectFile::createObjectFile({llvm::StringRef(object.data(), object.size()), "kernels"});
  if (!file)
    llvm::reportFatalInternalError(file.takeError());
  uint64_t most = 0;
  for (const llvm::object::SectionRef &section : (*file)->sections()) {
    if (llvm::cantFail(section.getName()) != ".stack_sizes")
      continue;
    llvm::DataExtractor sizes(llvm::cantFail(section.getContents()), /*IsLittleEndian=*/true, /*AddressSize=*/8);
    for (llvm::DataExtractor::Cursor at(0); at && !sizes.eof(at);) {
      sizes.getAddress(at); // of the function
      most = std::max(most, sizes.getULEB128(at));
    }
  }
  return most;
}

} // namespace kiln
