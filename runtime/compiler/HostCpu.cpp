#include "runtime/compiler/HostCpu.h"
#include <cstdio>
#include <iterator>
#include <sys/auxv.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace kiln {

std::string hostCpuIdentity() {
  std::string text;
  [[maybe_unused]] auto add = [&](unsigned long value) {
    char digits[20];
    snprintf(digits, sizeof digits, "%lx,", value);
    text += digits;
  };
#if defined(__x86_64__) || defined(__i386__)
  // Vendor, family, model and features. EBX of leaf 1 has the number of the core and is ignored.
  struct {
    unsigned leaf, sub;
  } const leaves[] = {{0, 0}, {1, 0}, {7, 0}, {7, 1}, {0x14, 0}, {0x19, 0}, {0x80000001, 0}, {0x80000008, 0}};
  for (auto [leaf, sub] : leaves) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    __get_cpuid_count(leaf, sub, &a, &b, &c, &d);
    if (leaf == 1)
      b = 0;
    if (leaf == 0x80000008)
      a = c = d = 0;
    for (unsigned value : {a, b, c, d})
      add(value);
    if (leaf == 1 && c & bit_OSXSAVE) { // registers that the system saves
      unsigned low, high;
      __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
      add(low);
    }
  }
#else
  add(getauxval(AT_HWCAP));
  add(getauxval(AT_HWCAP2));
  // The model, as the kernel reports it.
  if (FILE *file = fopen("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "re")) {
    char line[64];
    if (fgets(line, sizeof line, file))
      text += line;
    fclose(file);
  }
#endif
  return text;
}

} // namespace kiln
