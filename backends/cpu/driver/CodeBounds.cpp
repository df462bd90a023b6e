#include "backends/cpu/driver/CodeBounds.h"
#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <span>

namespace kiln::cpu {

CodeBounds boundsOf(void *handle) {
  struct Search {
    const link_map *map = nullptr;
    CodeBounds bounds{};
  } search;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &search.map) != 0)
    return {};
  dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *argument) {
        auto &[map, bounds] = *static_cast<Search *>(argument);
        if (object->dlpi_addr != map->l_addr || std::strcmp(object->dlpi_name, map->l_name) != 0)
          return 0;
        bounds.base = object->dlpi_addr;
        for (const ElfW(Phdr) &part : std::span(object->dlpi_phdr, object->dlpi_phnum))
          if (part.p_type == PT_LOAD && part.p_flags & PF_X) {
            const uintptr_t begin = object->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
            bounds.begin = bounds.begin ? std::min(bounds.begin, begin) : begin;
            bounds.end = std::max(bounds.end, end);
          }
        return 1;
      },
      &search);
  return search.bounds;
}

} // namespace kiln::cpu
