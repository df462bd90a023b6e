// cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics: every function, in global and local memory.
#include "tests/api/ProgramTest.h"

namespace kiln::test {
struct Int64Atomics : WithProgram {};

TEST_F(Int64Atomics, EveryFunction) {
  PROVES("X-E05");
  Program program = built(R"(
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void k(global long *p, global ulong *u, local long *l) {
  long id = get_global_id(0);
  atom_add(&p[0], 5L << 32);
  atom_sub(&p[1], 1L << 33);
  atom_inc(&p[2]);
  atom_dec(&p[3]);
  atom_xchg(&p[4], 77L << 40);
  atom_cmpxchg(&p[5], 0L, 99L << 40);
  atom_min(&p[6], -id << 32);
  atom_max(&p[7], id << 32);
  atom_and(&u[0], ~(1UL << 40));
  atom_or(&u[1], 1UL << (32 + id % 8));
  atom_xor(&u[2], 1UL << 50);
  if (get_local_id(0) == 0)
    l[0] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atom_add(l, 3L << 32);
  barrier(CLK_LOCAL_MEM_FENCE);
  p[8 + get_group_id(0)] = l[0];
}
)");
  Kernel k = kernel(program, "k");
  std::vector<cl_long> p(12, 0);
  std::vector<cl_ulong> u{~cl_ulong(0), 0, 0};
  Mem first = buffer(p.size() * 8, CL_MEM_COPY_HOST_PTR, p.data()), second = buffer(24, CL_MEM_COPY_HOST_PTR, u.data());
  set(k, 0, first);
  set(k, 1, second);
  clSetKernelArg(k, 2, 8, nullptr);
  size_t local = 16;
  ASSERT_EQ(launch(k, 64, &local), CL_SUCCESS);
  p = {cl_long(5) * 64 << 32,
       -(cl_long(64) << 33),
       64,
       -64,
       cl_long(77) << 40,
       cl_long(99) << 40,
       -(cl_long(63) << 32),
       cl_long(63) << 32,
       cl_long(48) << 32,
       cl_long(48) << 32,
       cl_long(48) << 32,
       cl_long(48) << 32};
  u = {~(cl_ulong(1) << 40), cl_ulong(0xff) << 32, 0};
  EXPECT_EQ(read<cl_long>(first, 12), p);
  EXPECT_EQ(read<cl_ulong>(second, 3), u);
}
} // namespace kiln::test
