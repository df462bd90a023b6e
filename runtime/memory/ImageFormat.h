// The image formats of the specification, and those that Kiln supports.
//
// A pixel has the fewest bytes that the specification allows: the x of an order is not stored (Rx has one channel, RGx
// two), and a packed type is one integer for all channels.
#pragma once
#include "base/support/OpenCL.h"
#include <string_view>
#include <vector>

namespace kiln {

/// The channels of an order as they are stored, such as "bgra". Empty if there is no such order.
std::string_view channelsOf(cl_channel_order order);

/// Returns true if the specification has the format.
bool isImageFormat(const cl_image_format &format);
/// The bytes of a pixel of a valid format.
size_t elementBytes(const cl_image_format &format);

/// How kernels access an image.
enum class ImageUse : uint8_t { Read, Write, ReadWrite };
/// Returns true if Kiln supports the format for images of that type (CL_MEM_OBJECT_IMAGE*).
bool isSupported(const cl_image_format &format, cl_mem_object_type type, ImageUse use);
std::vector<cl_image_format> supportedFormats(cl_mem_object_type type, ImageUse use);

/// Returns true if an image of order `of` can be viewed as one of order `view`: the same pixels with or without sRGB,
/// or as depths.
bool isViewOf(cl_channel_order view, cl_channel_order of);

inline bool isSrgb(cl_channel_order order) { return order >= CL_sRGB && order <= CL_sBGRA; }
inline bool isSignedInteger(cl_channel_type type) { return type >= CL_SIGNED_INT8 && type <= CL_SIGNED_INT32; }
inline bool isUnsignedInteger(cl_channel_type type) { return type >= CL_UNSIGNED_INT8 && type <= CL_UNSIGNED_INT32; }

} // namespace kiln
