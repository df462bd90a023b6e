// CircularAddresses.cpp: if variables contain each other's addresses, an initialiser stores one of the addresses.
// Variables that are not part of a cycle keep their initial values.

// RUN: kiln-clc -cl-std=CL3.0 %s -o %t.spv && kilnc --emit=ocl %t.spv | FileCheck %s
// CHECK: relocations = array<i64: {{[0-9]+}}, {{[0-9]+}}, {{[0-9]+}}, {{[0-9]+}}>
// CHECK: func.func @k(
// CHECK: func.func @_GLOBAL__sub_I_addresses() attributes {ocl.initializer, ocl.kernel}
// CHECK-COUNT-1: llvm.store
// CHECK-NOT: llvm.store
struct node {
  global struct node *next;
  int value;
};
extern global struct node b;
global struct node a = {&b, 1};
global struct node b = {&a, 2};
global struct node c = {&a, 3};
kernel void k(global int *p) { p[0] = a.next->value + b.value + c.next->value; }

// RUN: not kiln-clc -cl-std=CL3.0 -DCONSTANT %s -o %t.spv 2>&1 | FileCheck %s --check-prefix=CONSTANT
// CONSTANT: error: the program cannot be translated to SPIR-V: the initial value of {{.*}} refers to variables in constant memory
#ifdef CONSTANT
struct link {
  constant struct link *next;
};
extern constant struct link y;
constant struct link x = {&y};
constant struct link y = {&x};
kernel void l(global int *p) { p[0] = x.next == &y; }
#endif
