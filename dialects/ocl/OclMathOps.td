#ifndef KILN_OCL_MATH_OPS_TD
#define KILN_OCL_MATH_OPS_TD

include "dialects/ocl/OclBase.td"

// Leaf functions only. Functions that are exact arithmetic (degrees, mix, nextafter, ...) are lifted to `arith`, and
// exact functions that the `math` dialect defines as OpenCL does (floor, fabs, copysign, ...) to `math`.
def Ocl_MathFn : I32EnumAttr<"MathFn", "a function with an accuracy that the specification states", [
    I32EnumAttrCase<"acos", 0>, I32EnumAttrCase<"acosh", 1>, I32EnumAttrCase<"acospi", 2>, I32EnumAttrCase<"asin", 3>,
    I32EnumAttrCase<"asinh", 4>, I32EnumAttrCase<"asinpi", 5>, I32EnumAttrCase<"atan", 6>, I32EnumAttrCase<"atan2", 7>,
    I32EnumAttrCase<"atanh", 8>, I32EnumAttrCase<"atanpi", 9>, I32EnumAttrCase<"atan2pi", 10>,
    I32EnumAttrCase<"cbrt", 11>, I32EnumAttrCase<"cos", 12>, I32EnumAttrCase<"cosh", 13>, I32EnumAttrCase<"cospi", 14>,
    I32EnumAttrCase<"erf", 15>, I32EnumAttrCase<"erfc", 16>, I32EnumAttrCase<"exp", 17>, I32EnumAttrCase<"exp2", 18>,
    I32EnumAttrCase<"exp10", 19>, I32EnumAttrCase<"expm1", 20>, I32EnumAttrCase<"fmod", 21>,
    I32EnumAttrCase<"hypot", 22>, I32EnumAttrCase<"ldexp", 23>, I32EnumAttrCase<"lgamma", 24>,
    I32EnumAttrCase<"log", 25>, I32EnumAttrCase<"log2", 26>, I32EnumAttrCase<"log10", 27>, I32EnumAttrCase<"log1p", 28>,
    I32EnumAttrCase<"pow", 29>, I32EnumAttrCase<"pown", 30>, I32EnumAttrCase<"powr", 31>,
    I32EnumAttrCase<"remainder", 32>, I32EnumAttrCase<"rootn", 33>, I32EnumAttrCase<"rsqrt", 34>,
    I32EnumAttrCase<"sin", 35>, I32EnumAttrCase<"sinh", 36>, I32EnumAttrCase<"sinpi", 37>, I32EnumAttrCase<"sqrt", 38>,
    I32EnumAttrCase<"tan", 39>, I32EnumAttrCase<"tanh", 40>, I32EnumAttrCase<"tanpi", 41>, I32EnumAttrCase<"tgamma", 42>]> {
  let cppNamespace = "::kiln::ocl";
}
def Ocl_MathPrecision : I32EnumAttr<"MathPrecision", "the required accuracy of a math function", [
    I32EnumAttrCase<"full", 0>, I32EnumAttrCase<"half", 1>, I32EnumAttrCase<"native", 2>]> {
  let cppNamespace = "::kiln::ocl";
}

def Ocl_MathOp : Ocl_Op<"math", [Pure]> {
  let summary = "computes a math function of OpenCL C";
  let description = [{
    `half` and `native` mark the built-ins of those prefixes. Operands have the result's type, except the integer
    operand of ldexp, pown and rootn.
    Example: `%y = ocl.math sin native (%x) : (f32) -> f32`
  }];
  let arguments = (ins Ocl_MathFn:$fn, DefaultValuedAttr<Ocl_MathPrecision, "MathPrecision::full">:$precision,
                       Variadic<AnyTypeOf<[Ocl_Float, Ocl_Int]>>:$operands_);
  let results = (outs Ocl_Float:$result);
  let assemblyFormat = "$fn ($precision^)? `(` $operands_ `)` attr-dict `:` functional-type($operands_, $result)";
  let hasVerifier = 1;
}

def Ocl_Rounding : I32EnumAttr<"Rounding", "rounding mode", [
    I32EnumAttrCase<"rte", 0>, I32EnumAttrCase<"rtz", 1>, I32EnumAttrCase<"rtp", 2>, I32EnumAttrCase<"rtn", 3>]> {
  let cppNamespace = "::kiln::ocl";
}

def Ocl_ConvertOp : Ocl_Op<"convert", [Pure]> {
  let summary = "converts between number types, with a defined result for every input";
  let description = [{
    Integers are signed unless `unsigned_in`, `unsigned_out` say otherwise. Out of range, a saturating conversion returns
    the nearest value (0 for NaN), and other conversions an unspecified value, without undefined behaviour.
    Example: `%i = ocl.convert rtz saturate %x : f32 -> i8`
  }];
  let arguments = (ins Ocl_Rounding:$rounding, AnyTypeOf<[Ocl_Float, Ocl_Int]>:$value, UnitAttr:$saturate,
                       UnitAttr:$unsigned_in, UnitAttr:$unsigned_out);
  let results = (outs AnyTypeOf<[Ocl_Float, Ocl_Int]>:$result);
  let assemblyFormat = [{
    $rounding (`saturate` $saturate^)? (`unsigned_in` $unsigned_in^)? (`unsigned_out` $unsigned_out^)? $value
    attr-dict `:` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif
