// Only the macros, types and functions of the listed extensions exist.

// RUN: kiln-clc --extensions= -DNONE %s -o %t.spv
// RUN: kiln-clc --extensions= -cl-std=CL2.0 -DNONE %s -o %t.spv
// RUN: kiln-clc --extensions= -cl-std=CL3.0 -DNONE %s -o %t.spv
// RUN: kiln-clc --extensions=cl_khr_fp64,cl_khr_int64_base_atomics,cl_khr_subgroup_ballot,cl_kiln_test -cl-std=CL2.0 %s -o %t.spv
// RUN: kiln-clc --extensions=cl_khr_fp64,cl_khr_int64_base_atomics,cl_khr_subgroup_ballot,cl_kiln_test -cl-std=CL3.0 -DFEATURE %s -o %t.spv
#ifdef NONE
#if defined(cl_khr_fp64) || defined(cl_khr_fp16) || defined(cl_khr_subgroup_ballot) || defined(cl_khr_integer_dot_product) || \
    defined(__IMAGE_SUPPORT__) || defined(cl_ext_float_atomics) || defined(__opencl_c_fp64) || defined(__opencl_c_ext_fp32_global_atomic_add)
#error a macro too many
#endif
#if __OPENCL_C_VERSION__ == 300 && (defined(__opencl_c_images) || defined(__opencl_c_atomic_order_seq_cst) || \
    defined(__opencl_c_atomic_scope_device) || defined(__opencl_c_work_group_collective_functions))
#error a feature too many
#endif
#else
#if cl_khr_fp64 != 1 || cl_khr_int64_base_atomics != 1 || cl_khr_subgroup_ballot != 1 || cl_kiln_test != 1
#error a macro is missing
#endif
kernel void doubles(global double *p) { p[0] += 1.0; }
#endif

// An extension implies its equivalent feature and vice versa.
#if defined(FEATURE) && __opencl_c_fp64 != 1
#error a feature is missing
#endif

// RUN: kiln-clc --extensions=__image_support,__opencl_c_images,cl_khr_fp64,cl_khr_int64_base_atomics,cl_khr_subgroup_ballot,cl_kiln_test -cl-std=CL3.0 -DIMAGES %s -o %t.spv
#if defined(IMAGES) && __IMAGE_SUPPORT__ != 1
#error images are missing
#endif

// RUN: not kiln-clc --extensions= -DHALF %s 2>&1 | FileCheck %s
// CHECK: error: {{.*}}half
#ifdef HALF
kernel void halves(global half *p) { p[0] = p[1] + p[2]; }
#endif
kernel void k(global int *p) { p[0] = 1; }
