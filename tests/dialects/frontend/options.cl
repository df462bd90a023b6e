// The command accepts every option of clBuildProgram and rejects others before it compiles.

// RUN: not kiln-clc -cl-no-such-option %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: kiln-clc: unknown option '-cl-no-such-option'
// RUN: not kiln-clc %s -D 2>&1 | FileCheck %s --check-prefix=MACRO
// MACRO: kiln-clc: -D needs a macro
// RUN: not kiln-clc -cl-std=CL9.9 %s 2>&1 | FileCheck %s --check-prefix=STANDARD
// STANDARD: kiln-clc: -cl-std=CL9.9 is not a version of OpenCL C
// RUN: not kiln-clc %s %s 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: kiln-clc: more than one source
// RUN: not kiln-clc %t.does-not-exist 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: kiln-clc: cannot read
// RUN: not kiln-clc %s -o %S/no/such/folder/out.spv 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: kiln-clc: cannot write
// RUN: not kiln-clc 2>&1 | FileCheck %s --check-prefix=USAGE
// RUN: kiln-clc --help | FileCheck %s --check-prefix=USAGE
// USAGE: usage: kiln-clc

// RUN: kiln-clc -cl-denorms-are-zero -cl-opt-disable -cl-mad-enable -cl-no-signed-zeros -cl-unsafe-math-optimizations \
// RUN:   -cl-finite-math-only -cl-uniform-work-group-size -cl-no-subgroup-ifp -cl-kernel-arg-info -w -Werror \
// RUN:   -cl-fp32-correctly-rounded-divide-sqrt -cl-strict-aliasing %s -o %t.spv 2>&1 | count 0
// RUN: spirv-val %t.spv

// RUN: kiln-clc %s | spirv-dis | FileCheck %s --check-prefix=USUAL
// USUAL-NOT: FPFastMathMode
// USUAL: OpTypeFloat 64
// USUAL: OpFMul %double
// USUAL: OpFunctionEnd

// RUN: kiln-clc -cl-single-precision-constant %s | spirv-dis | FileCheck %s --check-prefix=SINGLE
// SINGLE-NOT: OpTypeFloat 64

// RUN: kiln-clc -cl-fast-relaxed-math %s | spirv-dis | FileCheck %s --check-prefix=FAST
// FAST-DAG: FPFastMathMode NotNaN|NotInf|NSZ|AllowRecip
// FAST-DAG: OpName %{{.*}} "relaxed"
kernel void k(global float *p) { p[0] = p[1] * 1.1; }
#ifdef __FAST_RELAXED_MATH__
kernel void relaxed(global float *p) { p[0] = 1; }
#endif

// Macros with values, in order.
// RUN: kiln-clc -D A=7 -D B=A -DC %s | spirv-dis | FileCheck %s --check-prefix=MACROS
// MACROS: OpConstant %uint 7
#ifdef C
kernel void macros(global int *p) { p[0] = B; }
#endif
