// The platform: the one handle that may be null, for then the choice is ours.
#pragma once
#include "api/check/Object.h"

namespace kiln::check {

/// Kiln's platform, whose handles point to the dispatch table. Everything that makes the first handle comes here first.
Platform &kilnPlatform();

/// Null is Kiln's platform.
Status platformOrNull(cl_platform_id handle, Platform *&platform);

/// The pairs of a property list and its terminator; empty for null.
template <typename Property> std::vector<Property> propertyList(const Property *given) {
  std::vector<Property> list;
  if (given) {
    for (; *given; given += 2)
      list.insert(list.end(), given, given + 2);
    list.push_back(0);
  }
  return list;
}

/// A callback's user data is null where there is no callback.
template <typename Callback> Status callback(Callback callback, const void *userData) {
  if (!callback && userData)
    return fail(CL_INVALID_VALUE, "user data without a callback");
  return {};
}

} // namespace kiln::check
