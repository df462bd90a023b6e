#include "doctor/Checks.h"
#include <dlfcn.h>
#include <link.h>

namespace kiln::doctor {

Findings checkLoader(const std::string &library) {
  void *handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!handle) {
    const char *why = dlerror();
    return {problem("there is no OpenCL loader: " + std::string(why ? why : library),
                    "install the package ocl-icd-libopencl1 (Debian), or any other OpenCL loader")};
  }
  link_map *map = nullptr;
  const std::string path = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map ? map->l_name : library;
  if (!dlsym(handle, "clGetPlatformIDs"))
    return {problem(path + " is not an OpenCL loader: it has no clGetPlatformIDs",
                    "remove it from the linker's path, or install the package ocl-icd-libopencl1 (Debian)")};
  return {good(path)};
}

} // namespace kiln::doctor
