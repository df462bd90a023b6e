#include "runtime/memory/ImageFormat.h"
#include "base/abi/ImageAbi.h"
#include <algorithm>
#include <iterator>
#include <utility>

namespace kiln {
namespace {

constexpr uint32_t bit(cl_channel_type type) { return 1u << (type - CL_SNORM_INT8); }

constexpr cl_channel_type Types[] = {
    CL_SNORM_INT8,       CL_SNORM_INT16, CL_UNORM_INT8,   CL_UNORM_INT16,        CL_UNORM_SHORT_565, CL_UNORM_SHORT_555,
    CL_UNORM_INT_101010, CL_SIGNED_INT8, CL_SIGNED_INT16, CL_SIGNED_INT32,       CL_UNSIGNED_INT8,   CL_UNSIGNED_INT16,
    CL_UNSIGNED_INT32,   CL_HALF_FLOAT,  CL_FLOAT,        CL_UNORM_INT_101010_2,
};

constexpr uint32_t Normalised8 = bit(CL_SNORM_INT8) | bit(CL_UNORM_INT8);
constexpr uint32_t Normalised = Normalised8 | bit(CL_SNORM_INT16) | bit(CL_UNORM_INT16);
constexpr uint32_t Floats = bit(CL_HALF_FLOAT) | bit(CL_FLOAT);
constexpr uint32_t Bytes = Normalised8 | bit(CL_SIGNED_INT8) | bit(CL_UNSIGNED_INT8);
constexpr uint32_t Plain = Normalised | Floats | Bytes | bit(CL_SIGNED_INT16) | bit(CL_SIGNED_INT32) |
                           bit(CL_UNSIGNED_INT16) | bit(CL_UNSIGNED_INT32);
constexpr uint32_t Packed = bit(CL_UNORM_SHORT_565) | bit(CL_UNORM_SHORT_555) | bit(CL_UNORM_INT_101010);

struct OrderRow {
  cl_channel_order order;
  std::string_view channels;
  uint32_t types;        // that the specification allows with the order
  bool supported = true; // by Kiln
};
constexpr OrderRow Orders[] = {
    {CL_R, "r", Plain},
    {CL_A, "a", Plain},
    {CL_RG, "rg", Plain},
    {CL_RA, "ra", Plain},
    {CL_RGB, "rgb", Packed},
    {CL_RGBA, "rgba", Plain | bit(CL_UNORM_INT_101010_2)},
    {CL_BGRA, "bgra", Bytes},
    {CL_ARGB, "argb", Bytes},
    {CL_INTENSITY, "r", Normalised | Floats},
    {CL_LUMINANCE, "r", Normalised | Floats},
    // Not supported: for a read outside the image, alpha is 0 in the specification and 1 in the conformance suite.
    {CL_Rx, "r", Plain, false},
    {CL_RGx, "rg", Plain, false},
    {CL_RGBx, "rgb", Packed, false},
    {CL_DEPTH, "r", bit(CL_UNORM_INT16) | bit(CL_FLOAT)},
    {CL_sRGB, "rgb", bit(CL_UNORM_INT8)},
    {CL_sRGBx, "rgbx", bit(CL_UNORM_INT8), false}, // implementations disagree on the bytes of a pixel
    {CL_sRGBA, "rgba", bit(CL_UNORM_INT8)},
    {CL_sBGRA, "bgra", bit(CL_UNORM_INT8)},
    {CL_ABGR, "abgr", Bytes},
};

const OrderRow *rowOf(cl_channel_order order) {
  const auto *row = std::ranges::find(Orders, order, &OrderRow::order);
  return row == std::end(Orders) ? nullptr : row;
}
} // namespace

std::string_view channelsOf(cl_channel_order order) {
  const OrderRow *row = rowOf(order);
  return row ? row->channels : std::string_view();
}

bool isImageFormat(const cl_image_format &format) {
  const OrderRow *order = rowOf(format.image_channel_order);
  const bool isType = std::ranges::find(Types, format.image_channel_data_type) != std::end(Types);
  return order && isType && order->types & bit(format.image_channel_data_type);
}

size_t elementBytes(const cl_image_format &format) {
  return abi::pixelBytes(abi::imageFormat(format.image_channel_order, format.image_channel_data_type));
}

bool isSupported(const cl_image_format &format, cl_mem_object_type type, ImageUse use) {
  if (!isImageFormat(format) || !rowOf(format.image_channel_order)->supported)
    return false;
  const cl_channel_order order = format.image_channel_order;
  if (order == CL_DEPTH)
    return type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
  if (isSrgb(order))
    return type != CL_MEM_OBJECT_IMAGE1D_BUFFER && use != ImageUse::ReadWrite;
  return true;
}

std::vector<cl_image_format> supportedFormats(cl_mem_object_type type, ImageUse use) {
  std::vector<cl_image_format> formats;
  for (const OrderRow &order : Orders)
    for (cl_channel_type channel : Types)
      if (cl_image_format format{order.order, channel}; isSupported(format, type, use))
        formats.push_back(format);
  return formats;
}

bool isViewOf(cl_channel_order view, cl_channel_order of) {
  constexpr std::pair<cl_channel_order, cl_channel_order> Pairs[] = {
      {CL_sBGRA, CL_BGRA}, {CL_BGRA, CL_sBGRA}, {CL_sRGBA, CL_RGBA}, {CL_RGBA, CL_sRGBA}, {CL_sRGB, CL_RGB},
      {CL_RGB, CL_sRGB},   {CL_sRGBx, CL_RGBx}, {CL_RGBx, CL_sRGBx}, {CL_DEPTH, CL_R},
  };
  return std::ranges::find(Pairs, std::pair(view, of)) != std::end(Pairs);
}

} // namespace kiln
