// Image formats: which there are, which Kiln has and for what.
//
// Pixels are stored as the specification draws them, in the fewest bytes: an x in the name of an order is nothing that
// is stored (Rx is one channel, RGx two), and a packed type is one number for all channels.
#pragma once
#include "runtime/support/OpenCL.h"
#include <string_view>
#include <vector>

namespace kiln {

/// The channels of an order as they are stored: "bgra". Empty: there is no such order.
std::string_view channelsOf(cl_channel_order order);

/// Whether the specification has the format.
bool isImageFormat(const cl_image_format &format);
/// Of a pixel; the format is one.
size_t elementBytes(const cl_image_format &format);

/// What kernels may do with an image.
enum class ImageUse : uint8_t { Read, Write, ReadWrite };
/// Whether Kiln has the format for images of that type (CL_MEM_OBJECT_IMAGE*).
bool isSupported(const cl_image_format &format, cl_mem_object_type type, ImageUse use);
std::vector<cl_image_format> supportedFormats(cl_mem_object_type type, ImageUse use);

/// Whether an image of the second order may be seen as one of the first: the same pixels, in sRGB or without, or as
/// depths.
bool isViewOf(cl_channel_order view, cl_channel_order of);

inline bool isSrgb(cl_channel_order order) { return order >= CL_sRGB && order <= CL_sBGRA; }
inline bool isSignedInteger(cl_channel_type type) { return type >= CL_SIGNED_INT8 && type <= CL_SIGNED_INT32; }
inline bool isUnsignedInteger(cl_channel_type type) { return type >= CL_UNSIGNED_INT8 && type <= CL_UNSIGNED_INT32; }

} // namespace kiln
