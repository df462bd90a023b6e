// backends/cpu/codegen/EstimateQuotients: divisions of vectors of float are estimates where the program allows it, with
// a select for NaN. Others stay divisions.
// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=cpu:x86-64-v4 --options=-cl-fast-relaxed-math --emit=llvm %t.spv -o - | FileCheck %s --check-prefix=AVX512
// RUN: kilnc --target=cpu:x86-64-v3 --options=-cl-fast-relaxed-math --emit=llvm %t.spv -o - | FileCheck %s --check-prefix=AVX2
// RUN: kilnc --target=cpu:x86-64-v4 --options=-cl-finite-math-only --emit=llvm %t.spv -o - | FileCheck %s --check-prefix=EXACT
// RUN: kilnc --target=cpu:x86-64-v2 --options=-cl-fast-relaxed-math --emit=llvm %t.spv -o - | FileCheck %s --check-prefix=EXACT
// AVX512-LABEL: define void @divide.group
// AVX512: call <16 x float> @llvm.x86.avx512.rcp14.ps.512
// AVX512: [[SECOND:%.+]] = call <[[LANES:[0-9]+]] x float> @llvm.fma
// AVX512: [[THIRD:%.+]] = call <[[LANES]] x float> @llvm.fma
// AVX512: [[NUMBER:%.+]] = fcmp ord <[[LANES]] x float> [[THIRD]], [[THIRD]]
// AVX512: select <[[LANES]] x i1> [[NUMBER]]
// AVX512-NOT: fdiv {{.*}}<{{[0-9]+}} x float>
// AVX512: fdiv {{.*}}<{{[0-9]+}} x double>
// AVX2-LABEL: define void @divide.group
// AVX2: call <8 x float> @llvm.x86.avx.rcp.ps.256
// EXACT-LABEL: define void @divide.group
// EXACT-NOT: llvm.x86
// EXACT: fdiv {{.*}}<{{[0-9]+}} x float>
// EXACT-NOT: ninf
kernel void divide(global float *a, global const float *b, global double *c) {
  size_t i = get_global_id(0);
  a[i] /= b[i];
  c[i] = 3 / c[i];
}
