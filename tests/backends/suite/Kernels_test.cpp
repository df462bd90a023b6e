// Kernels: local memory and barriers, atomics, arithmetic, pointers.
#include "tests/backends/suite/Suite.h"
#include <algorithm>
#include <bit>
#include <cmath>

namespace kiln::suite {

class DeviceKernels : public OnDevice {
protected:
  /// The error of `got` against `exact`, in ulp of a float.
  static double ulps(float got, double exact) {
    if (std::isnan(exact))
      return std::isnan(got) ? 0 : INFINITY;
    float nearest = float(exact);
    if (got == nearest || (std::isinf(nearest) && got == nearest))
      return 0;
    if (std::isinf(got) || std::isnan(got))
      return INFINITY;
    float unit = std::nextafter(std::fabs(nearest), INFINITY) - std::fabs(nearest);
    return std::fabs(double(got) - exact) / double(std::max(unit, 0x1p-149f));
  }
};
ON_EVERY_DEVICE(DeviceKernels);

TEST_P(DeviceKernels, LocalMemoryAndBarriers) {
  constexpr size_t Items = 4096, Local = 128;
  Mem in = buffer(counted<cl_int>(Items)), out = buffer(std::vector<cl_int>(Items / Local));
  runKernel(R"(
kernel void run(global const int *in, global int *out) {
  local int sums[128];
  size_t l = get_local_id(0);
  sums[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t step = 64; step > 0; step /= 2) {
    if (l < step)
      sums[l] += sums[l + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    out[get_group_id(0)] = sums[0];
}
)",
            {Items}, {Local}, in, out);
  std::vector<cl_int> sums = read<cl_int>(out, Items / Local);
  for (size_t g = 0; g < sums.size(); ++g)
    ASSERT_EQ(sums[g], cl_int(Local * g * Local + Local * (Local - 1) / 2));
}

// Two arguments and a static array: none overlaps another, and all are aligned.
TEST_P(DeviceKernels, LocalMemoryByArgument) {
  Mem out = buffer(std::vector<cl_int>(256));
  runKernel(R"(
kernel void run(global int *out, local char *a, local float4 *b, local long *c) {
  local int d[64];
  size_t l = get_local_id(0);
  a[l] = l; b[l] = (float4)(l * 2); c[l] = l * 3; d[l] = l * 4;
  barrier(CLK_LOCAL_MEM_FENCE);
  size_t o = 63 - l;
  out[l * 4] = a[o]; out[l * 4 + 1] = b[o].z; out[l * 4 + 2] = c[o]; out[l * 4 + 3] = d[o];
}
)",
            {64}, {64}, out, LocalBytes{64}, LocalBytes{1024}, LocalBytes{512});
  std::vector<cl_int> result = read<cl_int>(out, 256);
  for (int i = 0; i < 64; ++i)
    for (int k = 0; k < 4; ++k)
      ASSERT_EQ(result[size_t(i * 4 + k)], (63 - i) * (k + 1)) << i << ", " << k;
}

// Sums in memory that the loop also reads through another argument: two buffers, one buffer, sub-buffers that overlap.
TEST_P(DeviceKernels, SumsThroughArgumentsThatMayOverlap) {
  constexpr size_t Items = 64, Row = 24;
  const char *source = R"(
kernel void run(global int *sums, global const int *rows, int n) {
  const int i = get_global_id(0);
  for (int k = 0; k < n; ++k)
    sums[i * 24 + 3] += rows[i * 24 + k] * (k + 1);
}
)";
  auto expected = [](std::vector<cl_int> sums, std::vector<cl_int> *rows) {
    std::vector<cl_int> &read = rows ? *rows : sums;
    for (size_t i = 0; i < Items; ++i)
      for (size_t k = 0; k < Row; ++k)
        sums[i * Row + 3] += read[i * Row + k] * cl_int(k + 1);
    return sums;
  };
  std::vector<cl_int> first = counted<cl_int>(Items * Row), second(Items * Row);
  for (size_t i = 0; i < second.size(); ++i)
    second[i] = cl_int(i * 7 % 11);
  Mem sums = buffer(first), rows = buffer(second);
  runKernel(source, {Items}, {Items}, sums, rows, cl_int(Row));
  EXPECT_EQ(read<cl_int>(sums, first.size()), expected(first, &second));
  Mem both = buffer(first);
  runKernel(source, {Items}, {Items}, both, both, cl_int(Row));
  EXPECT_EQ(read<cl_int>(both, first.size()), expected(first, nullptr));
  Mem parent = buffer(first);
  const cl_buffer_region all{0, first.size() * sizeof(cl_int)};
  Mem parts[2];
  for (Mem &part : parts) {
    cl_int error;
    part = Mem(clCreateSubBuffer(parent, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &all, &error));
    ASSERT_EQ(error, CL_SUCCESS);
  }
  runKernel(source, {Items}, {Items}, parts[0], parts[1], cl_int(Row));
  EXPECT_EQ(read<cl_int>(parts[0], first.size()), expected(first, nullptr));
}

TEST_P(DeviceKernels, MaximumLocalMemory) {
  size_t bytes = query<cl_ulong>(clGetDeviceInfo, device, CL_DEVICE_LOCAL_MEM_SIZE) / 4 * 4;
  Mem out = buffer(std::vector<cl_int>(1));
  runKernel(R"(
kernel void run(global int *wrong, local int *all, int count) {
  for (int i = get_local_id(0); i < count; i += get_local_size(0))
    all[i] = i * 7;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id(0); i < count; i += get_local_size(0))
    if (all[count - 1 - i] != (count - 1 - i) * 7)
      atomic_inc(wrong);
}
)",
            {128}, {64}, out, LocalBytes{bytes}, cl_int(bytes / 4));
  EXPECT_EQ(read<cl_int>(out, 1)[0], 0);
}

TEST_P(DeviceKernels, BarriersInLoopsAndBranches) {
  Mem out = buffer(std::vector<cl_int>(256));
  runKernel(R"(
kernel void run(global int *out, int rounds) {
  local int box[64];
  int l = get_local_id(0), value = l;
  for (int r = 0; r < rounds; ++r) {
    box[l] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    value = box[(l + 1) % 64];
    if (get_group_id(0) % 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      value += r;
    } else {
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  out[get_global_id(0)] = value;
}
)",
            {256}, {64}, out, cl_int(10));
  std::vector<cl_int> result = read<cl_int>(out, 256);
  for (int i = 0; i < 256; ++i)
    ASSERT_EQ(result[size_t(i)], (i % 64 + 10) % 64 + (i / 64 % 2 ? 45 : 0)) << i;
}

TEST_P(DeviceKernels, Atomics) {
  std::vector<cl_int> start{0, 0, 1'000'000, -5, 0, -1, 0, 77, 0};
  Mem memory = buffer(start), order = buffer(std::vector<cl_int>(10'000));
  runKernel(R"(
kernel void run(global int *a, global int *order) {
  int i = get_global_id(0);
  order[atomic_inc(a)] = i;
  atomic_add(a + 1, i);
  atomic_min(a + 2, i - 50);
  atomic_max(a + 3, i);
  atomic_or(a + 4, 1 << (i % 20));
  atomic_and(a + 5, ~(1 << (i % 20)));
  atomic_xor(a + 6, i);
  if (atomic_cmpxchg(a + 7, 77, 100 + i) == 77)
    atomic_inc(a + 8);
}
)",
            {10'000}, {}, memory, order);
  std::vector<cl_int> result = read<cl_int>(memory, start.size());
  EXPECT_EQ(result[0], 10'000);
  EXPECT_EQ(result[1], 49'995'000);
  EXPECT_EQ(result[2], -50);
  EXPECT_EQ(result[3], 9'999);
  EXPECT_EQ(result[4], (1 << 20) - 1);
  EXPECT_EQ(result[5], ~((1 << 20) - 1));
  int all = 0;
  for (int i = 0; i < 10'000; ++i)
    all ^= i;
  EXPECT_EQ(result[6], all);
  EXPECT_GE(result[7], 100);
  EXPECT_EQ(result[8], 1) << "one exchange only";
  std::vector<cl_int> seen = read<cl_int>(order, 10'000);
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, counted<cl_int>(10'000)) << "each number was given out once";
}

TEST_P(DeviceKernels, LocalAtomics) {
  Mem out = buffer(std::vector<cl_int>(4));
  runKernel(R"(
kernel void run(global int *out) {
  local int count;
  if (get_local_id(0) == 0)
    count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&count, (int)get_local_id(0));
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    out[get_group_id(0)] = count;
}
)",
            {400}, {100}, out);
  EXPECT_EQ(read<cl_int>(out, 4), std::vector<cl_int>(4, 4950));
}

TEST_P(DeviceKernels, LongAtomics) {
  if (!has("cl_khr_int64_base_atomics"))
    GTEST_SKIP() << "cl_khr_int64_base_atomics is missing";
  Mem memory = buffer(std::vector<cl_ulong>(2));
  runKernel(R"(
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void run(global ulong *a) {
  atom_add(a, 1ul << 33);
  atom_inc(a + 1);
}
)",
            {1000}, {}, memory);
  EXPECT_EQ(read<cl_ulong>(memory, 2), (std::vector<cl_ulong>{1000ull << 33, 1000}));
}

TEST_P(DeviceKernels, IntegerArithmetic) {
  std::vector<cl_int> a{7, -7, 7, -7, 1 << 30, -2147483647 - 1, 0, 123456789}, b{3, 3, -3, -3, 7, 3, 5, -1000};
  Mem first = buffer(a), second = buffer(b), out = buffer(std::vector<cl_int>(80));
  runKernel(R"(
kernel void run(global const int *a, global const int *b, global int *out) {
  int i = get_global_id(0), x = a[i], y = b[i];
  global int *o = out + i * 10;
  o[0] = x / y; o[1] = x % y; o[2] = x >> 2; o[3] = (uint)x >> 2; o[4] = mul_hi(x, y);
  o[5] = add_sat(x, x); o[6] = clz(x); o[7] = popcount(x); o[8] = rotate(x, 5); o[9] = hadd(x, y);
}
)",
            {8}, {}, first, second, out);
  std::vector<cl_int> result = read<cl_int>(out, 80);
  for (size_t i = 0; i < 8; ++i) {
    int64_t x = a[i], y = b[i];
    cl_uint u = cl_uint(a[i]);
    int64_t sum = std::clamp<int64_t>(x + x, INT32_MIN, INT32_MAX);
    const cl_int expected[] = {cl_int(x / y),
                               cl_int(x % y),
                               cl_int(x >> 2),
                               cl_int(u >> 2),
                               cl_int(x * y >> 32),
                               cl_int(sum),
                               u ? __builtin_clz(u) : 32,
                               __builtin_popcount(u),
                               cl_int(u << 5 | u >> 27),
                               cl_int((x + y) >> 1)};
    for (size_t k = 0; k < 10; ++k)
      EXPECT_EQ(result[i * 10 + k], expected[k]) << x << ", " << y << ": " << k;
  }
}

TEST_P(DeviceKernels, Conversions) {
  std::vector<cl_float> in{0.f, 1.5f, -1.5f, 2.5f, 300.f, -300.f, 3e9f, 0.49f};
  Mem source = buffer(in), out = buffer(std::vector<cl_int>(40));
  runKernel(R"(
kernel void run(global const float *in, global int *out) {
  int i = get_global_id(0);
  float f = in[i];
  out[i * 5] = convert_int_sat(f); out[i * 5 + 1] = convert_uchar_sat(f); out[i * 5 + 2] = convert_char_sat_rte(f);
  out[i * 5 + 3] = convert_int_sat_rtp(f); out[i * 5 + 4] = as_int(f);
}
)",
            {8}, {}, source, out);
  std::vector<cl_int> result = read<cl_int>(out, 40);
  for (size_t i = 0; i < 8; ++i) {
    double f = in[i];
    EXPECT_EQ(result[i * 5], cl_int(std::clamp(std::trunc(f), -2147483648., 2147483647.))) << f;
    EXPECT_EQ(result[i * 5 + 1], cl_int(std::clamp(std::trunc(f), 0., 255.))) << f;
    EXPECT_EQ(result[i * 5 + 2], cl_int(std::clamp(std::nearbyint(f), -128., 127.))) << f;
    EXPECT_EQ(result[i * 5 + 3], cl_int(std::clamp(std::ceil(f), -2147483648., 2147483647.))) << f;
    cl_int bits;
    std::memcpy(&bits, &in[i], 4);
    EXPECT_EQ(result[i * 5 + 4], bits);
  }
}

// Spot checks against the limits of the specification's table of errors.
TEST_P(DeviceKernels, FloatAccuracy) {
  struct Function {
    const char *name;
    double limit;
    double (*exact)(double, double);
    bool positive;
  };
  const Function functions[] = {
      {"x + y", 0.5, [](double x, double y) { return x + y; }, false},
      {"x * y", 0.5, [](double x, double y) { return x * y; }, false},
      {"x / y", 2.5, [](double x, double y) { return x / y; }, false},
      {"sqrt(x)", 3, [](double x, double) { return std::sqrt(x); }, true},
      {"rsqrt(x)", 2, [](double x, double) { return 1 / std::sqrt(x); }, true},
      {"sin(x)", 4, [](double x, double) { return std::sin(x); }, false},
      {"cos(x)", 4, [](double x, double) { return std::cos(x); }, false},
      {"tan(x)", 5, [](double x, double) { return std::tan(x); }, false},
      {"exp(x)", 3, [](double x, double) { return std::exp(x); }, false},
      {"exp2(x)", 3, [](double x, double) { return std::exp2(x); }, false},
      {"log(x)", 3, [](double x, double) { return std::log(x); }, true},
      {"log2(x)", 3, [](double x, double) { return std::log2(x); }, true},
      {"log10(x)", 3, [](double x, double) { return std::log10(x); }, true},
      {"pow(x, y)", 16, [](double x, double y) { return std::pow(x, y); }, true},
      {"atan(x)", 5, [](double x, double) { return std::atan(x); }, false},
      {"atan2(x, y)", 6, [](double x, double y) { return std::atan2(x, y); }, false},
      {"tanh(x)", 5, [](double x, double) { return std::tanh(x); }, false},
      {"cbrt(x)", 2, [](double x, double) { return std::cbrt(x); }, false},
      {"hypot(x, y)", 4, [](double x, double y) { return std::hypot(x, y); }, false},
      {"erf(x)", 16, [](double x, double) { return std::erf(x); }, false},
      {"fmod(x, y)", 0, [](double x, double y) { return std::fmod(x, y); }, false},
      {"floor(x)", 0, [](double x, double) { return std::floor(x); }, false},
      {"rint(x)", 0, [](double x, double) { return std::nearbyint(x); }, false},
      {"fma(x, y, 0.25f)", 0.5, [](double x, double y) { return std::fma(x, y, 0.25); }, false},
      {"fmax(x, y)", 0, [](double x, double y) { return std::fmax(x, y); }, false},
  };
  std::vector<cl_float> x, y;
  for (float v : {0.f, 1.f, -1.f, 0.5f, 1e-3f, -1e-3f, 3.14159274f, 1e-30f, 12.25f, -7.75f, 80.f, -80.f})
    for (float w : {1.f, -2.f, 0.3333f, 7.f})
      x.push_back(v), y.push_back(w);
  std::mt19937 random(11);
  std::uniform_real_distribution<float> some(-20, 20);
  while (x.size() < 2048)
    x.push_back(some(random)), y.push_back(some(random));
  std::string source;
  for (size_t f = 0; f < std::size(functions); ++f)
    source += "kernel void k" + std::to_string(f) +
              "(global const float *a, global const float *b, global float *out) { int i = get_global_id(0); float x = "
              "a[i], y = b[i]; out[i] = " +
              functions[f].name + "; }\n";
  Program program = build(source.c_str());
  ASSERT_NE(program, nullptr);
  for (size_t f = 0; f < std::size(functions); ++f) {
    const Function &function = functions[f];
    std::vector<cl_float> in = x;
    if (function.positive)
      for (cl_float &v : in)
        v = std::fabs(v);
    Mem a = buffer(in), b = buffer(y), out = buffer(std::vector<cl_float>(x.size()));
    Kernel run = kernel(program, ("k" + std::to_string(f)).c_str());
    set(run, 0, a, b, out);
    launch(run, {x.size()});
    std::vector<cl_float> result = read<cl_float>(out, x.size());
    double worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      double exact = function.exact(in[i], y[i]);
      // Some functions may flush subnormal results, which this test ignores.
      if (std::fabs(exact) < 0x1p-126 && exact != 0)
        continue;
      if (double error = ulps(result[i], exact); error > worst)
        worst = error, at = i;
    }
    EXPECT_LE(worst, function.limit) << function.name << " of " << in[at] << ", " << y[at] << " is " << result[at];
  }
}

TEST_P(DeviceKernels, Doubles) {
  if (!fp64())
    GTEST_SKIP() << "the device has no doubles";
  std::vector<cl_double> in{0.1, 1e300, -2.5, 1e-10, 7};
  Mem source = buffer(in), out = buffer(std::vector<cl_double>(20));
  runKernel(R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void run(global const double *in, global double *out) {
  int i = get_global_id(0);
  double x = in[i];
  out[i * 4] = x / 3.0; out[i * 4 + 1] = sqrt(fabs(x)); out[i * 4 + 2] = fma(x, x, 1.0); out[i * 4 + 3] = floor(x);
}
)",
            {5}, {}, source, out);
  std::vector<cl_double> result = read<cl_double>(out, 20);
  for (size_t i = 0; i < 5; ++i) {
    double x = in[i];
    EXPECT_EQ(result[i * 4], x / 3.0);
    EXPECT_EQ(result[i * 4 + 1], std::sqrt(std::fabs(x)));
    EXPECT_EQ(result[i * 4 + 2], std::fma(x, x, 1.0));
    EXPECT_EQ(result[i * 4 + 3], std::floor(x));
  }
}

TEST_P(DeviceKernels, Vectors) {
  Mem in = buffer(counted<cl_float>(64)), out = buffer(std::vector<cl_float>(64));
  runKernel(R"(
kernel void run(global const float *in, global float *out) {
  int i = get_global_id(0);
  float4 v = vload4(i, in);
  float3 t = v.wzy * 2.0f;
  float16 wide = (float16)(v, v.wzyx, t, 1.0f, v + 1.0f);
  v.even = wide.s4c;
  v.odd = (float2)(dot(wide.s0123, (float4)(1)), any(v > 10.0f) ? 1.0f : 0.0f);
  vstore4(v, i, out);
}
)",
            {16}, {}, in, out);
  std::vector<cl_float> result = read<cl_float>(out, 64);
  for (int i = 0; i < 16; ++i) {
    float first = float(i * 4);
    const float expected[] = {first + 3, first * 4 + 6, first + 1, first + 3 > 10 ? 1.f : 0.f};
    for (int k = 0; k < 4; ++k)
      ASSERT_EQ(result[size_t(i * 4 + k)], expected[k]) << i << ", " << k;
  }
}

TEST_P(DeviceKernels, PointersOfEveryKind) {
  bool generic = queryText(clGetDeviceInfo, device, CL_DEVICE_OPENCL_C_VERSION).find("2.0") != std::string::npos;
  for (const cl_name_version &feature :
       queryList<cl_name_version>(clGetDeviceInfo, device, CL_DEVICE_OPENCL_C_FEATURES))
    generic |= std::string(feature.name) == "__opencl_c_generic_address_space";
  const char *source = R"(
int sum(const PTR int *p, int n) { int s = 0; for (int i = 0; i < n; ++i) s += p[i]; return s; }
kernel void run(global int *g, global int *out) {
  local int l[4];
  int p[4];
  for (int i = 0; i < 4; ++i) { p[i] = i; if (get_local_id(0) == 0) l[i] = i * 10; }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[0] = sum(g, 4);
#ifdef GENERIC
  out[1] = sum(l, 4);
  out[2] = sum(p, 4);
#endif
}
)";
  Mem in = buffer(std::vector<cl_int>{100, 200, 300, 400}), out = buffer(std::vector<cl_int>(3));
  Program program = build(source, generic ? "-cl-std=CL3.0 -DGENERIC -DPTR=" : "-DPTR=global");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  set(run, 0, in, out);
  launch(run, {1}, {1});
  std::vector<cl_int> result = read<cl_int>(out, 3);
  EXPECT_EQ(result[0], 1000);
  if (!generic)
    GTEST_SKIP() << "the generic address space is missing; pointers to global memory work";
  EXPECT_EQ(result[1], 60);
  EXPECT_EQ(result[2], 6);
}

TEST_P(DeviceKernels, StructsAndPrivateArrays) {
  Mem out = buffer(std::vector<cl_int>(100));
  runKernel(R"(
typedef struct { int key; float weight; short tags[3]; } Node;
Node step(Node n, int by) { n.key += by; n.weight *= 2; n.tags[by % 3] += by; return n; }
kernel void run(global int *out, int count) {
  Node nodes[8];
  int id = get_global_id(0);
  for (int i = 0; i < 8; ++i) { nodes[i].key = id; nodes[i].weight = i; for (int t = 0; t < 3; ++t) nodes[i].tags[t] = t; }
  for (int i = 0; i < count; ++i)
    nodes[(id + i) % 8] = step(nodes[(id + i * 3) % 8], i);
  int sum = 0;
  for (int i = 0; i < 8; ++i) sum += nodes[i].key + (int)nodes[i].weight + nodes[i].tags[i % 3];
  out[id] = sum;
}
)",
            {100}, {}, out, cl_int(9));
  struct Node {
    int key;
    float weight;
    short tags[3];
  };
  std::vector<cl_int> result = read<cl_int>(out, 100);
  for (int id = 0; id < 100; ++id) {
    Node nodes[8];
    for (int i = 0; i < 8; ++i)
      nodes[i] = {id, float(i), {0, 1, 2}};
    for (int i = 0; i < 9; ++i) {
      Node n = nodes[(id + i * 3) % 8];
      n.key += i;
      n.weight *= 2;
      n.tags[i % 3] = short(n.tags[i % 3] + i);
      nodes[(id + i) % 8] = n;
    }
    int sum = 0;
    for (int i = 0; i < 8; ++i)
      sum += nodes[i].key + int(nodes[i].weight) + nodes[i].tags[i % 3];
    ASSERT_EQ(result[size_t(id)], sum) << id;
  }
}

// Quotients of double precision are correctly rounded, also where a step of the division would overflow or underflow.
TEST_P(DeviceKernels, QuotientsNearTheLimits) {
  if (!query<cl_device_fp_config>(clGetDeviceInfo, device, CL_DEVICE_DOUBLE_FP_CONFIG))
    GTEST_SKIP() << "no double precision";
  const std::vector<double> values = {1,      3,     0.125,  1e308,   1e-308,    5e-324,
                                      1e-310, 1e300, 1e-300, 1.7e308, -2.3e-308, 2.2250738585072014e-308,
                                      0.0,    -0.0,  1e16,   7e-17,   INFINITY};
  const size_t count = values.size();
  Mem in = buffer(values), out = buffer(std::vector<cl_double>(count * count));
  runKernel("kernel void run(global double *out, global const double *in, int count) {"
            "  int i = get_global_id(0); out[i] = in[i / count] / in[i % count]; }",
            {count * count}, {}, out, in, cl_int(count));
  const std::vector<cl_double> result = read<cl_double>(out, count * count);
  for (size_t i = 0; i < result.size(); ++i) {
    const double wanted = values[i / count] / values[i % count];
    if (std::isnan(wanted))
      EXPECT_TRUE(std::isnan(result[i])) << values[i / count] << " / " << values[i % count];
    else
      EXPECT_EQ(std::bit_cast<uint64_t>(result[i]), std::bit_cast<uint64_t>(wanted))
          << values[i / count] << " / " << values[i % count] << " = " << result[i];
  }
}

// Parts of computed floats are stored as they are: no part is converted, whether the program takes it or the compiler
// splits a store that is not aligned.
TEST_P(DeviceKernels, PartsOfFloats) {
  Mem in = buffer(std::vector<cl_float>{3, 4}), parts = buffer(std::vector<cl_uint>(2));
  runKernel("kernel void run(global uint *out, global const float *in) {"
            "  float sum = in[0] + in[1]; *(global uchar *)out = (uchar)as_uint(sum * 3.3f);"
            "  *(global ushort *)(out + 1) = (ushort)as_uint(sum * 3.3f); }",
            {1}, {}, parts, in);
  const uint32_t bits = std::bit_cast<uint32_t>(7 * 3.3f);
  EXPECT_EQ(read<cl_uint>(parts, 2), (std::vector<cl_uint>{bits & 0xff, bits & 0xffff}));
  if (!fp64())
    return;
  struct [[gnu::packed]] Pair {
    cl_uint word;
    cl_double value;
  };
  Mem doubles = buffer(std::vector<cl_double>{3, 4}), low = buffer(std::vector<cl_uint>(1));
  Mem packed = buffer(std::vector<Pair>{{1, 5}, {2, 6}});
  runKernel("struct __attribute__((packed)) pair { uint word; double value; };"
            "kernel void run(global uint *low, global struct pair *packed, global const double *in) {"
            "  *low = (uint)as_ulong(in[0] / in[1] / 3.0); packed[0].value += packed[1].value; }",
            {1}, {}, low, packed, doubles);
  EXPECT_EQ(read<cl_uint>(low, 1)[0], uint32_t(std::bit_cast<uint64_t>(3.0 / 4.0 / 3.0)));
  EXPECT_EQ(read<Pair>(packed, 2)[0].value, 11.0);
}

// A half of a 64-bit integer is known: LLVM 22 folded `or` with all ones to the other operand on AMD's GPUs.
TEST_P(DeviceKernels, KnownHalvesOfLongs) {
  const std::vector<cl_ulong> a = {0x123456789abcdef0, 7, ~0ull, 0xfffffffe00000001};
  const std::vector<cl_ulong> b = {0x0fedcba987654321, 0, 1, 0x00000001ffffffff};
  Mem inA = buffer(a), inB = buffer(b), out = buffer(std::vector<cl_ulong>(8));
  runKernel("kernel void run(global ulong *out, global const ulong *a, global const ulong *b) {"
            "  int i = get_global_id(0); out += 2 * i; ulong low = b[i] | 0xffffffff, high = b[i] | 0xffffffff00000000;"
            "  out[0] = rhadd(a[i], low); out[1] = rhadd(a[i], high); }",
            {4}, {}, out, inA, inB);
  auto rhadd = [](uint64_t x, uint64_t y) { return (x | y) - ((x ^ y) >> 1); };
  const std::vector<cl_ulong> result = read<cl_ulong>(out, 8);
  for (size_t i = 0; i < 4; ++i) {
    const uint64_t low = b[i] | 0xffffffff, high = b[i] | 0xffffffff00000000;
    EXPECT_EQ(result[2 * i], rhadd(a[i], low)) << i;
    EXPECT_EQ(result[2 * i + 1], rhadd(a[i], high)) << i;
  }
}

// A work-item has more values at once than a GPU has registers for each work-item of a large group.
TEST_P(DeviceKernels, ManyValuesInLargeGroups) {
  constexpr size_t Items = 4096;
  constexpr unsigned Values = 100, Rounds = 20;
  std::string source = "kernel void run(global uint *data, uint rounds) {\n  uint x = data[get_global_id(0)];\n";
  auto value = [](unsigned i) { return "v" + std::to_string(i % Values); };
  for (unsigned i = 0; i < Values; ++i)
    source += "  uint " + value(i) + " = x * " + std::to_string(2 * i + 1) + " + " + std::to_string(i) + ";\n";
  source += "  for (uint r = 0; r < rounds; ++r) {\n";
  for (unsigned i = 0; i < Values; ++i)
    source += "    " + value(i) + " = " + value(i) + " * 5 + (" + value(i + 37) + " >> 3 ^ r);\n";
  source += "  }\n  x = 0;\n";
  for (unsigned i = 0; i < Values; ++i)
    source += "  x = x * 3 + " + value(i) + ";\n";
  source += "  data[get_global_id(0)] = x;\n}\n";

  const std::vector<cl_uint> seeds = counted<cl_uint>(Items, 1000);
  std::vector<cl_uint> expected;
  for (cl_uint seed : seeds) {
    cl_uint v[Values];
    for (cl_uint i = 0; i < Values; ++i)
      v[i] = seed * (2 * i + 1) + i;
    for (cl_uint r = 0; r < Rounds; ++r)
      for (cl_uint i = 0; i < Values; ++i)
        v[i] = v[i] * 5 + (v[(i + 37) % Values] >> 3 ^ r);
    cl_uint x = 0;
    for (cl_uint i = 0; i < Values; ++i)
      x = x * 3 + v[i];
    expected.push_back(x);
  }

  Program program = build(source.c_str());
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  const size_t most = query<size_t>(clGetKernelWorkGroupInfo, run.get(), device, CL_KERNEL_WORK_GROUP_SIZE);
  for (size_t local : {64, 1024, 256, 1024}) {
    Mem data = buffer(seeds);
    set(run, 0, data, cl_uint(Rounds));
    launch(run, {Items}, {std::min(local, most)});
    EXPECT_EQ(read<cl_uint>(data, Items), expected) << "local size " << local;
  }
}

TEST_P(DeviceKernels, ConstantTables) {
  Mem out = buffer(std::vector<cl_int>(16));
  runKernel(R"(
constant int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
kernel void run(global int *out) { int i = get_global_id(0); out[i] = table[15 - i] * 2; }
)",
            {16}, {}, out);
  const int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
  std::vector<cl_int> result = read<cl_int>(out, 16);
  for (size_t i = 0; i < 16; ++i)
    EXPECT_EQ(result[i], table[15 - i] * 2);
}

} // namespace kiln::suite
