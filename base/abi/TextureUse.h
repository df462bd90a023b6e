// Names how images with texture objects are read, for logs.
#pragma once
#include "base/abi/ImageAbi.h"

namespace kiln {

/// How kernels that know the format read such images through texture objects.
inline const char *textureUse(uint32_t format) {
  const bool isGathered = abi::isGatheredByTexture(format);
  if (abi::isFilteredByTexture(format))
    return ", read and filtered by the texture unit";
  if (abi::isReadByTexture(format))
    return isGathered ? ", read by the texture unit, and gathered for filters" : ", read by the texture unit";
  return isGathered ? ", gathered by the texture unit for filters" : "";
}

} // namespace kiln
