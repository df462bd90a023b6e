#include "api/check/Platform.h"
#include "api/spec/Dispatch.h"

namespace kiln::check {

Platform &kilnPlatform() {
  if (!icdDispatch())
    setIcdDispatch(api::dispatchTable());
  return Platform::get();
}

Status platformOrNull(cl_platform_id handle, Platform *&platform) {
  platform = &kilnPlatform();
  if (handle)
    platform = KILN_TRY(object<Platform>(handle));
  return {};
}

} // namespace kiln::check
