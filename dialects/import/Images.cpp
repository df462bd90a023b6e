// Images and samplers: reads with and without a sampler, writes, queries. Coordinates and pixels become vectors of four
// components, so that one operation serves images of any shape.
#include "base/abi/ImageAbi.h"
#include "dialects/import/Bits.h"
#include "dialects/import/Instructions.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::import {
namespace {

// Ignored operands: the format determines sign or zero extension, and Nontemporal is a hint.
constexpr uint32_t LodOperand = uint32_t(spv::ImageOperands::Lod),
                   NeedlessOperands = uint32_t(spv::ImageOperands::SignExtend) |
                                      uint32_t(spv::ImageOperands::ZeroExtend) |
                                      uint32_t(spv::ImageOperands::Nontemporal);

/// Returns abi::ShapeDims and ShapeLayers of an OpTypeImage; nullopt for other types.
std::optional<uint32_t> shapeOf(const Instruction *type) {
  if (!type || type->op != spv::Op::TypeImage)
    return std::nullopt;
  const auto dim = static_cast<spv::Dim>(type->args[1]);
  const uint32_t dims = dim == spv::Dim::_3D ? 3 : dim == spv::Dim::_2D ? 2 : 1;
  return dims | (type->args[3] ? abi::ShapeLayers : 0);
}

} // namespace

LogicalResult ModuleImporter::checkImageType(const Instruction &ins) {
  const auto dim = static_cast<spv::Dim>(ins.args[1]);
  if (dim != spv::Dim::_1D && dim != spv::Dim::_2D && dim != spv::Dim::_3D && dim != spv::Dim::Buffer)
    return error(ins) << "has Dim " << ins.args[1] << ", must be 1D, 2D, 3D or Buffer";
  if (ins.args[3] && dim != spv::Dim::_1D && dim != spv::Dim::_2D)
    return error(ins) << "is an arrayed image with Dim other than 1D or 2D";
  if (ins.args[4])
    return error(ins) << "is multisampled, which is not supported";
  return success();
}

Type ModuleImporter::imageArgument() {
  Type i64 = IntegerType::get(&context_, 64), i32 = IntegerType::get(&context_, 32);
  static_assert(sizeof(abi::Image) == 3 * 8 + 6 * 4 + 2 * 8);
  return LLVM::LLVMStructType::getLiteral(&context_, {i64, i64, i64, i32, i32, i32, i32, i32, i32, i64, i64});
}

/// Returns the CL_MEM_OBJECT_IMAGE* value of an image type.
int32_t ModuleImporter::imageObject(const Instruction &type) {
  enum { Image2D = 0x10f1, Image3D, Image2DArray, Image1D, Image1DArray, Image1DBuffer };
  const bool isArray = type.args[3];
  switch (static_cast<spv::Dim>(type.args[1])) {
  case spv::Dim::_1D:
    return isArray ? Image1DArray : Image1D;
  case spv::Dim::_2D:
    return isArray ? Image2DArray : Image2D;
  case spv::Dim::_3D:
    return Image3D;
  default:
    return Image1DBuffer;
  }
}

namespace {
/// Sets `image` to an operand and its shape. Returns false, with a diagnostic, if the operand is not an image.
bool image(Body &body, const Instruction &ins, uint32_t id, Image &image) {
  const std::optional<uint32_t> shape = shapeOf(body.module.typeOf(id));
  if (!shape)
    return body.error(ins) << "uses id " << id << ", which is not an image", false;
  image.pointer = body.value(id, ins);
  image.shape = *shape;
  if (image.pointer && image.pointer.getType() != LLVM::LLVMPointerType::get(body.builder.getContext()))
    return (void)body.mismatch(ins), false;
  return image.pointer != nullptr;
}

/// A sampled image has no SSA value: the sampling instruction looks up image and sampler by the id of the pair.
LogicalResult combine(Body &body, const Instruction &ins) {
  SampledImage pair;
  if (!image(body, ins, ins.args[0], pair.image))
    return failure();
  pair.sampler = body.value(ins.args[1], ins);
  if (!pair.sampler)
    return failure();
  if (!pair.sampler.getType().isInteger(32))
    return body.mismatch(ins);
  body.sampledImages[ins.result] = pair;
  return success();
}

/// Extends a number or a vector of numbers to four components; missing ones are 0.
Value toVec4(Body &body, Value given) {
  auto vector = llvm::dyn_cast<VectorType>(given.getType());
  Type element = vector ? vector.getElementType() : given.getType();
  VectorType four = VectorType::get(4, element);
  if (given.getType() == four)
    return given;
  if (!vector)
    return vector::InsertOp::create(body.builder, body.loc, given, body.zero(four), ArrayRef<int64_t>{0});
  SmallVector<int64_t> components;
  for (int64_t i = 0; i < 4; ++i) // missing components come from the zero vector
    components.push_back(i < vector.getNumElements() ? i : vector.getNumElements());
  return vector::ShuffleOp::create(body.builder, body.loc, given, body.zero(vector), components);
}

/// Extends coordinates, i32 or f32, to four components. Returns null, with a diagnostic, if there are too few or they
/// have another type.
Value coordinates(Body &body, const Instruction &ins, Value given, uint32_t shape) {
  const uint32_t wanted = (shape & abi::ShapeDims) + (shape & abi::ShapeLayers ? 1 : 0);
  auto vector = llvm::dyn_cast<VectorType>(given.getType());
  Type element = vector ? vector.getElementType() : given.getType();
  const uint32_t count = vector ? uint32_t(vector.getNumElements()) : 1;
  if (count < wanted || count > 4 || (!element.isInteger(32) && !element.isF32()))
    return body.error(ins) << "has a Coordinate that does not match the image", Value();
  return toVec4(body, given);
}

/// Converts a pixel to the result type (four components or the first, 32 bits or half) and defines the result.
LogicalResult definePixel(Body &body, const Instruction &ins, Value pixel) {
  Type type = body.resultType(ins);
  if (!type)
    return failure();
  auto vector = llvm::dyn_cast<VectorType>(type);
  Type element = vector ? vector.getElementType() : type;
  if (element.isF16())
    pixel = arith::TruncFOp::create(body.builder, body.loc, VectorType::get(4, element), pixel);
  if (!vector)
    pixel = vector::ExtractOp::create(body.builder, body.loc, pixel, ArrayRef<int64_t>{0});
  return body.define(ins, pixel);
}

/// Checks the optional image operands from args[first] on: only Lod 0 is supported.
LogicalResult imageOperands(Body &body, const Instruction &ins, size_t first) {
  if (ins.args.size() <= first)
    return success();
  const uint32_t mask = ins.args[first];
  if (mask & ~(LodOperand | NeedlessOperands))
    return body.error(ins) << "has image operands " << mask << ", which are not supported";
  if (!(mask & LodOperand))
    return success();
  if (ins.args.size() <= first + 1)
    return body.error(ins) << "has Image Operands Lod without a value";
  Value lod = body.value(ins.args[first + 1], ins);
  if (!lod)
    return failure();
  if (!matchPattern(lod, m_AnyZeroFloat()) && !matchPattern(lod, m_Zero()))
    return body.error(ins) << "has a level of detail other than 0, the only one of an image without mipmaps";
  return success();
}

/// Returns true if pixels of this type are float; fails, with a diagnostic, if it is not a pixel type.
FailureOr<bool> isFloatPixel(Body &body, const Instruction &ins, Type type) {
  auto vector = llvm::dyn_cast_if_present<VectorType>(type);
  Type element = vector ? vector.getElementType() : type;
  if (element && (!vector || vector.getNumElements() == 4)) {
    if (element.isF32() || (element.isF16() && vector))
      return true;
    if (element.isInteger(32) && vector)
      return false;
  }
  return body.module.error(ins) << "has a pixel type that is not four 32-bit numbers, four halfs or one float",
         failure();
}

LogicalResult read(Body &body, const Instruction &ins, const Image &image, Value sampler, uint32_t coordinateId) {
  FailureOr<bool> isFloat = isFloatPixel(body, ins, body.resultType(ins));
  Value given = body.value(coordinateId, ins);
  if (failed(isFloat) || !given)
    return failure();
  Value four = coordinates(body, ins, given, image.shape);
  if (!four)
    return failure();
  Type pixel = VectorType::get(4, *isFloat ? Type(body.builder.getF32Type()) : Type(body.builder.getI32Type()));
  Value format = ocl::ImageFormatOp::create(body.builder, body.loc, body.builder.getI32Type(), image.pointer);
  Value shape = body.constantInt(body.builder.getI32Type(), image.shape), result;
  const bool isWhole = llvm::cast<VectorType>(four.getType()).getElementType().isInteger(32);
  if (isWhole && *isFloat)
    result = ocl::ReadImageFloatOp::create(body.builder, body.loc, pixel, image.pointer, format, sampler, shape, four);
  else if (isWhole)
    result = ocl::ReadImageIntOp::create(body.builder, body.loc, pixel, image.pointer, format, sampler, shape, four);
  else if (*isFloat)
    result =
        ocl::SampleImageFloatOp::create(body.builder, body.loc, pixel, image.pointer, format, sampler, shape, four);
  else
    result = ocl::SampleImageIntOp::create(body.builder, body.loc, pixel, image.pointer, format, sampler, shape, four);
  return definePixel(body, ins, result);
}

LogicalResult sample(Body &body, const Instruction &ins) {
  auto pair = body.sampledImages.find(ins.args[0]);
  if (pair == body.sampledImages.end())
    return body.error(ins) << "uses id " << ins.args[0] << ", which is not a sampled image";
  if (failed(imageOperands(body, ins, 2)))
    return failure();
  return read(body, ins, pair->second.image, pair->second.sampler, ins.args[1]);
}

LogicalResult readImage(Body &body, const Instruction &ins) {
  Image from;
  if (!image(body, ins, ins.args[0], from) || failed(imageOperands(body, ins, 2)))
    return failure();
  return read(body, ins, from, body.constantInt(body.builder.getI32Type(), abi::AddressNone), ins.args[1]);
}

LogicalResult writeImage(Body &body, const Instruction &ins) {
  Image to;
  Values in; // coordinates, pixel
  if (!image(body, ins, ins.args[0], to) || !body.operands(ins, in, 2, 1) || failed(imageOperands(body, ins, 3)))
    return failure();
  FailureOr<bool> isFloat = isFloatPixel(body, ins, in[1].getType());
  Value four = coordinates(body, ins, in[0], to.shape);
  if (failed(isFloat) || !four)
    return failure();
  if (!llvm::cast<VectorType>(four.getType()).getElementType().isInteger(32))
    return body.mismatch(ins);
  Value pixel = toVec4(body, in[1]);
  if (llvm::cast<VectorType>(pixel.getType()).getElementType().isF16())
    pixel = arith::ExtFOp::create(body.builder, body.loc, VectorType::get(4, body.builder.getF32Type()), pixel);
  Value format = ocl::ImageFormatOp::create(body.builder, body.loc, body.builder.getI32Type(), to.pointer);
  Value shape = body.constantInt(body.builder.getI32Type(), to.shape);
  if (*isFloat)
    ocl::WriteImageFloatOp::create(body.builder, body.loc, to.pointer, format, shape, four, pixel);
  else
    ocl::WriteImageIntOp::create(body.builder, body.loc, to.pointer, format, shape, four, pixel);
  return success();
}

/// Loads an i32 of an image argument's abi::Image, which is constant during a launch.
Value imageField(Body &body, Value pointer, uint64_t offset) {
  Value address = LLVM::GEPOp::create(body.builder, body.loc, pointer.getType(), body.builder.getI8Type(), pointer,
                                      ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  auto load = LLVM::LoadOp::create(body.builder, body.loc, body.builder.getI32Type(), address, 4);
  load.setInvariant(true);
  return load;
}

LogicalResult querySize(Body &body, const Instruction &ins) {
  Image of;
  Type type = body.resultType(ins);
  if (!type || !image(body, ins, ins.args[0], of))
    return failure();
  if (ins.op == spv::Op::ImageQuerySizeLod) {
    Value lod = body.value(ins.args[1], ins);
    if (!lod)
      return failure();
    if (!matchPattern(lod, m_Zero()))
      return body.error(ins) << "has a level of detail other than 0, the only one of an image without mipmaps";
  }
  SmallVector<uint64_t> fields{offsetof(abi::Image, width)};
  if ((of.shape & abi::ShapeDims) > 1)
    fields.push_back(offsetof(abi::Image, height));
  if ((of.shape & abi::ShapeDims) > 2 || of.shape & abi::ShapeLayers)
    fields.push_back(offsetof(abi::Image, slices));
  auto vector = llvm::dyn_cast<VectorType>(type);
  Type element = vector ? vector.getElementType() : type;
  if ((vector ? size_t(vector.getNumElements()) : 1) != fields.size() ||
      (!element.isInteger(32) && !element.isInteger(64)))
    return body.mismatch(ins);
  Value result = vector ? body.zero(vector) : Value();
  for (auto [index, field] : llvm::enumerate(fields)) {
    Value size = resize(body, imageField(body, of.pointer, field), element);
    result = vector ? vector::InsertOp::create(body.builder, body.loc, size, result, ArrayRef<int64_t>{int64_t(index)})
                    : size;
  }
  return body.define(ins, result);
}

/// SPIR-V's enumerants start at 0, OpenCL's at these values.
LogicalResult queryFormat(Body &body, const Instruction &ins) {
  Image of;
  if (!image(body, ins, ins.args[0], of))
    return failure();
  Type i32 = body.builder.getI32Type();
  Value format = ocl::ImageFormatOp::create(body.builder, body.loc, i32, of.pointer);
  const bool wantsOrder = ins.op == spv::Op::ImageQueryOrder;
  Value number = wantsOrder ? body.make<arith::ShRUIOp>(format, body.constantInt(i32, 16))
                            : body.make<arith::AndIOp>(format, body.constantInt(i32, 0xffff));
  const uint32_t first = wantsOrder ? uint32_t(abi::OrderR) : uint32_t(abi::TypeSnorm8);
  return body.define(ins, body.make<arith::SubIOp>(number, body.constantInt(i32, first)));
}
} // namespace

void addImages(InstructionTable &table) {
  table.add(spv::Op::SampledImage, combine);
  table.add(spv::Op::ImageSampleExplicitLod, sample);
  table.add(spv::Op::ImageRead, readImage);
  table.add(spv::Op::ImageWrite, writeImage);
  table.add({spv::Op::ImageQuerySizeLod, spv::Op::ImageQuerySize}, querySize);
  table.add({spv::Op::ImageQueryFormat, spv::Op::ImageQueryOrder}, queryFormat);
}

} // namespace kiln::import
