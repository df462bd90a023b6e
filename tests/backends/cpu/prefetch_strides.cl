// backends/cpu/codegen/PrefetchStrides: loops of many instructions prefetch what they read some iterations later at large
// or unknown strides.
// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=cpu:x86-64-v3 --emit=llvm --machine-width=1 %t.spv -o - | FileCheck %s
// RUN: kilnc --target=cpu:x86-64-v4 --emit=llvm --machine-width=8 --kernel=counts --local-size=64,1,1 %t.spv -o - | FileCheck %s --check-prefix=VECTOR
#define TWICE(x) x x
#define LONG(x) TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(x))))))

// CHECK-LABEL: define void @all_items.group
// CHECK: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0, i32 3, i32 1)
// CHECK-NOT: call void @llvm.prefetch
kernel void all_items(global const uint *from, global uint *to, ulong count) {
  uint sum = 0;
  for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) {
    sum += from[i];
    LONG(sum = sum * sum ^ 5;)
  }
  to[get_global_id(0)] = sum;
}

// Indices of 32 bits may wrap, so the address does not rise by one step, but the number in it does. Masked lanes prefetch
// nothing.
// VECTOR-LABEL: define void @counts.group
// VECTOR: call void @llvm.prefetch.p0
// VECTOR-NOT: call void @llvm.prefetch
kernel void counts(global const uint *from, global uint *to, uint count) {
  local uint mine[256];
  for (uint i = get_global_id(0); i < count; i += get_global_size(0)) {
    const uint word = from[i];
    atomic_inc(&mine[word & 255]);
    atomic_inc(&mine[word >> 8 & 255]);
    atomic_inc(&mine[word >> 16 & 255]);
    atomic_inc(&mine[word >> 24]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  to[get_global_id(0)] = mine[get_local_id(0)];
}

// Columns of a matrix. The second load is in the line of the first.
// CHECK-LABEL: define void @columns.group
// CHECK: call void @llvm.prefetch
// CHECK-NOT: call void @llvm.prefetch
kernel void columns(global const uint *from, global uint *to, uint rows) {
  uint sum = 0;
  for (ulong row = 0; row < rows; ++row) {
    sum += from[row * 1024] ^ from[row * 1024 + 1];
    LONG(sum = sum * sum ^ 5;)
  }
  to[get_global_id(0)] = sum;
}

// Short iterations, strides that the processor follows, few iterations, and addresses without a stride.
// CHECK-LABEL: define void @short_iterations.group
// CHECK-NOT: call void @llvm.prefetch
kernel void short_iterations(global const uint *from, global uint *to, ulong count) {
  uint sum = 0;
  for (ulong i = get_global_id(0); i < count; i += get_global_size(0))
    sum = sum * 7 ^ from[i];
  to[get_global_id(0)] = sum;
}
kernel void adjacent(global const uint *from, global uint *to, ulong count) {
  uint sum = 0;
  for (ulong i = 0; i < count; ++i) {
    sum += from[i];
    LONG(sum = sum * sum ^ 5;)
  }
  to[get_global_id(0)] = sum;
}
kernel void few(global const uint *from, global uint *to) {
  uint sum = 0;
#pragma unroll 1
  for (ulong i = 0; i < 5; ++i) {
    sum += from[i * 1024];
    LONG(sum = sum * sum ^ 5;)
  }
  to[get_global_id(0)] = sum;
}
kernel void chain(global const uint *from, global uint *to, uint count) {
  uint at = get_global_id(0);
  for (uint i = 0; i < count; ++i) {
    at = from[at];
    LONG(at = at * at ^ i;)
  }
  to[get_global_id(0)] = at;
}
