// A code object: an ELF file of the AMDHSA ABI (https://llvm.org/docs/AMDGPUUsage.html#elf-code-object), its segments
// in memory with relocations applied, its kernels, and its instructions once they are needed.
#pragma once
#include "base/support/Mutex.h"
#include "emulator/decode/Instruction.h"
#include "emulator/machine/Gpu.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kiln::emulator {

/// An argument that the runtime adds, by the name of the ABI ("hidden_block_count_x").
struct HiddenArgument {
  std::string kind;
  u32 offset, size;
};

/// An argument that the application passes.
struct ExplicitArgument {
  u32 offset, size;
};

struct KernelCode {
  std::string name;
  llvm::amdhsa::kernel_descriptor_t descriptor{};
  u64 entry = 0; // address of the first instruction
  u32 maxGroupSize = 1024;
  std::vector<HiddenArgument> hidden;
  std::vector<ExplicitArgument> arguments;
  unsigned waveSize = 64;
  unsigned vectorRegisters = 0, accumulatorOffset = 0;
  unsigned usedVectors = 0, usedScalars = 0; // as the compiler counted them
  unsigned scalarRegisters = 106;            // s0 and those after it, with the special ones of gfx9
};

class CodeObject {
public:
  /// Returns null, with the reason in `error`, for a file that the processor cannot run.
  static std::unique_ptr<CodeObject> load(const void *image, const Gpu &gpu, std::string &error);
  ~CodeObject();

  const KernelCode *kernel(const std::string &name) const;
  /// Decodes all functions, if that was not done yet.
  void decode() KILN_EXCLUDES(mutex_);
  /// The instruction that starts at the address; null if there is none. After `decode`.
  const Instruction *at(u64 address) const {
    u64 word = (address - codeBegin_) / 4;
    return address >= codeBegin_ && word < places_.size() && address % 4 == 0 ? places_[word] : nullptr;
  }
  /// The function of the address, for messages.
  std::string functionName(u64 address) const;
  /// The source line of the address as "file:line"; empty if the object has no line table.
  std::string sourceLine(u64 address) const;
  const Gpu &gpu() const { return gpu_; }

private:
  struct Function {
    std::string name;
    u64 begin, end; // addresses
  };
  explicit CodeObject(const Gpu &gpu) : gpu_(gpu) {}
  bool read(const void *image, std::string &error);
  bool readMetadata(const void *image, std::string &error);

  const Gpu &gpu_;
  u8 *memory_ = nullptr;
  size_t memoryBytes_ = 0;
  u64 base_ = 0; // address of the ELF file's address 0
  std::map<std::string, KernelCode> kernels_;
  std::vector<Function> functions_;
  std::string lineTable_; // a copy of the file if it has line numbers
  Mutex mutex_;
  bool decoded_ KILN_GUARDED_BY(mutex_) = false;
  u64 codeBegin_ = 0;
  std::vector<const Instruction *> places_; // by word
  std::vector<std::unique_ptr<Instruction>> instructions_;
};

} // namespace kiln::emulator
