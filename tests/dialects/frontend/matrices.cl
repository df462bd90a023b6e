// Cooperative matrices: vectors of the front end become the types and instructions of SPV_KHR_cooperative_matrix.
// FEATURES: X-E40

// RUN: kiln-clc -cl-std=CL3.0 %s -o %t.spv && kiln-translate %t.spv | FileCheck %s
// RUN: kiln-clc -cl-std=CL1.2 %s -o %t.12.spv && kiln-translate %t.12.spv | FileCheck %s
// RUN: kiln-clc -cl-std=CL3.0 -cl-opt-disable -g %s -o %t.g.spv && kiln-translate %t.g.spv | FileCheck %s --check-prefix=VARIABLES
// RUN: not kiln-clc --extensions= -cl-std=CL3.0 %s -o %t.none.spv 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: CLK_COOPERATIVE_MATRIX_A

typedef uchar __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, 16, 16, CLK_COOPERATIVE_MATRIX_A))) ma;
typedef char __attribute__((coop_mat(3, 16, 16, CLK_COOPERATIVE_MATRIX_B))) mb;
typedef int __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, 16, 4 * 4, CLK_COOPERATIVE_MATRIX_ACCUMULATOR))) mc;

// CHECK-LABEL: func.func private @k.1(
// CHECK: %[[A:.*]] = ocl.matrix_load row_major %arg0, %{{.*}} : <1> -> <16x16xi8, a>
// CHECK: %[[B:.*]] = ocl.matrix_load column_major %arg1, %{{.*}} : <3> -> <16x16xi8, b>
// CHECK: %[[ONE:.*]] = ocl.matrix_fill %c1_i32{{.*}} : i32 -> <16x16xi32, accumulator>
// CHECK: %[[D:.*]] = ocl.matrix_multiply_add %[[A]], %[[B]], %[[ONE]] "b_signed|c_signed|result_signed"
// CHECK: ocl.matrix_map %{{.*}}, %[[D]]
// CHECK: arith.subi
// CHECK: ocl.matrix_multiply_add {{.*}} "b_signed|c_signed|result_signed|saturates"
// CHECK: ocl.matrix_store {{.*}}, row_major %arg2, %{{.*}} : <16x16xi32, accumulator>, <1>
// VARIABLES: llvm.alloca %{{.*}} x !ocl.matrix<16x16xi32, accumulator>
// VARIABLES: ocl.matrix_multiply_add
kernel void k(global const uchar *p, local char *q, global int *r) {
  ma a = coop_mat_load(p, CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR, 16);
  mb b;
  b = coop_mat_load(q, CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR, 32);
  mc c = coop_mat_init(1);
  mc d = coop_mat_mulAdd(a, b, c);
  d = -d;
  mc e = coop_mat_mulAdd(a, b, d, CLK_COOPERATIVE_MATRIX_OPERAND_SATURATING_ACCUMULATION);
  coop_mat_store(r, e, CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR, coop_mat_length(e));
}
