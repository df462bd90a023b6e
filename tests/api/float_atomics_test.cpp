// cl_ext_float_atomics: every function for half, float and double, in global and local memory, and the queries.
#include "base/support/OpenCL.h"
#include "tests/api/ProgramTest.h"
#include <algorithm>
#include <cmath>

namespace kiln::test {
namespace {

struct FloatAtomics : WithProgram {
  void SetUp() override {
    WithProgram::SetUp();
    cl_device_fp_atomic_capabilities_ext floats = 0;
    if (!IsSkipped() && clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT, sizeof floats, &floats,
                                        nullptr) != CL_SUCCESS)
      GTEST_SKIP() << "the device does not support cl_ext_float_atomics";
  }

  /// The value of a half that is finite.
  static double halfValue(uint32_t bits) {
    const int exponent = int(bits >> 10 & 31), fraction = int(bits & 1023);
    const double size = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
    return bits & 0x8000 ? -size : size;
  }
  /// Values of memory that has `Stored`: the type itself, or uint16_t for half.
  template <typename Stored> std::vector<double> values(const Mem &memory, size_t count) {
    std::vector<double> result;
    for (const Stored value : read<Stored>(memory, count))
      result.push_back(std::is_same_v<Stored, uint16_t> ? halfValue(uint32_t(value)) : double(value));
    return result;
  }

  template <typename Stored> void expectFunctions(const std::string &type, bool minMax = true) {
    Program program =
        built(("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#define T " + type + "\n#define A atomic_" + type + R"(
#ifdef MIN_MAX
#define MIN_AND_MAX(P, SCOPE)                                                                                          \
  atomic_fetch_min_explicit(&P[2], -(T)get_global_id(0), memory_order_relaxed, SCOPE);                                 \
  atomic_fetch_max_explicit(&P[3], (T)get_global_id(0) + (T)0.5, memory_order_relaxed, SCOPE);
#else
#define MIN_AND_MAX(P, SCOPE)
#endif
#define ALL(P, SCOPE)                                                                                                  \
  atomic_fetch_add_explicit(&P[0], (T)0.5, memory_order_relaxed, SCOPE);                                               \
  atomic_fetch_sub_explicit(&P[1], (T)0.25, memory_order_relaxed, SCOPE);                                              \
  MIN_AND_MAX(P, SCOPE)                                                                                                \
  atomic_store_explicit(&P[4], (T)2.5, memory_order_relaxed, SCOPE);                                                   \
  atomic_exchange_explicit(&P[5], (T)1.5, memory_order_relaxed, SCOPE);
kernel void k(global A *p, local A *l, global T *out) {
  if (get_local_id(0) < 6)
    atomic_store_explicit(&l[get_local_id(0)], 0, memory_order_relaxed, memory_scope_work_group);
  barrier(CLK_LOCAL_MEM_FENCE);
  ALL(p, memory_scope_device)
  ALL(l, memory_scope_work_group)
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) < 6)
    out[get_group_id(0) * 6 + get_local_id(0)] =
        atomic_load_explicit(&l[get_local_id(0)], memory_order_relaxed, memory_scope_work_group);
}
kernel void old(global A *p, global T *out) {
  out[get_global_id(0)] = atomic_fetch_add_explicit(p, (T)1, memory_order_relaxed, memory_scope_device);
}
)")
                  .c_str(),
              minMax ? "-cl-std=CL3.0 -DMIN_MAX" : "-cl-std=CL3.0");
    constexpr size_t Groups = 8, Local = 32, Bytes = sizeof(Stored);
    Kernel k = kernel(program, "k");
    std::vector<Stored> zeros(6);
    Mem shared = buffer(6 * Bytes, CL_MEM_COPY_HOST_PTR, zeros.data()), out = buffer(Groups * 6 * Bytes);
    set(k, 0, shared);
    clSetKernelArg(k, 1, 6 * Bytes, nullptr);
    set(k, 2, out);
    size_t local = Local;
    ASSERT_EQ(launch(k, Groups * Local, &local), CL_SUCCESS);
    constexpr double All = Groups * Local;
    const double one = minMax; // 0 if nothing is stored
    EXPECT_EQ(values<Stored>(shared, 6),
              (std::vector<double>{All / 2, -All / 4, one * (1 - All), one * (All - 0.5), 2.5, 1.5}));
    const std::vector<double> inGroups = values<Stored>(out, Groups * 6);
    for (size_t g = 0; g < Groups; ++g) {
      const double last = double((g + 1) * Local - 1);
      EXPECT_EQ(std::vector<double>(inGroups.begin() + ptrdiff_t(g * 6), inGroups.begin() + ptrdiff_t(g * 6 + 6)),
                (std::vector<double>{Local / 2., -(Local / 4.), one * -last, one * (last + 0.5), 2.5, 1.5}));
    }

    // Atomic operations return each old value once.
    Kernel old = kernel(program, "old");
    Mem counter = buffer(Bytes, CL_MEM_COPY_HOST_PTR, zeros.data()), seen = buffer(1024 * Bytes);
    set(old, 0, counter);
    set(old, 1, seen);
    ASSERT_EQ(launch(old, 1024), CL_SUCCESS);
    std::vector<double> each = values<Stored>(seen, 1024);
    std::sort(each.begin(), each.end());
    for (size_t i = 0; i < each.size(); ++i)
      EXPECT_EQ(each[i], double(i));
  }
};

TEST_F(FloatAtomics, OfFloats) {
  PROVES("X-E28");
  expectFunctions<cl_float>("float");
}

TEST_F(FloatAtomics, OfDoubles) {
  PROVES("X-E28");
  expectFunctions<cl_double>("double");
}

// All values are halves exactly.
TEST_F(FloatAtomics, OfHalves) {
  PROVES("X-E28");
  constexpr cl_device_fp_atomic_capabilities_ext Add = CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT |
                                                       CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT |
                                                       CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT |
                                                       CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT,
                                                 MinMax = CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT |
                                                          CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT;
  const auto has =
      query<cl_device_fp_atomic_capabilities_ext>(clGetDeviceInfo, device, CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT);
  if ((has & Add) != Add)
    GTEST_SKIP() << "the device has no atomic additions of half";
  expectFunctions<uint16_t>("half", (has & MinMax) == MinMax);
}

// Every memory order and scope; the last half of a buffer; a neighbour in the same word that other work-items change.
TEST_F(FloatAtomics, OrdersAndNeighboursOfHalves) {
  PROVES("X-E28");
  const auto has =
      query<cl_device_fp_atomic_capabilities_ext>(clGetDeviceInfo, device, CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT);
  if (!(has & CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT) || !(has & CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT))
    GTEST_SKIP() << "the device has no atomic additions of half";
  Program program = built(R"(
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global atomic_half *p) {
  global atomic_half *mine = p + get_global_id(0) % 3;
  atomic_fetch_add_explicit(mine, (half)1, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add_explicit(mine, (half)1, memory_order_acq_rel, memory_scope_device);
  atomic_fetch_add_explicit(mine, (half)1, memory_order_seq_cst, memory_scope_all_svm_devices);
  atomic_fetch_sub_explicit(mine, (half)1, memory_order_release, memory_scope_all_svm_devices);
  atomic_fetch_add(mine, (half)0x1p-24);
  atomic_fetch_sub(mine, (half)0x1p-24);
}
)",
                          "-cl-std=CL3.0");
  Kernel k = kernel(program, "k");
  std::vector<uint16_t> zeros(3);
  Mem sums = buffer(6, CL_MEM_COPY_HOST_PTR, zeros.data());
  set(k, 0, sums);
  ASSERT_EQ(launch(k, 900), CL_SUCCESS);
  EXPECT_EQ(values<uint16_t>(sums, 3), (std::vector<double>(3, 600)));
}

// Subnormal numbers are added as numbers, unless the program allows otherwise.
TEST_F(FloatAtomics, SubnormalFloats) {
  PROVES("X-E28");
  if (!(query<cl_device_fp_config>(clGetDeviceInfo, device, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_DENORM))
    GTEST_SKIP() << "the device has no subnormal floats";
  Program program = built(R"(
kernel void k(global atomic_float *p, global float *old, float x) {
  old[get_global_id(0)] = atomic_fetch_add_explicit(p, x, memory_order_relaxed, memory_scope_device);
  atomic_fetch_sub_explicit(p + 1, x, memory_order_acq_rel, memory_scope_device);
}
)",
                          "-cl-std=CL3.0");
  constexpr size_t Items = 100;
  constexpr cl_float Small = 0x1p-149f;
  Kernel k = kernel(program, "k");
  std::vector<cl_float> zeros(2);
  Mem sums = buffer(8, CL_MEM_COPY_HOST_PTR, zeros.data()), old = buffer(Items * 4);
  set(k, 0, sums);
  set(k, 1, old);
  set(k, 2, Small);
  ASSERT_EQ(launch(k, Items), CL_SUCCESS);
  EXPECT_EQ(read<cl_float>(sums, 2), (std::vector<cl_float>{Items * Small, -cl_float(Items) * Small}));
  std::vector<cl_float> values = read<cl_float>(old, Items);
  std::sort(values.begin(), values.end());
  for (size_t i = 0; i < Items; ++i)
    EXPECT_EQ(values[i], cl_float(i) * Small);
}

// The device queries agree with the feature macros. OpenCL C itself has load and store of float and double.
TEST_F(FloatAtomics, QueriesAgreeWithMacros) {
  PROVES("X-E28");
  auto of = [&](cl_device_info what) {
    return query<cl_device_fp_atomic_capabilities_ext>(clGetDeviceInfo, device, what);
  };
  auto bit = [&](cl_device_info what, cl_device_fp_atomic_capabilities_ext which) {
    return of(what) & which ? "1" : "0";
  };
  std::string text;
  for (auto [size, what] : {std::pair("fp16", CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT),
                            {"fp32", CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT},
                            {"fp64", CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT}})
    for (auto [name, which] : {std::pair("global_atomic_add", CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT),
                               {"global_atomic_min_max", CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT},
                               {"local_atomic_add", CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT},
                               {"local_atomic_min_max", CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT},
                               {"global_atomic_load_store", CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT},
                               {"local_atomic_load_store", CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT}}) {
      if (what != CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT && std::string_view(name).ends_with("load_store"))
        continue;
      std::string macro = std::string("__opencl_c_ext_") + size + "_" + name;
      text.append("#if defined(").append(macro).append(") != ");
      text.append(bit(what, cl_device_fp_atomic_capabilities_ext(which)));
      text.append("\n#error ").append(macro).append("\n#endif\n");
    }
  built((text + "#ifndef cl_ext_float_atomics\n#error extension\n#endif\n").c_str(), "-cl-std=CL3.0");
}

} // namespace
} // namespace kiln::test
