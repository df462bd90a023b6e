// Finds the library of NVIDIA's driver that assembles PTX, libnvidia-ptxjitcompiler.so.1, for the compiler process
// (codegen/AssemblePtx.h). It must be of the same driver as libcuda: another one may reject code or generate other
// code.
#pragma once
#include <string>

namespace kiln::cuda {

struct PtxLibrary {
  std::string path;     // or a name, which the loader searches; empty if there is none
  std::string identity; // its size and modification time; empty for a name
};

/// Returns the file beside the library that contains `function`: in the folder from which that was loaded, or in which
/// it is after symbolic links are followed. If neither folder has it and `maySearch` is set, returns its usual name, by
/// which libcuda itself finds it. A line in the log says why there is none.
PtxLibrary findPtxLibrary(const void *function, bool maySearch);

} // namespace kiln::cuda
