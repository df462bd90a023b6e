// What a module is compiled for.
#ifndef KILN_OCL_TARGET_TD
#define KILN_OCL_TARGET_TD

include "mlir/IR/AttrTypeBase.td"
include "dialects/ocl/OclBase.td"

def Ocl_TargetKind : I32EnumAttr<"TargetKind", "a kind of code generator", [
    I32EnumAttrCase<"cpu", 0>, I32EnumAttrCase<"nvptx", 1>, I32EnumAttrCase<"amdgpu", 2>]> {
  let cppNamespace = "::kiln::ocl";
}

def Ocl_TargetFeatures : DefaultValuedParameter<"::kiln::ocl::TargetFeatures", "::kiln::ocl::TargetFeatures()",
                                                "what it has; the names are in TargetFeatures.def"> {
  let parser = "parseTargetFeatures($_parser)";
  let printer = "printTargetFeatures($_printer, $_self)";
}

def Ocl_TargetAttr : AttrDef<Ocl_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "the target that a module is compiled for";
  let description = [{
    The attribute `ocl.target` of a module. The compiler sets it once, from the facts of its code generator, before the
    first pass; passes read it where they depend on the target. `kiln-opt` sets it with `ocl-set-target`.

    The attribute `ocl.local_size` of a module, `array<i64: x, y, z>`, is the local size of every work-group that the
    code runs. Without it the local size is known at run time.

    Zero means that a number does not apply: CPUs have no sub-groups of hardware, and GPUs no vector registers.
    `machine_width` is the number of 32-bit elements of the vectors that code uses, 1 for scalar code. It is
    `register_bits / 32` unless the user has chosen another one.

    ```mlir
    module attributes {ocl.target = #ocl.target<cpu, chip = "skylake-avx512", machine_width = 16, register_bits = 512,
                                                vector_registers = 32, features = [mask_registers, permutes]>,
                       ocl.local_size = array<i64: 64, 1, 1>} {}
    module attributes {ocl.target = #ocl.target<nvptx, chip = "sm_90", sub_group_size = 32,
                                                features = [reduce_instruction, textures, partial_barriers]>} {}
    ```
  }];
  let parameters = (ins EnumParameter<Ocl_TargetKind>:$kind,
    StringRefParameter<"LLVM's name of the processor; may be empty", "\"\"">:$chip,
    DefaultValuedParameter<"unsigned", "0", "CPU: 32-bit elements of the vectors that code uses; 1: none">:$machine_width,
    DefaultValuedParameter<"unsigned", "0", "CPU: size of a vector register">:$register_bits,
    DefaultValuedParameter<"unsigned", "0", "CPU: number of vector registers">:$vector_registers,
    DefaultValuedParameter<"unsigned", "0", "GPU: work-items of a sub-group, 32 or 64">:$sub_group_size,
    Ocl_TargetFeatures:$features);
  let assemblyFormat = [{ `<` $kind (`,` struct($chip, $machine_width, $register_bits, $vector_registers,
                                                $sub_group_size, $features)^)? `>` }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool has(TargetFeature feature) const { return getFeatures().contains(feature); }
    bool isCpu() const { return getKind() == TargetKind::cpu; }
    /// Returns the target with another machine width.
    TargetAttr withMachineWidth(unsigned width) const;
  }];
}

#endif
