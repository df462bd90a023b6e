// cl_khr_integer_dot_product: dot products of four signed or unsigned bytes, as vectors and packed into an integer.
// FEATURES: X-E18

#if !defined(__opencl_c_integer_dot_product_input_4x8bit) || !defined(__opencl_c_integer_dot_product_input_4x8bit_packed)
#error "the features' macros are missing"
#endif

// The arguments' bytes, lowest first: ff 80 7f 01 and 02 ff 80 7f.
// Unsigned: 255*2 + 128*255 + 127*128 + 127 = 49533; signed: -2 + 128 - 16256 + 127 = -16003;
// unsigned times signed: 510 - 128 - 16256 + 127 = -15747; signed times unsigned: -2 - 32640 + 16256 + 127 = -16259.
// RUN: kiln-run %s packed --options=-cl-std=CL3.0 --global=1 --local=1 out:u32[2] out:i32[6] u32=0x017f80ff u32=0x7f80ff02 | FileCheck %s
// In the language versions before 3.0 as well, of which 1.2 is the default:
// RUN: kiln-run %s packed --global=1 --local=1 out:u32[2] out:i32[6] u32=0x017f80ff u32=0x7f80ff02 | FileCheck %s
// RUN: kiln-run %s packed --options=-cl-std=CL1.0 --global=1 --local=1 out:u32[2] out:i32[6] u32=0x017f80ff u32=0x7f80ff02 | FileCheck %s
// RUN: kiln-run %s vectors --options=-cl-std=CL3.0 --global=1 --local=1 out:u32[2] out:i32[6] u32=0x017f80ff u32=0x7f80ff02 | FileCheck %s
// CHECK: argument 0: 49533 4294967295
// CHECK: argument 1: -16003 -15747 -16259 -2147483648 2147483647 -16258
kernel void packed(global uint *u, global int *s, uint a, uint b) {
  u[0] = dot_4x8packed_uu_uint(a, b);
  u[1] = dot_acc_sat_4x8packed_uu_uint(a, b, 0xffffffff - 5);
  s[0] = dot_4x8packed_ss_int(a, b);
  s[1] = dot_4x8packed_us_int(a, b);
  s[2] = dot_4x8packed_su_int(a, b);
  s[3] = dot_acc_sat_4x8packed_us_int(a, b, INT_MIN + 5);
  s[4] = dot_acc_sat_4x8packed_ss_int(b, b, INT_MAX - 5);
  s[5] = dot_acc_sat_4x8packed_su_int(a, b, 1);
}

kernel void vectors(global uint *u, global int *s, uint a, uint b) {
  u[0] = dot(as_uchar4(a), as_uchar4(b));
  u[1] = dot_acc_sat(as_uchar4(a), as_uchar4(b), 0xffffffff - 5);
  s[0] = dot(as_char4(a), as_char4(b));
  s[1] = dot(as_uchar4(a), as_char4(b));
  s[2] = dot(as_char4(a), as_uchar4(b));
  s[3] = dot_acc_sat(as_uchar4(a), as_char4(b), INT_MIN + 5);
  s[4] = dot_acc_sat(as_char4(b), as_char4(b), INT_MAX - 5);
  s[5] = dot_acc_sat(as_char4(a), as_uchar4(b), 1);
}
