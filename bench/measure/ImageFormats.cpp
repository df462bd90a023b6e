#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 200 // newer headers declare CL_DEPTH for this version only
#endif
#include "bench/measure/ImageFormats.h"

namespace bench {
namespace {

struct Kind {
  const char *type;
  cl_mem_object_type object;
  size_t dimensions; // of its extent
  bool isDepth;
};
constexpr Kind kinds[] = {{"image1d_t", CL_MEM_OBJECT_IMAGE1D, 1, false},
                          {"image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER, 1, false},
                          {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY, 2, false},
                          {"image2d_t", CL_MEM_OBJECT_IMAGE2D, 2, false},
                          {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, 3, false},
                          {"image3d_t", CL_MEM_OBJECT_IMAGE3D, 3, false},
                          {"image2d_depth_t", CL_MEM_OBJECT_IMAGE2D, 2, true},
                          {"image2d_array_depth_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, 3, true}};

struct Order {
  const char *name;
  cl_channel_order order;
  size_t channels;
};
constexpr Order orders[] = {{"r", CL_R, 1},
                            {"a", CL_A, 1},
                            {"rg", CL_RG, 2},
                            {"ra", CL_RA, 2},
                            {"rgb", CL_RGB, 3},
                            {"rgba", CL_RGBA, 4},
                            {"bgra", CL_BGRA, 4},
                            {"argb", CL_ARGB, 4},
                            {"intensity", CL_INTENSITY, 1},
                            {"luminance", CL_LUMINANCE, 1},
                            {"depth", CL_DEPTH, 1},
                            {"srgba", 0x10C1, 4},  // CL_sRGBA, of OpenCL 2.0
                            {"sbgra", 0x10C2, 4}}; // CL_sBGRA

struct Channel {
  const char *name;
  cl_channel_type type;
  const char *element; // the type of its bytes
  bool isPacked;       // one element has all channels
};
constexpr Channel channels[] = {{"snorm_int8", CL_SNORM_INT8, "char", false},
                                {"snorm_int16", CL_SNORM_INT16, "short", false},
                                {"unorm_int8", CL_UNORM_INT8, "uchar", false},
                                {"unorm_int16", CL_UNORM_INT16, "ushort", false},
                                {"unorm_short_565", CL_UNORM_SHORT_565, "ushort", true},
                                {"unorm_short_555", CL_UNORM_SHORT_555, "ushort", true},
                                {"unorm_int_101010", CL_UNORM_INT_101010, "uint", true},
                                {"signed_int8", CL_SIGNED_INT8, "char", false},
                                {"signed_int16", CL_SIGNED_INT16, "short", false},
                                {"signed_int32", CL_SIGNED_INT32, "int", false},
                                {"unsigned_int8", CL_UNSIGNED_INT8, "uchar", false},
                                {"unsigned_int16", CL_UNSIGNED_INT16, "ushort", false},
                                {"unsigned_int32", CL_UNSIGNED_INT32, "uint", false},
                                {"half_float", CL_HALF_FLOAT, "half", false},
                                {"float", CL_FLOAT, "float", false}};

template <typename Row, size_t N> const Row *find(const Row (&rows)[N], const std::string &name) {
  for (const Row &row : rows)
    if (name == row.name)
      return &row;
  return nullptr;
}
template <typename Row, size_t N> std::string names(const Row (&rows)[N]) {
  std::string all;
  for (const Row &row : rows)
    all += (all.empty() ? "" : ", ") + std::string(row.name);
  return all;
}

const Channel &channelOf(const cl_image_format &format) {
  for (const Channel &channel : channels)
    if (channel.type == format.image_channel_data_type)
      return channel;
  throw std::logic_error("a format that imageShape did not make");
}

const Kind *kindOf(const std::string &type) {
  for (const Kind &kind : kinds)
    if (type == kind.type)
      return &kind;
  return nullptr;
}

} // namespace

bool isImage(const std::string &type) { return kindOf(type); }

ImageShape imageShape(const std::string &type, const ImageSpec &spec, const std::vector<size_t> &global,
                      const std::string &words) {
  const Kind &kind = *kindOf(type);
  const Order *order = find(orders, spec.order.empty() ? (kind.isDepth ? "depth" : "rgba") : spec.order);
  const Channel *channel = find(channels, spec.type.empty() ? (kind.isDepth ? "float" : "unorm_int8") : spec.type);
  if (!order)
    refuse("the order of " + words, spec.order, "one of " + names(orders));
  if (!channel)
    refuse("the channel type of " + words, spec.type, "one of " + names(channels));
  if (!spec.extent.empty() && spec.extent.size() != kind.dimensions)
    throw std::runtime_error("the extent of " + words + " has " + std::to_string(spec.extent.size()) +
                             " numbers, must have " + std::to_string(kind.dimensions));
  ImageShape shape{kind.object, {order->order, channel->type}, {1, 1, 1}, 0};
  const std::vector<size_t> &extent = spec.extent.empty() ? global : spec.extent;
  for (size_t i = 0; i < kind.dimensions && i < extent.size(); ++i)
    shape.extent[i] = extent[i];
  shape.pixelBytes = elementOf(channel->element)->size * (channel->isPacked ? 1 : order->channels);
  return shape;
}

Element elementOfImage(const ImageShape &shape) { return *elementOf(channelOf(shape.format).element); }

std::string filledImage(const ImageShape &shape, const std::string &fill) {
  const Element element = elementOfImage(shape);
  return filled(element, fill, shape.bytes() / element.size);
}

std::string nameOf(const cl_image_format &format) {
  for (const Order &order : orders)
    if (order.order == format.image_channel_order)
      return std::string(order.name) + "," + channelOf(format).name;
  throw std::logic_error("a format that imageShape did not make");
}

} // namespace bench
