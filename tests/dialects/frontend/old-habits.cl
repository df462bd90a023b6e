// Constructs of existing programs that newer versions of Clang reject are warnings.

// RUN: kiln-clc %s -o %t.spv 2>&1 | FileCheck %s
// RUN: spirv-val %t.spv
kernel void mixed(global int *ints, global float *floats, long raw) {
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: warning: incompatible pointer types
  ints = floats;
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: warning: incompatible integer to pointer
  global int *made = raw;
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: warning: incompatible pointer to integer
  int number = ints;
  made[0] = number;
}

// CHECK: [[@LINE+1]]:{{[0-9]+}}: warning: type specifier missing
implicit_int() { return 3; }
