// Unknown processors and unsupported stages are errors.
// RUN: not kilnc --target=nvptx:sm_60 %s 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error: processor is 'sm_60', must be sm_70 or newer
// RUN: not kilnc --target=nvptx:sm_777 %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: unknown processor 'sm_777'
// RUN: not kilnc --target=nvptx %s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: processor is '', must be
// RUN: not kilnc --target=abacus:sm_90 %s 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: error: unknown target 'abacus:sm_90'
// RUN: not kilnc --target=nvptx:sm_90 --emit=obj %s 2>&1 | FileCheck %s --check-prefix=OBJECT
// OBJECT: error: --emit=obj: target nvptx:sm_90 has no object files
// RUN: not kilnc --target=nvptx:sm_90 --emit=wg %s 2>&1 | FileCheck %s --check-prefix=GROUPS
// GROUPS: error: --emit=wg: target nvptx:sm_90 has no wg stage

// Every stage.
// RUN: kilnc --target=nvptx:sm_75 --emit=ocl %s -o - | FileCheck %s --check-prefix=OCL
// OCL: ocl.query global_id
// RUN: kilnc --target=nvptx:sm_75 --emit=llvm %s -o - | FileCheck %s --check-prefix=LLVM
// LLVM: define ptx_kernel void @fill(
// RUN: kilnc --target=nvptx:sm_75 --emit=asm %s -o - | FileCheck %s --check-prefix=ASM
// ASM: .target sm_75
// RUN: kilnc --target=nvptx:sm_75 --report %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: fill: 1 arguments in 8 bytes, {{.*}}local size at most 1024, preferred multiple 32

// A custom pass pipeline.
// RUN: kilnc --target=nvptx:sm_90 "--pipeline=builtin.module(kiln-gpu-common,kiln-nvptx)" %s -o - | FileCheck %s --check-prefix=OWN
// OWN: .visible .entry fill(

// A variant for a local size.
// RUN: kilnc --target=nvptx:sm_90 --kernel=fill --local-size=64,1,1 --emit=llvm %s -o - | FileCheck %s --check-prefix=SIZED
// SIZED: define ptx_kernel void @fill_sized(
// SIZED: "nvvm.reqntid"="64,1,1"
kernel void fill(global int *out) { out[get_global_id(0)] = get_local_size(0); }
