// A program's variables on one device: a block of the device's memory that lives as long as the program's code there and
// keeps what kernels leave in it from launch to launch.
#pragma once
#include "backends/Device.h"

namespace kiln {

class VariableBlock {
public:
  /// Allocates the block and gives it its first contents; nothing is on its way when this returns. Nothing is trusted
  /// that `variables` says: it may come from a damaged file. Without variables there is no block, and its address is 0.
  static Result<VariableBlock> create(Device &device, const ProgramVariables &variables);
  VariableBlock() = default;

  uint64_t address() const { return address_; } // as kernels see it

private:
  std::unique_ptr<Memory> memory_;
  uint64_t address_ = 0;
};

} // namespace kiln
