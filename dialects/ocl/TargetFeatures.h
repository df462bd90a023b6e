// The set of features of a target.
#pragma once
#include "llvm/ADT/Hashing.h"
#include <cstdint>

namespace kiln::ocl {

enum class TargetFeature : unsigned {
#define KILN_TARGET_FEATURE(Name, name, x86) Name,
#include "dialects/ocl/TargetFeatures.def"
};

class TargetFeatures {
public:
  void add(TargetFeature feature) { bits_ |= uint32_t(1) << unsigned(feature); }
  bool contains(TargetFeature feature) const { return bits_ >> unsigned(feature) & 1; }
  bool operator==(const TargetFeatures &) const = default;
  friend llvm::hash_code hash_value(const TargetFeatures &of) { return llvm::hash_value(of.bits_); } // NOLINT: LLVM's

private:
  uint32_t bits_ = 0;
};

} // namespace kiln::ocl
