// The maps of a memory object or an allocation whose commands have been issued, and whose unmaps have not
// (KILN_CHECK=memory).
//
// Commands are issued in an order that their dependencies allow. So a kernel that is issued in between may run while
// the memory is mapped.
#pragma once
#include "base/support/Checks.h"
#include "base/support/Mutex.h"
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace kiln {

class IssuedMaps {
public:
  struct Map {
    const void *pointer; // that the application has
    size_t begin, end;   // bytes of the root buffer or the allocation
    bool writes;
    const void *mappedAt; // return address of the application's call
  };

  /// Null without KILN_CHECK=memory. May throw std::bad_alloc.
  static std::unique_ptr<IssuedMaps> createIfChecked() {
    return checks().memory ? std::make_unique<IssuedMaps>() : nullptr;
  }

  /// May throw std::bad_alloc.
  void add(const Map &map) KILN_EXCLUDES(mutex_) {
    Lock lock(mutex_);
    maps_.push_back(map);
  }
  /// Removes one map with this pointer, if there is one.
  void remove(const void *pointer) noexcept KILN_EXCLUDES(mutex_) {
    Lock lock(mutex_);
    if (auto found = std::ranges::find(maps_, pointer, &Map::pointer); found != maps_.end())
      maps_.erase(found);
  }
  /// A map of any of the bytes during which a kernel must not read them, or must not write them.
  std::optional<Map> against(size_t begin, size_t end, bool writes) const KILN_EXCLUDES(mutex_) {
    Lock lock(mutex_);
    for (const Map &map : maps_)
      if (map.begin < end && begin < map.end && (writes || map.writes))
        return map;
    return {};
  }

private:
  mutable Mutex mutex_;
  std::vector<Map> maps_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln
