// Names outside of ASCII: of kernels, functions, arguments, types and variables (dialects/frontend/NonAscii).
// RUN: kiln-clc -g %s -o %t.spv
// RUN: spirv-val --target-env opencl2.2 %t.spv
// RUN: spirv-dis %t.spv | FileCheck %s --check-prefix=SPIRV
// RUN: kiln-run %s é --global=4 --local=4 inout:i32[4]=iota | FileCheck %s
// RUN: kiln-run %s é --options=-g --global=4 --local=4 inout:i32[4]=iota | FileCheck %s
// RUN: kiln-run %s é --options=-cl-std=CLC++ --global=4 --local=4 inout:i32[4]=iota | FileCheck %s
// RUN: env KILN_DEVICES=hip KILN_HIP_LIBRARY=%kiln_build/lib/libkiln-hip-emulator.so kiln-run %s é --global=4 --local=4 inout:i32[4]=iota | FileCheck %s
// RUN: kilnc --target=nvptx:sm_90 --emit=asm %t.spv -o - | FileCheck %s --check-prefix=PTX
// SPIRV: OpEntryPoint Kernel {{.*}} "é"
// SPIRV: OpString "kernel_arg_type.é.struct Größe*,"
// SPIRV: OpName {{.*}} "naïve"
// SPIRV: OpName {{.*}} "日本"
// CHECK: argument 0: 3 5 7 9{{$}}
// PTX: .visible .entry {{[A-Za-z0-9_]+}}(
struct Größe {
  int ß;
};
constant int π = 3;
int naïve(int x, int y) { return x * 2 + y; }
kernel void é(global struct Größe *日本) {
  int été = naïve(日本[get_global_id(0)].ß, π);
  日本[get_global_id(0)].ß = été;
}
