// Kernels that require a sub-group size or a number of sub-groups, and the functions of SPV_INTEL_subgroups.
#include "tests/api/ProgramTest.h"
#include <algorithm>
#include <numeric>

namespace kiln::test {
namespace {

struct SubGroupRequirements : WithProgram {
  void SetUp() override {
    WithProgram::SetUp();
    if (!IsSkipped() && !query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_MAX_NUM_SUB_GROUPS))
      GTEST_SKIP() << "the device has no sub-groups";
  }

  size_t ask(cl_kernel kernel, cl_kernel_sub_group_info param, std::vector<size_t> input = {}) {
    size_t result = 77;
    EXPECT_EQ(clGetKernelSubGroupInfo(kernel, device, param, input.size() * sizeof(size_t),
                                      input.empty() ? nullptr : input.data(), sizeof result, &result, nullptr),
              CL_SUCCESS);
    return result;
  }

  Program fromModule(const char *name) {
    std::vector<char> il = module(name);
    cl_int code = 1;
    Program built = clCreateProgramWithIL(context, il.data(), il.size(), &code);
    EXPECT_EQ(code, CL_SUCCESS);
    EXPECT_EQ(clBuildProgram(built, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << log(built);
    return built;
  }
};

// cl_intel_required_subgroup_size: a kernel with each size of CL_DEVICE_SUB_GROUP_SIZES_INTEL runs with that size, and
// the queries return it.
TEST_F(SubGroupRequirements, Sizes) {
  PROVES("X-E32 LANG-1.7.2");
  if (queryText(clGetDeviceInfo, device, CL_DEVICE_EXTENSIONS).find("cl_intel_required_subgroup_size") ==
      std::string::npos)
    GTEST_SKIP() << "the device does not support cl_intel_required_subgroup_size";
  const auto sizes = queryList<size_t>(clGetDeviceInfo, device, CL_DEVICE_SUB_GROUP_SIZES_INTEL);
  ASSERT_FALSE(sizes.empty());
  Program plain = built("kernel void k(global int *p) { p[0] = 1; }", "-cl-std=CL3.0");
  EXPECT_EQ(ask(kernel(plain, "k"), CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL), 0u);
  for (size_t size : sizes) {
    const std::string required = "__attribute__((intel_reqd_sub_group_size(" + std::to_string(size) + "))) ";
    const std::string text = "#ifndef cl_intel_required_subgroup_size\n#error not there\n#endif\n" + required + R"(
kernel void sized(global const int *in, global int8 *out) {
  uint l = get_sub_group_local_id();
  out[get_global_id(0)] = (int8)(get_sub_group_size(), get_max_sub_group_size(), get_sub_group_id(), l,
                      sub_group_reduce_add(in[get_global_id(0)]), sub_group_scan_inclusive_max(in[get_global_id(0)]),
                      sub_group_shuffle(in[get_global_id(0)], get_sub_group_size() - 1 - l),
                      as_int4(sub_group_ballot(in[get_global_id(0)] & 1)).x);
}
)";
    Program program = built(text.c_str(), "-cl-std=CL3.0");
    Kernel k = kernel(program, "sized");
    EXPECT_EQ(ask(k, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL), size);
    EXPECT_EQ(queryText(clGetKernelInfo, k.get(), CL_KERNEL_ATTRIBUTES),
              "intel_reqd_sub_group_size(" + std::to_string(size) + ")");
    cl_ulong spilled = 1;
    EXPECT_EQ(clGetKernelWorkGroupInfo(k, device, CL_KERNEL_SPILL_MEM_SIZE_INTEL, sizeof spilled, &spilled, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(ask(k, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, {200}), size);
    EXPECT_LE(ask(k, CL_KERNEL_MAX_NUM_SUB_GROUPS),
              query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_MAX_NUM_SUB_GROUPS));
    for (auto [global, local] : {std::pair<size_t, size_t>(100, 40), {128, 64}, {5, 5}}) {
      std::vector<cl_int> in(global);
      for (size_t i = 0; i < in.size(); ++i)
        in[i] = cl_int(i * i % 23);
      Mem from = buffer(global * sizeof(cl_int), CL_MEM_COPY_HOST_PTR, in.data()),
          to = buffer(global * sizeof(cl_int8));
      set(k, 0, from);
      set(k, 1, to);
      ASSERT_EQ(launch(k, global, &local), CL_SUCCESS);
      const std::vector<cl_int8> out = read<cl_int8>(to, global);
      for (size_t i = 0; i < in.size(); ++i) {
        const size_t group = i / local * local, end = std::min(group + local, in.size());
        const size_t first = group + (i - group) / size * size, last = std::min(first + size, end);
        cl_int sum = 0, max = 0;
        cl_uint votes = 0;
        for (size_t j = first; j < last; ++j) {
          sum += in[j];
          if (j - first < 32) // the kernel stores the first component of the ballot
            votes |= cl_uint(in[j] & 1) << (j - first);
          max = j <= i ? std::max(max, in[j]) : max;
        }
        const cl_int expected[] = {cl_int(last - first),
                                   cl_int(std::min(size, local)),
                                   cl_int((i - group) / size),
                                   cl_int(i - first),
                                   sum,
                                   max,
                                   in[last - 1 - (i - first)],
                                   cl_int(votes)};
        for (int which = 0; which < 8; ++which)
          EXPECT_EQ(out[i].s[which], expected[which]) << which << " of " << i << ", sub-groups of " << size;
      }
    }
  }
  // A size that is not in CL_DEVICE_SUB_GROUP_SIZES_INTEL.
  Program refused = source("__attribute__((intel_reqd_sub_group_size(24))) kernel void k(global int *p) { p[0] = 1; }");
  EXPECT_EQ(clBuildProgram(refused, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_NE(log(refused).find("is 24, must be one of"), std::string::npos) << log(refused);
}

// A SPIR-V module with SPV_INTEL_subgroups: shuffles of one value, shuffles up and down across two values, and block
// reads and writes of one and of two elements.
TEST_F(SubGroupRequirements, IntelSubGroups) {
  PROVES("X-E32");
  Program built = fromModule("intel_subgroups");
  Kernel k = kernel(built, "k");
  for (size_t items : {16, 8}) {
    std::vector<cl_uint> in(3 * items);
    std::iota(in.begin(), in.end(), 100u);
    Mem from = buffer(in.size() * 4, CL_MEM_COPY_HOST_PTR, in.data()), to = buffer(7 * items * 4);
    set(k, 0, from);
    set(k, 1, to);
    ASSERT_EQ(launch(k, items, &items), CL_SUCCESS);
    const std::vector<cl_uint> out = read<cl_uint>(to, 7 * items);
    for (size_t l = 0; l < items; ++l) {
      const auto number = [&](size_t lane, size_t component) { return in[component * items + lane]; };
      EXPECT_EQ(out[l], number(3, 0)) << "of lane 3";
      EXPECT_EQ(out[items + l], number(l ^ 3, 0));
      EXPECT_EQ(out[2 * items + l], l + 3 < items ? number(l + 3, 0) : number(l + 3 - items, 1)) << "down";
      EXPECT_EQ(out[3 * items + l], l < 3 ? number(l + items - 3, 0) : number(l - 3, 1)) << "up";
      EXPECT_EQ(out[4 * items + l], number(l, 2)) << "one number";
      EXPECT_EQ(out[5 * items + l], number(l, 0)) << "the first of two";
      EXPECT_EQ(out[6 * items + l], number(l, 1)) << "the second";
    }
  }
}

// Execution modes for the number of sub-groups in a work-group: a literal (kernel `three`) and a constant's id (`two`).
TEST_F(SubGroupRequirements, Counts) {
  PROVES("IL-6.1e API-5.9.4c");
  Program built = fromModule("sub_group_counts");
  const std::pair<const char *, size_t> kernels[] = {{"three", 3}, {"two", 2}};
  for (auto [name, count] : kernels) {
    Kernel k = kernel(built, name);
    EXPECT_EQ(ask(k, CL_KERNEL_COMPILE_NUM_SUB_GROUPS), count);
    EXPECT_EQ(ask(k, CL_KERNEL_MAX_NUM_SUB_GROUPS), count);
    const size_t size = ask(k, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, {count}) / count;
    ASSERT_GT(size, 1u);
    EXPECT_EQ(ask(k, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, {count - 1}), 0u);
    EXPECT_EQ(ask(k, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, {count + 1}), 0u);

    const size_t whole = count * size, global = 4 * whole;
    Mem out = buffer(global * sizeof(cl_uint));
    set(k, 0, out);
    // The smallest and the largest group with this number of sub-groups, a local size that the runtime chooses, and a
    // two-dimensional group.
    for (size_t local : {whole - size + 1, whole, size_t(0)}) {
      const size_t items = local ? 4 * local : global;
      EXPECT_EQ(launch(k, items, local ? &local : nullptr), CL_SUCCESS) << local;
      EXPECT_EQ(read<cl_uint>(out, items), std::vector<cl_uint>(items, cl_uint(count))) << local;
    }
    const size_t global2[] = {whole, 4}, local2[] = {whole / 2, 2};
    EXPECT_EQ(clEnqueueNDRangeKernel(queue, k, 2, nullptr, global2, local2, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(read<cl_uint>(out, global), std::vector<cl_uint>(global, cl_uint(count)));
    // Groups with fewer or more sub-groups are rejected.
    for (size_t local : {whole - size, size_t(1), whole + 1})
      EXPECT_EQ(launch(k, 4 * local, &local), CL_INVALID_WORK_GROUP_SIZE) << local;
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  }
}

} // namespace
} // namespace kiln::test
