// REQUIRES: ptxas
// ptxas makes a line table of the lines in PTX.
// RUN: kiln-clc -g %S/lines.cl -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --options=-g %t.spv -o %t.ptx
// RUN: %ptxas -arch=sm_90 -lineinfo %t.ptx -o %t.cubin
// RUN: llvm-readelf -S %t.cubin | FileCheck %s
// CHECK: .debug_line
