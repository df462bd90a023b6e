// KILN_TRACE writes a JSON file with the build and every command.

// RUN: rm -rf %t && mkdir %t
// RUN: env KILN_CACHE=0 KILN_TRACE=%t/trace.json kiln-run %s one --global=4 --local=2 out:i32[4]
// RUN: %python %S/Inputs/read_trace.py %t/trace.json | FileCheck %s
// CHECK: program build
// CHECK: compile source
// CHECK: compile kiln-clc
// CHECK: compile build
// CHECK: compile kilnc
// CHECK: command one
// CHECK: command read buffer
kernel void one(global int *out) { out[get_global_id(0)] = 1; }
