// Unknown processors are errors.
// RUN: not kilnc --target=amdgpu:gfx803 %s 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error: processor is 'gfx803', must be gfx900 or newer
// RUN: not kilnc --target=amdgpu:gfx999 %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: unknown processor 'gfx999'
// RUN: not kilnc --target=amdgpu:tahiti %s 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: error: processor is 'tahiti', must be
// RUN: not kilnc --target=amdgpu:gfx90a:turbo+ %s 2>&1 | FileCheck %s --check-prefix=FEATURE
// FEATURE: error: unknown processor feature 'turbo+'
// RUN: not kilnc --target=amdgpu:gfx90a:sramecc %s 2>&1 | FileCheck %s --check-prefix=SIGN
// SIGN: error: unknown processor feature 'sramecc'
// RUN: not kilnc --target=amdgpu:gfx90a::xnack+ %s 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: unknown processor feature ''

// HIP's processor names have features.
// RUN: kilnc --target=amdgpu:gfx90a:sramecc+:xnack- %s -o %t && llvm-readelf -h %t | FileCheck %s --check-prefix=FLAGS
// FLAGS: Flags: 0x{{.*}}, gfx90a, xnack-, sramecc+

// RUN: kilnc --target=amdgpu:gfx1100 --emit=asm %s -o - | FileCheck %s --check-prefix=ASM
// ASM: .amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
// ASM: global_store_b32
// RUN: kilnc --target=amdgpu:gfx942 --emit=llvm %s -o - | FileCheck %s --check-prefix=LLVM
// LLVM: define amdgpu_kernel void @fill(
// RUN: kilnc --target=amdgpu:gfx942 --emit=obj %s -o %t && llvm-readelf -h %t | FileCheck %s --check-prefix=OBJECT
// OBJECT: Type: REL
// RUN: kilnc --target=amdgpu:gfx942 "--pipeline=builtin.module(kiln-gpu-common,kiln-amdgpu)" --emit=asm %s -o - | FileCheck %s --check-prefix=OWN
// OWN: .amdhsa_kernel fill
kernel void fill(global int *out) { out[get_global_id(0)] = get_local_size(0); }
