// backends/cpu/codegen/DisableRuntimeUnroll: scalar loops are not unrolled at run time, vector loops are.
// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --emit=llvm --machine-width=4 %t.spv -o - | FileCheck %s --check-prefix=SCALARS
// RUN: kilnc --emit=llvm --machine-width=4 %t.spv -o - | FileCheck %s --check-prefix=VECTORS
// SCALARS-LABEL: @rows
// SCALARS-COUNT-1: fadd float
// SCALARS-NOT: fadd
// SCALARS: @columns
kernel void rows(global const float *values, global const int *columns, global const int *starts, global float *y) {
  size_t row = get_global_id(0);
  float sum = 0;
  for (int k = starts[row]; k < starts[row + 1]; ++k)
    sum += values[columns[k]];
  y[row] = sum;
}
// VECTORS-LABEL: @columns
// VECTORS-COUNT-4: fadd <
kernel void columns(global const float *values, global float *y, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += values[k * get_global_size(0) + get_global_id(0)];
  y[get_global_id(0)] = sum;
}
