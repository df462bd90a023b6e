#ifndef KILN_OCL_MATRIX_OPS_TD
#define KILN_OCL_MATRIX_OPS_TD

include "dialects/ocl/OclBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/Interfaces/DataLayoutInterfaces.td"
include "mlir/Dialect/LLVMIR/LLVMInterfaces.td"

def Ocl_MatrixUse : I32EnumAttr<"MatrixUse", "the operand of a multiplication that a matrix is", [
    I32EnumAttrCase<"a", 0>, I32EnumAttrCase<"b", 1>, I32EnumAttrCase<"accumulator", 2>]> {
  let cppNamespace = "::kiln::ocl";
}
def Ocl_MatrixLayout : I32EnumAttr<"MatrixLayout", "whether a row or a column is contiguous in memory", [
    I32EnumAttrCase<"row_major", 0>, I32EnumAttrCase<"column_major", 1>]> {
  let cppNamespace = "::kiln::ocl";
}
// Bit values are those of SPIR-V's Cooperative Matrix Operands.
def Ocl_MatrixFlags : I32BitEnumAttr<"MatrixFlags", "how the components of a multiplication are taken", [
    I32BitEnumAttrCaseNone<"none">, I32BitEnumAttrCaseBit<"a_signed", 0>, I32BitEnumAttrCaseBit<"b_signed", 1>,
    I32BitEnumAttrCaseBit<"c_signed", 2>, I32BitEnumAttrCaseBit<"result_signed", 3>,
    I32BitEnumAttrCaseBit<"saturates", 4>]> {
  let cppNamespace = "::kiln::ocl";
  let separator = "|";
}

def Ocl_MatrixType : TypeDef<Ocl_Dialect, "Matrix",
                             [DeclareTypeInterfaceMethods<DataLayoutTypeInterface>, LLVM_PointerElementTypeInterface]> {
  let mnemonic = "matrix";
  let summary = "a matrix whose components the work-items of a sub-group share";
  let description = [{
    Which work-item has which component is the target's choice (`ocl-lower-matrices`). In memory, which only private
    variables may be, the type has the size of all components, because it must not depend on the target.
    Example: `!ocl.matrix<16x8xf16, a>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$element,
                        EnumParameter<Ocl_MatrixUse>:$use);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The largest number of rows and of columns.
    static constexpr int64_t MaxLength = 256;
    int64_t getComponents() const { return getRows() * getColumns(); }
    bool hasShapeOf(MatrixType other) const {
      return getRows() == other.getRows() && getColumns() == other.getColumns() && getUse() == other.getUse();
    }
  }];
}

def Ocl_MatrixElement : AnyTypeOf<[I8, I16, I32, I64, F16, F32, F64], "component of a matrix">;

// All work-items of the sub-group execute these operations together, with the same operands but for matrices.
class Ocl_MatrixGroupOp<string mnemonic, list<Trait> traits> : Ocl_Op<mnemonic, [Ocl_Convergent] # traits>;

def Ocl_MatrixLoadOp : Ocl_MatrixGroupOp<"matrix_load", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "loads a matrix";
  let description = [{
    `stride` is the number of bytes from a row to the next one, or from a column to the next one if the layout is
    `column_major`. `alignment` is that of the pointer and of the stride; without it, `abi::MatrixAlignment`.
    Example: `%m = ocl.matrix_load row_major %p, %stride : !llvm.ptr<1> -> !ocl.matrix<16x16xf32, b>`
  }];
  let arguments = (ins Ocl_MatrixLayout:$layout, LLVM_AnyPointer:$pointer, I64:$stride, UnitAttr:$is_volatile,
                       UnitAttr:$nontemporal, OptionalAttr<I64Attr>:$alignment);
  let results = (outs Ocl_MatrixType:$result);
  let assemblyFormat = [{
    $layout $pointer `,` $stride (`volatile` $is_volatile^)? (`nontemporal` $nontemporal^)? (`align` $alignment^)?
    attr-dict `:` type($pointer) `->` type($result)
  }];
}

def Ocl_MatrixStoreOp : Ocl_MatrixGroupOp<"matrix_store", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "stores a matrix";
  let description = [{
    As `ocl.matrix_load`. Example: `ocl.matrix_store %m, row_major %p, %stride : !ocl.matrix<16x16xf32, b>, !llvm.ptr<1>`
  }];
  let arguments = (ins Ocl_MatrixType:$value, Ocl_MatrixLayout:$layout, LLVM_AnyPointer:$pointer, I64:$stride,
                       UnitAttr:$is_volatile, UnitAttr:$nontemporal, OptionalAttr<I64Attr>:$alignment);
  let assemblyFormat = [{
    $value `,` $layout $pointer `,` $stride (`volatile` $is_volatile^)? (`nontemporal` $nontemporal^)?
    (`align` $alignment^)? attr-dict `:` type($value) `,` type($pointer)
  }];
}

def Ocl_MatrixMultiplyAddOp
    : Ocl_MatrixGroupOp<"matrix_multiply_add", [MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["c", "result"]>]> {
  let summary = "returns a * b + c";
  let description = [{
    A component of the result is the sum of the products along a row of `a` and a column of `b`, and of a component of
    `c`. The order of floating-point additions is not fixed. Integers are extended to the type of the result, with or
    without a sign as `flags` say. The result wraps, or saturates as the signed or unsigned type that
    `result_signed` says.
    Example: `%r = ocl.matrix_multiply_add %a, %b, %c a_signed : !ocl.matrix<8x4xi8, a>, !ocl.matrix<4x8xi8, b>,
    !ocl.matrix<8x8xi32, accumulator>`
  }];
  let arguments = (ins Ocl_MatrixType:$a, Ocl_MatrixType:$b, Ocl_MatrixType:$c, Ocl_MatrixFlags:$flags);
  let results = (outs Ocl_MatrixType:$result);
  let assemblyFormat = "$a `,` $b `,` $c $flags attr-dict `:` type($a) `,` type($b) `,` type($c)";
  let hasVerifier = 1;
}

def Ocl_MatrixFillOp : Ocl_Op<"matrix_fill", [Pure]> {
  let summary = "returns a matrix whose components all have one value";
  let description = [{ Example: `%m = ocl.matrix_fill %x : f32 -> !ocl.matrix<16x16xf32, accumulator>` }];
  let arguments = (ins Ocl_MatrixElement:$value);
  let results = (outs Ocl_MatrixType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$value, "MatrixType":$type), "build($_builder, $_state, type, value);">];
  let hasVerifier = 1;
}

def Ocl_MatrixMapOp : Ocl_Op<"matrix_map", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "computes each component from components of other matrices";
  let description = [{
    The region has an argument for each matrix, and yields the component at the same place of the result.

    ```mlir
    %sum = ocl.matrix_map %x, %y : (!ocl.matrix<8x8xf32, a>, !ocl.matrix<8x8xf32, a>) -> !ocl.matrix<8x8xf32, a> {
    ^bb0(%from_x: f32, %from_y: f32):
      %s = arith.addf %from_x, %from_y : f32
      ocl.matrix_yield %s : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Ocl_MatrixType>:$matrices);
  let results = (outs Ocl_MatrixType:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$matrices attr-dict `:` functional-type($matrices, $result) $body";
  let hasVerifier = 1;
}

def Ocl_MatrixYieldOp : Ocl_Op<"matrix_yield", [Pure, Terminator, HasParent<"MatrixMapOp">]> {
  let summary = "ends the region of ocl.matrix_map";
  let arguments = (ins Ocl_MatrixElement:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Ocl_MatrixLengthOp : Ocl_Op<"matrix_length", [Pure]> {
  let summary = "returns how many components of a matrix this work-item has";
  let description = [{ Example: `%n = ocl.matrix_length !ocl.matrix<16x16xf32, a> : i32` }];
  let arguments = (ins TypeAttrOf<Ocl_MatrixType>:$matrix);
  let results = (outs I32:$result);
  let assemblyFormat = "$matrix attr-dict `:` type($result)";
}

def Ocl_MatrixExtractOp : Ocl_Op<"matrix_extract", [Pure]> {
  let summary = "returns one of this work-item's components";
  let description = [{
    The last one if `index` is too large. Example: `%x = ocl.matrix_extract %m[%i] : !ocl.matrix<16x16xf32, a> -> f32`
  }];
  let arguments = (ins Ocl_MatrixType:$matrix, I32:$index);
  let results = (outs Ocl_MatrixElement:$result);
  let assemblyFormat = "$matrix `[` $index `]` attr-dict `:` type($matrix) `->` type($result)";
  let hasVerifier = 1;
}

def Ocl_MatrixInsertOp : Ocl_Op<"matrix_insert", [Pure, AllTypesMatch<["matrix", "result"]>]> {
  let summary = "replaces one of this work-item's components";
  let description = [{
    The last one if `index` is too large. Example: `%n = ocl.matrix_insert %x, %m[%i] : f32, !ocl.matrix<16x16xf32, a>`
  }];
  let arguments = (ins Ocl_MatrixElement:$value, Ocl_MatrixType:$matrix, I32:$index);
  let results = (outs Ocl_MatrixType:$result);
  let assemblyFormat = "$value `,` $matrix `[` $index `]` attr-dict `:` type($value) `,` type($matrix)";
  let hasVerifier = 1;
}

#endif
