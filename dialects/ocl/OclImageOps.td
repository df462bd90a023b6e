#ifndef KILN_OCL_IMAGE_OPS_TD
#define KILN_OCL_IMAGE_OPS_TD

include "dialects/ocl/OclBase.td"

// An image is the address of its abi::Image (backends/ImageAbi.h) among the kernel's arguments, a sampler a number of
// abi::SamplerMode and its bits. `format` is what ocl.image_format says of the same image: an operand of its own, so that
// a variant for images of a known format is the same operations over a constant. `shape` is a constant: how many
// coordinates lead to a pixel (abi::ShapeDims) and whether a layer follows them (abi::ShapeLayers); the coordinates
// behind those are ignored.

def Ocl_Image : LLVM_PointerInAddressSpace<0>;
def Ocl_Float4 : VectorOfLengthAndType<[4], [F32]>;
def Ocl_Int4 : VectorOfLengthAndType<[4], [I32]>;

def Ocl_ImageFormatOp : Ocl_Op<"image_format", [Pure]> {
  let summary = "an image's order and type: abi::imageFormat";
  let description = [{
    It is one number through a launch. `ocl-specialize-images` makes a constant or a load of it.
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

// By a sampler, at a place between pixels.
class Ocl_SampleImageOp<string mnemonic, string what, Type pixel> : Ocl_ImageOp<mnemonic, what, [MemoryEffects<[MemRead]>]> {
  let arguments = (ins Ocl_Image:$image, I32:$format, I32:$sampler, I32:$shape, Ocl_Float4:$coordinates);
  let results = (outs pixel:$pixel);
}
def Ocl_SampleImageFloatOp : Ocl_SampleImageOp<"sample_image_float", "filtered pixels", Ocl_Float4>;
def Ocl_SampleImageIntOp : Ocl_SampleImageOp<"sample_image_int", "the nearest pixel, of whole numbers", Ocl_Int4>;

// By a sampler, at whole coordinates. A read without a sampler is one by the sampler 0.
class Ocl_ReadImageOp<string mnemonic, string what, Type pixel> : Ocl_ImageOp<mnemonic, what, [MemoryEffects<[MemRead]>]> {
  let arguments = (ins Ocl_Image:$image, I32:$format, I32:$sampler, I32:$shape, Ocl_Int4:$coordinates);
  let results = (outs pixel:$pixel);
}
def Ocl_ReadImageFloatOp : Ocl_ReadImageOp<"read_image_float", "a pixel by its number", Ocl_Float4>;
def Ocl_ReadImageIntOp : Ocl_ReadImageOp<"read_image_int", "a pixel of whole numbers by its number", Ocl_Int4>;

class Ocl_WriteImageOp<string mnemonic, string what, Type pixel> : Ocl_ImageOp<mnemonic, what, [MemoryEffects<[MemWrite]>]> {
  let arguments = (ins Ocl_Image:$image, I32:$format, I32:$shape, Ocl_Int4:$coordinates, pixel:$pixel);
}
def Ocl_WriteImageFloatOp : Ocl_WriteImageOp<"write_image_float", "writes a pixel, as its format rounds", Ocl_Float4>;
def Ocl_WriteImageIntOp : Ocl_WriteImageOp<"write_image_int", "writes a pixel of whole numbers", Ocl_Int4>;

#endif
