// The program-scope variables of a program on one device: a block of device memory with the lifetime of the program's
// code. Values persist between launches.
#pragma once
#include "backends/Device.h"

namespace kiln {

class VariableBlock {
public:
  /// Allocates and initialises the block; the transfers are complete on return. `variables` is checked, because it may
  /// come from a damaged file. Without variables there is no block and the address is 0.
  static Result<VariableBlock> create(Device &device, const ProgramVariables &variables);
  VariableBlock() = default;

  uint64_t address() const { return address_; } // device address

private:
  std::unique_ptr<Memory> memory_;
  uint64_t address_ = 0;
};

} // namespace kiln
