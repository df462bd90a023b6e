// The checks of kiln-doctor. Each looks at one thing that its parameters name, so that a test can break this thing.
// None changes anything, except for files that it removes again.
#pragma once
#include "doctor/Finding.h"
#include <cstdint>

namespace kiln::doctor {

/// Loader.cpp: the OpenCL loader, a library that the dynamic linker finds.
Findings checkLoader(const std::string &library);

/// Vendors.cpp: the .icd files in the loader's folder, and the libraries that they name. `isFromEnvironment`: the
/// folder is OCL_ICD_VENDORS.
Findings checkVendors(const std::string &folder, bool isFromEnvironment);

/// Compilers.cpp: the program is found, starts, and is of the same build as this one. `folder` as KILN_COMPILER_DIR.
Findings checkCompiler(const std::string &name, const std::string &folder);

/// Storage.cpp: a cache folder, existing or not, holds code that can be loaded. `limit`: KILN_CACHE_SIZE in bytes.
Findings checkCache(const std::string &folder, bool isOn, uint64_t limit);
/// Storage.cpp: the folder for temporary files can be written.
Findings checkTemporaryFolder(const std::string &folder);
/// Storage.cpp: the user's key, for program binaries, is private.
Findings checkUserKey(const std::string &settingsFolder);

/// Drivers.cpp: a vendor's driver library and the device files that it opens.
struct Driver {
  std::string name;                   // "NVIDIA"
  std::vector<std::string> libraries; // the first that loads counts
  std::vector<std::string> files;     // must be readable and writable if they exist
  std::string advice;                 // how to install the library
};
Findings checkDriver(const Driver &driver);

/// Limits.cpp: limits of this process, in bytes or as a count; 0 means no limit.
struct Limits {
  uint64_t addressSpace = 0, processes = 0, files = 0, fileSize = 0, stack = 0, memory = 0, buildMemory = 0;
  unsigned processors = 1;
};
/// Reads the limits of this process and its cgroup.
Limits currentLimits();
Findings checkLimits(const Limits &limits);

/// Switches.cpp: variables that start with KILN_ ("NAME=VALUE"): names that no switch has, and values that are invalid.
Findings checkSwitches(const std::vector<std::string> &environment);

/// Platforms.cpp: the loader lists Kiln with a device, and a kernel runs on each and is correct. In a child process,
/// because a broken library may crash.
Findings checkPlatforms(const std::string &library);

} // namespace kiln::doctor
