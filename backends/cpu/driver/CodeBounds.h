// Where the dynamic loader has mapped a code object.
#pragma once
#include <cstdint>

namespace kiln::cpu {

struct CodeBounds {
  uintptr_t begin = 0, end = 0; // of its executable memory; both 0 if they are not known
  uintptr_t base = 0;           // what the loader added to the addresses in the file
};

/// `handle` is dlopen's.
CodeBounds boundsOf(void *handle);

} // namespace kiln::cpu
