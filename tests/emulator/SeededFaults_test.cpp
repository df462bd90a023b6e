// Plants faults in correct kernels: the emulator reports each of them, and nothing for the kernel as it is.
//
// The files of seeded/ are AMD assembly. A line that starts with ;@ is a fault for the line before it:
//
//   ;@ NAME | REPLACEMENT | PART OF THE REPORT
//
// "; " in a replacement separates lines. All kernels have the arguments of `arguments()` and run as two groups of 128
// work-items.
// The checks are Definedness.h, Hazards.h and LocalAccesses.h, which ask Classify.cpp for kinds of instructions.
#include "Assemble.h"
#include "emulator/machine/AddressSpace.h"
#include "emulator/machine/Launch.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

namespace kiln::emulator {
namespace {

constexpr unsigned Elements = 250, GroupSize = 128, Groups = 2;

struct SeededFault {
  size_t line; // that it replaces
  std::string name, replacement, report;
};
struct Kernel {
  std::string processor;
  std::vector<std::string> lines;
  std::vector<SeededFault> faults;
};

std::string trimmed(const std::string &text) {
  const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

/// "stream.gfx942.s" is a kernel for gfx942.
Kernel readKernel(const std::filesystem::path &path) {
  Kernel kernel;
  kernel.processor = path.stem().extension().string().substr(1);
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(";@")) {
      kernel.lines.push_back(line);
      continue;
    }
    const size_t first = line.find(" | "), second = line.find(" | ", first + 3);
    EXPECT_NE(second, std::string::npos) << path << ": " << line;
    kernel.faults.push_back({kernel.lines.size() - 1, trimmed(line.substr(2, first - 2)),
                             trimmed(line.substr(first + 3, second - first - 3)), trimmed(line.substr(second + 3))});
  }
  return kernel;
}

std::string sourceOf(const Kernel &kernel, const SeededFault *fault) {
  const std::string &gpu = kernel.processor;
  std::string source =
      "\t.amdgcn_target \"amdgcn-amd-amdhsa--" + gpu +
      "\"\n\t.amdhsa_code_object_version 5\n\t.text\n\t.globl k\n\t.p2align 8\n\t.type k,@function\nk:\n";
  for (size_t i = 0; i < kernel.lines.size(); ++i) {
    std::string line = kernel.lines[i];
    if (fault && fault->line == i) {
      line = fault->replacement;
      for (size_t at; (at = line.find(" ; ")) != std::string::npos;)
        line.replace(at, 3, "\n");
    }
    if (line.find(".amdhsa_kernel") != std::string::npos)
      source += ".Lkernel_end:\n\t.size k, .Lkernel_end-k\n\t.section .rodata,\"a\",@progbits\n\t.p2align 6, 0x0\n";
    source += line + "\n";
  }
  return source +
         "\t.amdgpu_metadata\n---\namdhsa.kernels:\n  - .name: k\n    .symbol: k.kd\n"
         "    .kernarg_segment_size: 24\n    .kernarg_segment_align: 8\n    .group_segment_fixed_size: 0\n"
         "    .private_segment_fixed_size: 0\n    .wavefront_size: 64\n    .sgpr_count: 16\n"
         "    .vgpr_count: 16\n    .max_flat_workgroup_size: 256\n"
         "amdhsa.target: amdgcn-amd-amdhsa--" +
         gpu + "\namdhsa.version: [1, 2]\n...\n\t.end_amdgpu_metadata\n";
}

/// Runs the kernel once. Returns the report of the emulator; empty if there is none.
std::string run(const Kernel &kernel, const SeededFault *fault) {
  std::string error;
  const std::vector<uint8_t> object = assemble(sourceOf(kernel, fault), kernel.processor, error);
  EXPECT_EQ(error, "");
  Gpu gpu;
  if (object.empty() || !Gpu::describe(kernel.processor, gpu))
    return "no code";
  std::shared_ptr<CodeObject> code = CodeObject::load(object.data(), gpu, error);
  EXPECT_EQ(error, "");
  if (!code || !code->kernel("k"))
    return "no kernel";

  std::vector<u32> in(Elements), out(size_t(Elements) * 16);
  for (u32 i = 0; i < Elements; ++i)
    in[i] = i + 1;
  addressSpace().add(in.data(), in.size() * sizeof in[0]);
  addressSpace().add(out.data(), out.size() * sizeof out[0]);
  Launch launch;
  launch.gpu = &gpu;
  launch.code = code;
  launch.kernel = code->kernel("k");
  launch.groups = {Groups, 1, 1};
  launch.groupSize = {GroupSize, 1, 1};
  launch.races = true;
  launch.seed = 1;
  struct {
    const u32 *in;
    u32 *out;
    u64 elements;
  } arguments{in.data(), out.data(), Elements};
  launch.arguments = makeArguments(launch, &arguments, sizeof arguments);
  makePacket(launch);
  addressSpace().add(launch.arguments.data(), launch.arguments.size(), false);
  std::string report;
  emulator::run(launch, &report);
  for (const void *memory : {static_cast<const void *>(in.data()), static_cast<const void *>(out.data()),
                             static_cast<const void *>(launch.arguments.data())})
    addressSpace().remove(memory);
  if (report.empty() && !fault) {
    EXPECT_NE(std::ranges::count_if(out, [](u32 value) { return value != 0; }), 0);
  }
  return report;
}

TEST(EmulatorSeededFaults, AllAreReported) {
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(KILN_SEEDED_FAULTS)) {
    if (entry.path().extension() != ".s")
      continue;
    SCOPED_TRACE(entry.path().filename());
    const Kernel kernel = readKernel(entry.path());
    EXPECT_EQ(run(kernel, nullptr), "");
    for (const SeededFault &fault : kernel.faults) {
      SCOPED_TRACE(fault.name);
      const std::string report = run(kernel, &fault);
      EXPECT_NE(report.find(fault.report), std::string::npos) << report;
      EXPECT_TRUE(report.starts_with("kernel k, group (")) << report;
      EXPECT_NE(report.find(" in k (kernel.s:"), std::string::npos) << report;
      EXPECT_TRUE(names.insert(fault.name).second);
    }
  }
  EXPECT_GE(names.size(), 30u);
}

} // namespace
} // namespace kiln::emulator
