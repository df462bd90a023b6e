#include "runtime/memory/ImageFormat.h"
#include <algorithm>
#include <iterator>
#include <utility>

namespace kiln {
namespace {

constexpr uint32_t bit(cl_channel_type type) { return 1u << (type - CL_SNORM_INT8); }

struct TypeRow {
  cl_channel_type type;
  size_t bytes; // of a channel, or of all of a packed pixel
  bool packed;
};
constexpr TypeRow Types[] = {
    {CL_SNORM_INT8, 1, false},        {CL_SNORM_INT16, 2, false},     {CL_UNORM_INT8, 1, false},
    {CL_UNORM_INT16, 2, false},       {CL_UNORM_SHORT_565, 2, true},  {CL_UNORM_SHORT_555, 2, true},
    {CL_UNORM_INT_101010, 4, true},   {CL_SIGNED_INT8, 1, false},     {CL_SIGNED_INT16, 2, false},
    {CL_SIGNED_INT32, 4, false},      {CL_UNSIGNED_INT8, 1, false},   {CL_UNSIGNED_INT16, 2, false},
    {CL_UNSIGNED_INT32, 4, false},    {CL_HALF_FLOAT, 2, false},      {CL_FLOAT, 4, false},
    {CL_UNORM_INT_101010_2, 4, true},
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
  uint32_t types;        // that the specification allows with it
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
    {CL_Rx, "r", Plain},
    {CL_RGx, "rg", Plain},
    {CL_RGBx, "rgb", Packed},
    {CL_DEPTH, "r", bit(CL_UNORM_INT16) | bit(CL_FLOAT)},
    {CL_sRGB, "rgb", bit(CL_UNORM_INT8)},
    {CL_sRGBx, "rgbx", bit(CL_UNORM_INT8), false}, // nobody agrees on how many bytes a pixel has
    {CL_sRGBA, "rgba", bit(CL_UNORM_INT8)},
    {CL_sBGRA, "bgra", bit(CL_UNORM_INT8)},
    {CL_ABGR, "abgr", Bytes},
};

const OrderRow *rowOf(cl_channel_order order) {
  const auto *row = std::ranges::find(Orders, order, &OrderRow::order);
  return row == std::end(Orders) ? nullptr : row;
}
const TypeRow *rowOfType(cl_channel_type type) {
  const auto *row = std::ranges::find(Types, type, &TypeRow::type);
  return row == std::end(Types) ? nullptr : row;
}

} // namespace

std::string_view channelsOf(cl_channel_order order) {
  const OrderRow *row = rowOf(order);
  return row ? row->channels : std::string_view();
}

bool isImageFormat(const cl_image_format &format) {
  const OrderRow *order = rowOf(format.image_channel_order);
  const TypeRow *type = rowOfType(format.image_channel_data_type);
  return order && type && order->types & bit(type->type);
}

size_t elementBytes(const cl_image_format &format) {
  const TypeRow &type = *rowOfType(format.image_channel_data_type);
  return type.packed ? type.bytes : type.bytes * channelsOf(format.image_channel_order).size();
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
    for (const TypeRow &channel : Types)
      if (cl_image_format format{order.order, channel.type}; isSupported(format, type, use))
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
