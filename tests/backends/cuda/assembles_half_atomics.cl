// REQUIRES: ptxas
// ptxas accepts atomics of half.
// RUN: kiln-clc -cl-std=CL3.0 %S/half_atomics.cl -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 %t.spv -o %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
// RUN: kilnc --target=nvptx:sm_75 --options=-cl-opt-disable %t.spv -o %t.ptx
// RUN: %ptxas -arch=sm_75 %t.ptx -o %t.cubin
// The same code for the other vendor.
// RUN: kilnc --target=amdgpu:gfx90a %t.spv -o %t.co
