#include "emulator/loader/Metadata.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"

namespace kiln::emulator {
namespace {

using llvm::msgpack::DocNode;
using llvm::msgpack::Type;

const DocNode *member(DocNode &node, const char *name) {
  if (node.getKind() != Type::Map)
    return nullptr;
  auto &map = node.getMap();
  auto found = map.find(name);
  return found == map.end() ? nullptr : &found->second;
}

std::string textOf(DocNode &node, const char *name) {
  const DocNode *found = member(node, name);
  return found && found->getKind() == Type::String ? found->getString().str() : "";
}

u32 numberOf(DocNode &node, const char *name, u32 otherwise) {
  const DocNode *found = member(node, name);
  return found && found->getKind() == Type::UInt ? u32(found->getUInt()) : otherwise;
}

} // namespace

bool parseMetadata(llvm::StringRef note, std::vector<KernelMetadata> &kernels, std::string &processor) {
  llvm::msgpack::Document document;
  if (!document.readFromBlob(note, /*Multi=*/false))
    return false;
  DocNode &root = document.getRoot();
  // "amdgcn-amd-amdhsa--gfx942:sramecc+"
  const std::string target = textOf(root, "amdhsa.target");
  processor = llvm::StringRef(target).rsplit("--").second.split(':').first.str();
  auto *list = const_cast<DocNode *>(member(root, "amdhsa.kernels"));
  if (!list || list->getKind() != Type::Array)
    return true; // an object without kernels
  for (DocNode &node : list->getArray()) {
    KernelMetadata kernel;
    kernel.name = textOf(node, ".name");
    kernel.vectorRegisters = numberOf(node, ".vgpr_count", 0);
    kernel.scalarRegisters = numberOf(node, ".sgpr_count", 0);
    kernel.maxGroupSize = numberOf(node, ".max_flat_workgroup_size", 1024);
    if (auto *arguments = const_cast<DocNode *>(member(node, ".args")); arguments && arguments->isArray())
      for (DocNode &argument : arguments->getArray()) {
        const u32 offset = numberOf(argument, ".offset", 0), size = numberOf(argument, ".size", 0);
        if (std::string kind = textOf(argument, ".value_kind"); llvm::StringRef(kind).starts_with("hidden_"))
          kernel.hidden.push_back({std::move(kind), offset, size});
        else
          kernel.arguments.push_back({offset, size});
      }
    kernels.push_back(std::move(kernel));
  }
  return true;
}

} // namespace kiln::emulator
