#include "base/support/CallSite.h"
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>

namespace kiln {

std::array<char, 256> describeCallSite(const void *returnAddress) noexcept {
  std::array<char, 256> text{};
  const uintptr_t call = reinterpret_cast<uintptr_t>(returnAddress) - 1; // in the instruction of the call
  Dl_info about{};
  if (!returnAddress || !dladdr(reinterpret_cast<const void *>(call), &about) || !about.dli_fname)
    return text;
  const char *slash = std::strrchr(about.dli_fname, '/'), *name = about.dli_sname;
  std::snprintf(text.data(), text.size(), "%.100s+0x%zx%s%.100s%s", slash ? slash + 1 : about.dli_fname,
                size_t(call - reinterpret_cast<uintptr_t>(about.dli_fbase)), name ? " (" : "", name ? name : "",
                name ? ")" : "");
  return text;
}

} // namespace kiln
