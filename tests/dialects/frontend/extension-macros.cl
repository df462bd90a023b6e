// An extension's macro says that its functions exist, in the default version, 1.2, as well.
// RUN: kiln-clc %s -o %t.spv
// RUN: kiln-clc -cl-std=CL1.0 %s -o %t.spv
// RUN: kiln-clc -cl-std=CL2.0 %s -o %t.spv
kernel void functions(global int *p) {
#if defined(cl_khr_work_group_uniform_arithmetic)
  p[0] = work_group_reduce_mul(p[0]);
#elif __OPENCL_C_VERSION__ >= 200
#error a macro is missing
#endif
#ifndef cl_khr_integer_dot_product
#error a macro is missing
#endif
  p[1] = dot_acc_sat((char4)(1), (char4)(2), p[1]);
// By default the command compiles for a device with every extension, also those of the host API.
#if !defined(cl_khr_expect_assume) || !defined(cl_khr_pci_bus_info)
#error a macro is missing
#endif
#if __OPENCL_C_VERSION__ < 200 && defined(cl_ext_float_atomics)
#error a macro too many
#endif
}
