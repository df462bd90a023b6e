// Errors of spirv-val that the importer accepts, because producers that Kiln must support write such modules. Each row
// has its reason and a test, tests/dialects/import/allowed-*.spvasm. spirv-val stops at the first error. After an
// allowed one, the module is validated again by the universal rules alone; after a second allowed error the rest of
// the module is unchecked. So the importer relies on no check of spirv-val.
#pragma once
#include "llvm/ADT/StringRef.h"

namespace kiln::import {

struct AllowedError {
  llvm::StringLiteral message; // a substring of the error
  llvm::StringLiteral reason;
};

inline constexpr AllowedError AllowedErrors[] = {
    {"is not allowed by OpenCL 2.2 Full Profile specification",
     "optional capabilities, for example Float16 of cl_khr_fp16, depend on the device's extensions, which spirv-val "
     "does not have; the importer reports what it does not support"},
    {"Vector access is out of bounds, vector size is 3",
     "the translator writes get_global_id(3) as the fourth component of a built-in; OpenCL C defines the call"},
    {"is already a merge block for another header",
     "the translator uses one merge block for several loops; kernels need no structured control flow"},
    {"Merge Block and Continue Target must be different ids",
     "the translator writes equal ids for loops whose last block is empty; see above"},
    {"to be a pointer: ConvertUToPtr",
     "the translator casts an integer to a handle, for example CLK_NULL_EVENT; the importer checks the types"},
    {"to be a pointer: ConvertPtrToU", "the translator casts handles to integers to compare them"},
    {"has not been defined",
     "the translator writes constant expressions on addresses before their operands, and a linker concatenates modules "
     "without sorting definitions; the importer reports undefined ids"},
    {"to index into a structure must be an OpConstant",
     "Clang's SPIR-V target writes a null constant for a struct's first member; the importer rejects invalid indices"},
    {"ConstantPipeStorage must appear in a block",
     "OpConstantPipeStorage is a constant at module scope; spirv-val's list of constants omits it"},
    {"is not a constant or undef",
     "the translator writes a variable's id for its address in a constant composite; the importer checks the ids"},
};

} // namespace kiln::import
