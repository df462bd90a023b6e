// The names of all error codes, also of those of versions that the programs do not use.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "bench/opencl/Opencl.h"
#include <CL/cl_ext.h>

namespace bench {
namespace {

/// Null for a code that the headers of OpenCL do not name.
const char *nameOf(cl_int code) {
#define KILN_ERROR(error)                                                                                              \
  if (code == error)                                                                                                   \
    return #error;
#include "api/spec/Errors.def"
  return nullptr;
}

} // namespace

std::string failureOf(const char *call, cl_int code) {
  const char *name = nameOf(code);
  return std::string(call) + " returned " + std::to_string(code) + (name ? std::string(" (") + name + ")" : "");
}

} // namespace bench
