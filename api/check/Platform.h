// Checks of platform handles, which may be null.
#pragma once
#include "api/check/Object.h"

namespace kiln::check {

/// Kiln's platform. The first call sets the dispatch table of all handles, so every entry that may create the first
/// handle calls it.
Platform &kilnPlatform();

/// Null gives Kiln's platform.
Status platformOrNull(cl_platform_id handle, Platform *&platform);

/// Copies a property list with its terminator; empty for null.
template <typename Property> std::vector<Property> propertyList(const Property *properties) {
  std::vector<Property> list;
  if (properties) {
    for (; *properties; properties += 2)
      list.insert(list.end(), properties, properties + 2);
    list.push_back(0);
  }
  return list;
}

/// user_data must be null without a callback.
template <typename Callback> Status callback(Callback callback, const void *userData) {
  if (!callback && userData)
    return fail(CL_INVALID_VALUE, "user_data must be null without pfn_notify");
  return {};
}

} // namespace kiln::check
