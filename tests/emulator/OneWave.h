// A wave outside of a kernel: tests set its registers and execute lines of assembly.
#pragma once
#include "emulator/decode/Decode.h"
#include "emulator/machine/Fault.h"
#include "emulator/machine/HostFloat.h"
#include "emulator/machine/Wave.h"
#include <gtest/gtest.h>

namespace kiln::emulator {

struct OneWave {
  explicit OneWave(const std::string &processor, unsigned localBytes = 256)
      : gpu(describe(processor)), group{launch, {}, {}}, wave(prepare(localBytes), 0) {
    wave.mode = 0xf0 | 1 << 8 | 1 << 9; // denormals, dx10_clamp, IEEE, as kernels start
    wave.setMask(Exec, wave.lanes == 64 ? ~u64(0) : 0xffffffff);
  }
  static Gpu describe(const std::string &processor) {
    Gpu gpu;
    EXPECT_TRUE(Gpu::describe(processor, gpu)) << processor;
    return gpu;
  }
  Group &prepare(unsigned localBytes) {
    kernel.waveSize = gpu.waveSize;
    kernel.vectorRegisters = 64;
    launch.checks = false;
    launch.gpu = &gpu;
    launch.kernel = &kernel;
    launch.ranges = addressSpace().ranges();
    group.local.resize(localBytes);
    return group;
  }
  void execute(const std::string &line) {
    const std::unique_ptr<Instruction> instruction = decodeLine(line);
    HostFloat host;
    if (instruction->mode != FloatMode::None)
      host.set(wave, instruction->mode);
    instruction->run(wave, *instruction);
  }
  /// The message of the fault that the line causes; empty if it causes none.
  std::string fault(const std::string &line) {
    try {
      execute(line);
    } catch (const Fault &fault) {
      return fault.what();
    }
    return "";
  }
  void setF32(unsigned index, f32 value) { wave.vector(index).fill(std::bit_cast<u32>(value)); }
  f32 getF32(unsigned index, unsigned lane = 0) { return std::bit_cast<f32>(wave.vector(index)[lane]); }
  void setF64(unsigned index, f64 value) {
    wave.vector(index).fill(u32(std::bit_cast<u64>(value)));
    wave.vector(index + 1).fill(u32(std::bit_cast<u64>(value) >> 32));
  }
  u64 get64(unsigned index, unsigned lane = 0) {
    return wave.vector(index)[lane] | u64(wave.vector(index + 1)[lane]) << 32;
  }

  Gpu gpu;
  KernelCode kernel;
  Launch launch;
  Group group;
  Wave wave;
};

} // namespace kiln::emulator
