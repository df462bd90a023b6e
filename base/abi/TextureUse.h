// Names how images with texture objects are read, for logs.
#pragma once
#include "base/abi/ImageAbi.h"

namespace kiln {

/// How images of a format are read through texture objects.
inline const char *textureUse(uint32_t format) {
  return abi::isFilteredByTexture(format)   ? ", read and filtered by the texture unit"
         : !abi::isReadByTexture(format)    ? ", gathered by the texture unit for filters"
         : abi::isGatheredByTexture(format) ? ", read by the texture unit, and gathered for filters"
                                            : ", read by the texture unit";
}

} // namespace kiln
