// Private numbers and pointers become values. Structs, arrays, volatile variables, and variables whose address is taken
// stay in memory, and so do handles, which OpPhi may not have.

// RUN: kiln-clc %s -o %t.spv && spirv-val --target-env opencl2.2 %t.spv && spirv-dis %t.spv | FileCheck %s

// CHECK-LABEL: OpLabel
// CHECK-NOT: OpVariable
// CHECK-DAG: %[[P:.*]] = OpPhi %_ptr_CrossWorkgroup_float %p %{{.*}} %[[NEXT:.*]] %
// CHECK-DAG: %[[SUM:.*]] = OpPhi %v4float %{{.*}} %{{.*}} %[[MORE:.*]] %
// CHECK: %[[MORE]] = OpFAdd %v4float %[[SUM]]
// CHECK: %[[NEXT]] = OpInBoundsPtrAccessChain %_ptr_CrossWorkgroup_float %[[P]]
// CHECK: OpFunctionEnd
kernel void values(global float *p, global float *end) {
  float4 sum = 0;
  for (; p != end; ++p)
    sum += vload4(0, p);
  *p = sum.x + sum.y;
}

// CHECK: OpFunctionParameter
// CHECK: OpVariable %_ptr_Function_uint Function
// CHECK-NOT: OpVariable
// CHECK: OpPhi %uint %{{.*}} %{{.*}} %{{.*}} %
// CHECK: OpFunctionEnd
kernel void addressTaken(global int *p, int n) {
  int here = 1, sum = 2;
  int *there = &here;
  if (n > 3) {
    sum = n;
    *there = n;
  }
  *(n > 5 ? there : &here) = sum;
  *p = here;
}

// CHECK: OpFunctionParameter
// CHECK: OpVariable %_ptr_Function_uint Function
// CHECK: OpLoad %uint %{{.*}} Volatile
// CHECK: OpFunctionEnd
kernel void isVolatile(global int *p) {
  volatile int x = 1;
  *p = x;
}

// CHECK: OpFunctionParameter
// CHECK: OpVariable %_ptr_Function__arr_
// CHECK: OpVariable %_ptr_Function_{{.*}}Pair
// CHECK: OpFunctionEnd
struct Pair {
  int a, b;
};
kernel void aggregates(global int *p, int n) {
  int array[4];
  struct Pair pair;
  array[n] = 1, pair.a = 2;
  *p = array[0] + pair.a;
}

// CHECK: OpFunctionParameter
// CHECK: OpVariable %{{.*}} Function
// CHECK: OpStore %
// CHECK: OpGroupWaitEvents
// CHECK: OpFunctionEnd
kernel void handles(global float *p, local float *q, int n) {
  event_t done = 0;
  if (n)
    done = async_work_group_copy(q, p, 4, 0);
  wait_group_events(1, &done);
}

// A read before the first write is undefined.
// CHECK: OpFunctionParameter
// CHECK-NOT: OpVariable
// CHECK: OpPhi %uint {{.*}}[[UNDEFINED:%[0-9]+]] %
// CHECK: OpFunctionEnd
kernel void undefined(global int *p, int n) {
  int x;
  if (n)
    x = *p;
  *p = x;
}

// The translator would lose the decoration of a conversion that an OpPhi before it uses.
// CHECK: OpFunctionParameter
// CHECK: OpVariable %_ptr_Function_float Function
// CHECK-NOT: OpVariable
// CHECK: OpFunctionEnd
kernel void conversions(global float *p, int n) {
  float x = 1, y = 2;
  for (int i = 0; i < n; ++i) {
    p[i] = x + y;
    x = convert_float_rtz(n + i);
    y = convert_float(n - i);
  }
}

// A conversion to the same type is its operand: it keeps the decoration, and all its uses have one id.
// CHECK: OpFunctionParameter
// CHECK: OpVariable %_ptr_Function_uint Function
// CHECK-NOT: OpVariable
// CHECK: OpPhi %uint %uint_2 %{{[^ ]+}} %[[LOADED:[^ ]+]] %
// CHECK: %[[LOADED]] = OpLoad %uint
// CHECK: OpIMul %uint %[[LOADED]] %[[LOADED]]
// CHECK: OpFunctionEnd
kernel void identities(global int *p, global long *q, int n) {
  int x = 1, y = 2;
  for (int i = 0; i < n; ++i) {
    p[i] = x + y;
    x = convert_int(convert_int_sat(q[i]));
    int loaded = p[n + i];
    p[n + i] = loaded * loaded;
    y = convert_int(loaded);
  }
}

// The definition of `x` dominates its use, and is after it in the source.
// CHECK: OpFunctionParameter
// CHECK-NOT: OpVariable
// CHECK: %[[X:.*]] = OpLoad %uint
// CHECK: OpIMul %uint %[[X]]
// CHECK: OpFunctionEnd
kernel void backwards(global int *p, int n) {
  int x;
  goto set;
use:
  p[1] = x * n;
  return;
set:
  x = p[0];
  goto use;
}
