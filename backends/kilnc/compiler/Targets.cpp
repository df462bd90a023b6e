#include "backends/kilnc/compiler/Targets.h"
#include "backends/cpu/codegen/CpuTarget.h"
#include "backends/cuda/codegen/NvptxTarget.h"
#include "backends/hip/codegen/AmdgpuTarget.h"
#include "llvm/ADT/StringRef.h"

namespace kiln {
namespace {
struct Row {
  llvm::StringLiteral kind;
  std::unique_ptr<Target> (*create)(const std::string &processor, std::string &error);
};
constexpr Row rows[] = {
    {"cpu", createCpuTarget},
    {"nvptx", createNvptxTarget},
    {"amdgpu", createAmdgpuTarget},
};
} // namespace

std::unique_ptr<Target> createTarget(const std::string &name, std::string &error) {
  auto [kind, processor] = llvm::StringRef(name).split(':');
  for (const Row &row : rows)
    if (row.kind == kind)
      return row.create(processor.str(), error);
  error =
      "unknown target '" + name + "', must be cpu or cpu:NAME, nvptx:sm_90 or the like, or amdgpu:gfx942 or the like";
  return nullptr;
}

} // namespace kiln
