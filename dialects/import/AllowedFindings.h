// Findings of spirv-val that do not keep a module out, because producers that Kiln must take write such modules. Each
// row has its reason and a test, tests/dialects/import/allowed-*.spvasm. Validation ends at the first finding: after an
// allowed one the module is validated again by the universal rules alone, and where these have an allowed finding too,
// the rest has not been checked. The importer relies on no check of the validator's.
#pragma once
#include "llvm/ADT/StringRef.h"

namespace kiln::import {

struct AllowedFinding {
  llvm::StringLiteral message; // occurs in the finding
  llvm::StringLiteral reason;
};

inline constexpr AllowedFinding AllowedFindings[] = {
    {"is not allowed by OpenCL 2.2 Full Profile specification",
     "optional capabilities, Float16 of cl_khr_fp16 among them, come with the device's extensions, which the validator "
     "does not know; what the importer cannot lift it names itself"},
    {"Vector access is out of bounds, vector size is 3",
     "the translator writes get_global_id(3) as the fourth component of a built-in; OpenCL C defines the call"},
    {"is already a merge block for another header",
     "the translator gives loops that end in one place one merge block; kernels need no structured control flow"},
    {"Merge Block and Continue Target must be different ids",
     "the translator writes them so for loops whose last block is empty; see above"},
    {"to be a pointer: ConvertUToPtr",
     "the translator casts a number to CLK_NULL_EVENT and its like, which are handles; what casts what the importer "
     "checks"},
    {"to be a pointer: ConvertPtrToU", "and handles to numbers to compare them"},
    {"has not been defined",
     "the translator writes constants that compute with addresses before their operands, and a linker joins modules one "
     "behind the other, whoever refers to whom; an id that nobody defines is found by the importer"},
    {"to index into a structure must be an OpConstant",
     "Clang's own SPIR-V target writes a null constant for a struct's first member; an index that is no member the "
     "importer refuses"},
    {"ConstantPipeStorage must appear in a block",
     "it is a constant, and stands where constants stand; the validator's list of these has it not"},
    {"is not a constant or undef",
     "the translator writes a variable's id for its address in a constant composite; which ids are values the importer "
     "checks"},
};

} // namespace kiln::import
