// backends/cpu/codegen/DynamicLaneExtract: lanes at dynamic indices are loaded from one shared stack slot.
// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --emit=llvm --machine-width=1 %t.spv -o - | FileCheck %s

// A constant vector is one global.
// CHECK: [[TABLE:@[0-9]+]] = internal constant <16 x i8> <i8 3, i8 1, i8 4,
// CHECK-NOT: internal constant

// CHECK-LABEL: define {{.*}}@walk.group
// CHECK: [[PLACE:%.*]] = alloca [128 x i8], align 64
// CHECK-NOT: alloca
// CHECK-NOT: extractelement
// CHECK: store <16 x i64> %{{.*}}, ptr [[PLACE]], align 64
// CHECK: [[FIRST:%.*]] = getelementptr inbounds i64, ptr [[PLACE]]
// CHECK: load i64, ptr [[FIRST]]
// CHECK-NOT: store <16 x i64>
// CHECK: [[SECOND:%.*]] = getelementptr inbounds i64, ptr [[PLACE]]
// CHECK: load i64, ptr [[SECOND]]
// CHECK: store <4 x float> %{{.*}}, ptr [[PLACE]], align 16
kernel void walk(global ulong *out, global const ulong16 *in, global float4 *other) {
  const size_t i = get_global_id(0);
  const ulong16 v = in[i] * 3;
  const ulong first = v[out[i] & 15], second = v[first & 15];
  out[i] = second;
  const float4 w = other[i] * 2;
  other[i] = w[second & 3] + w[first & 3];
}

// CHECK-LABEL: define {{.*}}@digits.group
// CHECK-NOT: alloca
// CHECK: getelementptr inbounds i8, ptr [[TABLE]]
// CHECK: getelementptr inbounds i8, ptr [[TABLE]]
kernel void digits(global uchar *out) {
  const uchar16 digits = (uchar16)(3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3);
  const size_t i = get_global_id(0);
  out[i] = digits[digits[out[i] & 15]];
}
