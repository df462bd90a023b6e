// Functions whose declaration and definition differ in pointer types. Translators of opaque pointers (since LLVM 17)
// select a pointer type by the uses in one module, so a function can be declared with `uchar *` and defined with
// `float *`. SPIRV-Tools links such modules since 2024 only, and then with an option.
#pragma once
#include "base/spirv/Words.h"

namespace kiln {

/// Gives the functions that two modules declare with different pointees, and with no other difference, pointers to
/// bytes in all modules, with bitcasts at calls, parameters and returns. The modules are valid.
void unifyLinkedPointers(std::vector<spirv::Words> &modules);

} // namespace kiln
