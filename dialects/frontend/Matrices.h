// Cooperative matrices in OpenCL C (cl_khr_cooperative_matrix), which no released Clang has.
//
//   typedef float __attribute__((coop_mat(memory_scope_sub_group, 16, 16, CLK_COOPERATIVE_MATRIX_A))) tile;
//
// For Clang such a type is a vector of float whose length stands for the shape and the use, so that operators and
// assignments work as they are. Functions on matrices are declared when a type is. coop_mat_load and coop_mat_init
// return one component, which Clang copies to all components where a matrix is initialised or assigned; so the load
// becomes one of that matrix. In SPIR-V the vectors and calls become the types and instructions of
// SPV_KHR_cooperative_matrix.
#pragma once
#include "base/spirv/Words.h"
#include "llvm/IR/Module.h"
#include <string>
#include <vector>

namespace kiln::frontend {

/// The name of the extension in a request.
inline constexpr char MatrixExtension[] = "cl_khr_cooperative_matrix";

/// Arguments of Clang that define the extension's constants.
const std::vector<std::string> &matrixArguments();

/// Returns true if the program has a matrix type.
bool hasMatrices();

/// Forgets the types of earlier compilations of the process.
void startMatrices();

/// Replaces copies of one component by calls for `withMatrices`. Returns a message if the program uses matrices in a
/// wrong way, else an empty string.
std::string prepareMatrices(llvm::Module &module);

spirv::Words withMatrices(const spirv::Words &words);

} // namespace kiln::frontend
