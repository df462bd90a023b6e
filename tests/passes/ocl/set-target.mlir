// RUN: kiln-opt %s --ocl-set-target="target=cpu,machine_width=8,register_bits=256,vector_registers=16,features=[permutes] local-size=64,2,1" | FileCheck %s
// RUN: kiln-opt %s --ocl-set-target="target=amdgpu,sub_group_size=64" --ocl-set-target=local-size=8,1,1 | FileCheck %s --check-prefix=TWICE
// RUN: not kiln-opt %s --ocl-set-target=target=abacus 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not kiln-opt %s --ocl-set-target=target=amdgpu 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not kiln-opt %s --wg-vectorize 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not kiln-opt %s --ocl-set-target=target=nvptx,sub_group_size=32 --wg-vectorize 2>&1 | FileCheck %s --check-prefix=GPU

// CHECK: module attributes {ocl.local_size = array<i64: 64, 2, 1>,
// CHECK-SAME: ocl.target = #ocl.target<cpu, machine_width = 8, register_bits = 256, vector_registers = 16, features = [permutes]>}
// TWICE: module attributes {ocl.local_size = array<i64: 8, 1, 1>, ocl.target = #ocl.target<amdgpu, sub_group_size = 64>}
// KIND: expected ::kiln::ocl::TargetKind to be one of: cpu, nvptx, amdgpu
// SIZE: a GPU's sub_group_size is 0, must be 32 or 64
// NONE: error: wg-vectorize: the module has no ocl.target, which says what code is compiled for
// GPU: error: wg-vectorize: ocl.target is nvptx, must be cpu
func.func private @nothing()
