#ifndef KILN_OCL_IMAGE_OPS_TD
#define KILN_OCL_IMAGE_OPS_TD

include "dialects/ocl/OclBase.td"

// An image is the address of its abi::Image (base/abi/ImageAbi.h) among the kernel's arguments. A sampler is an integer
// of abi::SamplerMode bits. `format` is the result of ocl.image_format for the image. It is a separate operand, so that a
// variant for a fixed format has the same operations with a constant. `shape` is a constant: the number of coordinates
// (abi::ShapeDims), and whether a layer follows them (abi::ShapeLayers). Further coordinates are ignored.

def Ocl_Image : LLVM_PointerInAddressSpace<0>;
def Ocl_Float4 : VectorOfLengthAndType<[4], [F32]>;
def Ocl_Int4 : VectorOfLengthAndType<[4], [I32]>;

def Ocl_ImageFormatOp : Ocl_Op<"image_format", [Pure]> {
  let summary = "returns an image's channel order and type, as abi::imageFormat";
  let description = [{
    The format is constant during a launch. `ocl-specialize-images` replaces the operation by a constant or a load.
  }];
  let arguments = (ins Ocl_Image:$image);
  let results = (outs I32:$format);
  let assemblyFormat = "$image attr-dict `:` type($image)";
}

class Ocl_ImageOp<string mnemonic, string what, list<Trait> effects>
    : Ocl_Op<mnemonic, [Ocl_LibraryOp] # effects> {
  let summary = what;
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

// Reads with a sampler at floating-point coordinates.
class Ocl_SampleImageOp<string mnemonic, string what, Type pixel> : Ocl_ImageOp<mnemonic, what, [MemoryEffects<[MemRead]>]> {
  let arguments = (ins Ocl_Image:$image, I32:$format, I32:$sampler, I32:$shape, Ocl_Float4:$coordinates);
  let results = (outs pixel:$pixel);
}
def Ocl_SampleImageFloatOp : Ocl_SampleImageOp<"sample_image_float", "reads a filtered pixel as floats", Ocl_Float4>;
def Ocl_SampleImageIntOp : Ocl_SampleImageOp<"sample_image_int", "reads the nearest pixel as integers", Ocl_Int4>;

// Reads with a sampler at integer coordinates. A read without a sampler uses sampler 0.
class Ocl_ReadImageOp<string mnemonic, string what, Type pixel> : Ocl_ImageOp<mnemonic, what, [MemoryEffects<[MemRead]>]> {
  let arguments = (ins Ocl_Image:$image, I32:$format, I32:$sampler, I32:$shape, Ocl_Int4:$coordinates);
  let results = (outs pixel:$pixel);
}
def Ocl_ReadImageFloatOp : Ocl_ReadImageOp<"read_image_float", "reads a pixel at integer coordinates, as floats", Ocl_Float4>;
def Ocl_ReadImageIntOp : Ocl_ReadImageOp<"read_image_int", "reads a pixel at integer coordinates, as integers", Ocl_Int4>;

class Ocl_WriteImageOp<string mnemonic, string what, Type pixel> : Ocl_ImageOp<mnemonic, what, [MemoryEffects<[MemWrite]>]> {
  let arguments = (ins Ocl_Image:$image, I32:$format, I32:$shape, Ocl_Int4:$coordinates, pixel:$pixel);
}
def Ocl_WriteImageFloatOp : Ocl_WriteImageOp<"write_image_float", "writes a pixel of floats, rounded to the format", Ocl_Float4>;
def Ocl_WriteImageIntOp : Ocl_WriteImageOp<"write_image_int", "writes a pixel of integers", Ocl_Int4>;

#endif
