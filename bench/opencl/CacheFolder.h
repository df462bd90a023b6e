// An empty cache for the platforms that a run measures.
#pragma once
#include "bench/opencl/TemporaryFolder.h"

namespace bench {

/// A temporary folder for the platforms' caches, so that a run starts with empty caches and leaves no files.
class CacheFolder : public TemporaryFolder {
public:
  CacheFolder() : TemporaryFolder("kiln-bench") {
    for (const char *variable : {"KILN_CACHE_DIR", "POCL_CACHE_DIR"})
      setenv(variable, path().c_str(), /*overwrite=*/1);
  }
};

} // namespace bench
