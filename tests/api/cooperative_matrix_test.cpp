// cl_khr_cooperative_matrix: queries, and every variant against sums that the test computes.
#include "tests/api/CooperativeMatrixTest.h"

namespace kiln::test {
namespace {

TEST_F(CooperativeMatrix, VariantsAreReported) {
  PROVES("X-E40");
  const std::vector<Variant> found = variants();
  EXPECT_FALSE(found.empty());
  for (const Variant &v : found) {
    EXPECT_EQ(v.c_type, v.result_type);
    EXPECT_TRUE(v.m_size && v.n_size && v.k_size);
  }
  for (cl_device_info query :
       {CL_DEVICE_COOPERATIVE_MATRIX_POINTER_ALIGNMENT_KHR, CL_DEVICE_COOPERATIVE_MATRIX_STRIDE_MULTIPLE_KHR})
    EXPECT_GT(kiln::test::query<cl_uint>(clGetDeviceInfo, device, query), 0u);
}

TEST_F(CooperativeMatrix, WrongQueriesAreErrors) {
  PROVES("X-E40");
  Variant one;
  size_t size = subGroupSize(), bytes = 0;
  EXPECT_EQ(info(nullptr, CL_DEVICE_COOPERATIVE_MATRIX_DEFAULT_SUB_GROUP_VARIANTS_KHR, 0, nullptr, 0, nullptr, &bytes),
            CL_INVALID_DEVICE);
  EXPECT_EQ(info(device, CL_DEVICE_NAME, 0, nullptr, 0, nullptr, &bytes), CL_INVALID_VALUE);
  EXPECT_EQ(info(device, CL_DEVICE_COOPERATIVE_MATRIX_DEFAULT_SUB_GROUP_VARIANTS_KHR, 0, nullptr, sizeof one - 1, &one,
                 nullptr),
            CL_INVALID_VALUE);
  const cl_uint ofSize = CL_DEVICE_COOPERATIVE_MATRIX_SUB_GROUP_VARIANTS_KHR;
  EXPECT_EQ(info(device, ofSize, 0, nullptr, 0, nullptr, &bytes), CL_INVALID_VALUE);
  EXPECT_EQ(info(device, ofSize, 4, &size, 0, nullptr, &bytes), CL_INVALID_VALUE);
  EXPECT_EQ(info(device, ofSize, sizeof size, &size, 0, nullptr, &bytes), CL_SUCCESS);
  EXPECT_EQ(bytes, variants().size() * sizeof(Variant));
  size = 7;
  EXPECT_EQ(info(device, ofSize, sizeof size, &size, 0, nullptr, &bytes), CL_INVALID_VALUE);
}

// Two sub-groups of a work-group multiply matrices of every variant in global memory. Each operand has its own layout
// and its own stride.
TEST_F(CooperativeMatrix, EveryVariantMultiplies) {
  PROVES("X-E40");
  const size_t lanes = subGroupSize();
  for (const Variant &v : variants()) {
    SCOPED_TRACE(describe(v));
    std::string text = typesOf(v);
    for (int layouts : {0, 3, 5, 6}) {
      const auto layout = [&](int bit) {
        return layouts >> bit & 1 ? ", CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR, "
                                  : ", CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR, ";
      };
      text += "kernel void k" + std::to_string(layouts) + "(global const " + typeName(v.a_type) + " *a, global const " +
              typeName(v.b_type) + " *b, global " + typeName(v.c_type) +
              " *c, uint sa, uint sb, uint sc, uint size) {\n" + "  ma x = coop_mat_load(a" + layout(0) +
              "sa);\n  mb y = coop_mat_load(b" + layout(1) + "sb);\n" + "  global " + typeName(v.c_type) +
              " *own = c + get_sub_group_id() * size;\n" + "  mc z = coop_mat_load(own" + layout(2) +
              "sc);\n  mc r = coop_mat_mulAdd(x, y, z" +
              (v.saturating_accumulation ? ", CLK_COOPERATIVE_MATRIX_OPERAND_SATURATING_ACCUMULATION" : "") +
              ");\n  coop_mat_store(own, r" + layout(2) + "sc);\n}\n";
    }
    Program program = built(text.c_str(), "-cl-std=CL3.0");
    for (int layouts : {0, 3, 5, 6}) {
      const Matrix a = random(v.a_type, v.m_size, v.k_size), b = random(v.b_type, v.k_size, v.n_size),
                   c = random(v.c_type, v.m_size, v.n_size);
      const auto place = [&](int bit, cl_uint rows, cl_uint columns, cl_uint more) {
        const bool byRows = !(layouts >> bit & 1);
        return InMemory{byRows, (byRows ? columns : rows) + more};
      };
      const InMemory ofA = place(0, a.rows, a.columns, 8), ofB = place(1, b.rows, b.columns, 16),
                     ofC = place(2, c.rows, c.columns, 24);
      std::vector<unsigned char> bytes, before;
      Mem inA = memory(a, ofA, bytes), inB = memory(b, ofB, bytes), inC = memory(c, ofC, before);
      std::vector<unsigned char> twice = before;
      twice.insert(twice.end(), before.begin(), before.end());
      Mem both = buffer(twice.size(), CL_MEM_COPY_HOST_PTR, twice.data());
      Kernel k = kernel(program, ("k" + std::to_string(layouts)).c_str());
      const cl_uint size = cl_uint(ofC.components(c));
      set(k, 0, inA), set(k, 1, inB), set(k, 2, both), set(k, 3, ofA.stride), set(k, 4, ofB.stride),
          set(k, 5, ofC.stride), set(k, 6, size);
      const size_t items = 2 * lanes;
      ASSERT_EQ(launch(k, items, &items), CL_SUCCESS);
      SCOPED_TRACE("layouts " + std::to_string(layouts));
      const Matrix expected = product(a, b, c, v);
      expectHolds(both, expected, ofC, before);
      // The second sub-group.
      cl_buffer_region half{before.size(), before.size()};
      std::vector<unsigned char> second = read<unsigned char>(both, twice.size());
      second.erase(second.begin(), second.begin() + ptrdiff_t(half.origin));
      Mem copy = buffer(second.size(), CL_MEM_COPY_HOST_PTR, second.data());
      expectHolds(copy, expected, ofC, before);
      if (HasFailure())
        return;
    }
  }
}

// Arithmetic on components, fills, copies between address spaces, functions, arrays of matrices in loops, branches that
// all work-items of the sub-group take, and the length.
TEST_F(CooperativeMatrix, ComponentsAreComputed) {
  PROVES("X-E40");
  const std::string text = typesOf({16, 16, 16, 1, 1, 1, 1, CL_FALSE}) + R"(
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
mc twice(mc x) { return x + x; }
kernel void k(global float *m, global float *out, global uint *length, local float *tile, uint chosen) {
  mc x = coop_mat_load(m, ROWS, 16);
  mc sum[3];
  for (int i = 0; i < 3; ++i)
    sum[i] = coop_mat_init((float)i);
  for (int round = 0; round < 4; ++round)
    for (int i = 0; i < 3; ++i)
      sum[i] = sum[i] + x * 2.0f;           // 8 x + i
  mc r = -(twice(sum[1]) - sum[2] / twice(sum[0] / sum[0])); // -(2 (8 x + 1) - (8 x + 2) / 2)
  if (chosen)
    r = r * r;
  else
    r = twice(r);
  coop_mat_store(tile, r, ROWS, 16);
  barrier(CLK_LOCAL_MEM_FENCE);
  mc back = coop_mat_load(tile, CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR, 16);
  coop_mat_store(out, back, ROWS, 16);
  length[get_global_id(0)] = coop_mat_length(back);
}
)";
  const size_t lanes = subGroupSize();
  Program program = built(text.c_str(), "-cl-std=CL3.0");
  for (cl_uint chosen : {0u, 1u}) {
    Matrix x = random(1, 16, 16), expected = x;
    for (long double &value : x.values)
      value = std::abs(value) + 1; // 8 x is not zero
    for (cl_uint row = 0; row < 16; ++row)
      for (cl_uint column = 0; column < 16; ++column) {
        const long double eight = 8 * x.at(row, column), r = -(2 * (eight + 1) - (eight + 2) / 2);
        expected.at(column, row) = chosen ? r * r : 2 * r;
      }
    std::vector<unsigned char> bytes;
    const InMemory dense{true, 16};
    Mem in = memory(x, dense, bytes), out = memory(x, dense, bytes), length = buffer(lanes * 4);
    Kernel k = kernel(program, "k");
    set(k, 0, in), set(k, 1, out), set(k, 2, length), set(k, 4, chosen);
    ASSERT_EQ(clSetKernelArg(k, 3, 1024, nullptr), CL_SUCCESS);
    ASSERT_EQ(launch(k, lanes, &lanes), CL_SUCCESS);
    expectHolds(out, expected, dense, bytes);
    EXPECT_EQ(read<cl_uint>(length, lanes), std::vector<cl_uint>(lanes, cl_uint(256 / lanes)));
  }
}

// Each work-item changes its own components by their number: together that is every component.
TEST_F(CooperativeMatrix, ComponentsAreElements) {
  PROVES("X-E40");
  const std::string text = typesOf({16, 16, 16, 1, 1, 1, 1, CL_FALSE}) + R"(
kernel void k(global float *m, uint first) {
  mc x = coop_mat_load(m, CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR, 16);
  for (uint i = first; i < coop_mat_length(x); ++i)
    x[i] = x[i] * 3.0f + 1.0f;
  coop_mat_store(m, x, CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR, 16);
}
)";
  const size_t lanes = subGroupSize();
  Program program = built(text.c_str(), "-cl-std=CL3.0");
  Matrix x = random(1, 16, 16), expected = x;
  for (long double &value : expected.values)
    value = value * 3 + 1;
  std::vector<unsigned char> bytes;
  const InMemory dense{true, 16};
  Mem in = memory(x, dense, bytes);
  Kernel k = kernel(program, "k");
  const cl_uint first = 0;
  set(k, 0, in), set(k, 1, first);
  ASSERT_EQ(launch(k, lanes, &lanes), CL_SUCCESS);
  expectHolds(in, expected, dense, bytes);
}

// Conversions keep the shape and the use.
TEST_F(CooperativeMatrix, ComponentsAreConverted) {
  PROVES("X-E40");
  const std::string text = typesOf({16, 16, 16, 0, 0, 1, 1, CL_FALSE}) +
                           "typedef half __attribute__((coop_mat(memory_scope_sub_group, 16, 16, "
                           "CLK_COOPERATIVE_MATRIX_ACCUMULATOR))) narrow;\n"
                           "typedef int __attribute__((coop_mat(memory_scope_sub_group, 16, 16, "
                           "CLK_COOPERATIVE_MATRIX_ACCUMULATOR))) whole;\n" +
                           R"(
kernel void k(global const float *m, global half *h, global int *n) {
  mc x = coop_mat_load(m, CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR, 16);
  narrow y = __builtin_convertvector(x, narrow);
  whole z = __builtin_convertvector(x, whole);
  coop_mat_store(h, y, CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR, 16);
  coop_mat_store(n, z, CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR, 16);
}
)";
  const size_t lanes = subGroupSize();
  Program program = built(text.c_str(), "-cl-std=CL3.0");
  const Matrix x = random(1, 16, 16);
  Matrix narrow = x, whole = x;
  narrow.component = 0, whole.component = cl_uint(abi::MatrixComponent::I32);
  for (long double &value : whole.values)
    value = std::trunc(value);
  std::vector<unsigned char> bytes, ofNarrow, ofWhole;
  const InMemory dense{true, 16};
  Mem in = memory(x, dense, bytes), h = memory(narrow, dense, ofNarrow), n = memory(whole, dense, ofWhole);
  std::fill(ofNarrow.begin(), ofNarrow.end(), 0), std::fill(ofWhole.begin(), ofWhole.end(), 0);
  ASSERT_EQ(clEnqueueWriteBuffer(queue, h, CL_TRUE, 0, ofNarrow.size(), ofNarrow.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(clEnqueueWriteBuffer(queue, n, CL_TRUE, 0, ofWhole.size(), ofWhole.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  Kernel k = kernel(program, "k");
  set(k, 0, in), set(k, 1, h), set(k, 2, n);
  ASSERT_EQ(launch(k, lanes, &lanes), CL_SUCCESS);
  expectHolds(h, narrow, dense, ofNarrow);
  expectHolds(n, whole, dense, ofWhole);
}

// Infinities and NaNs are the result's, as IEEE arithmetic has them.
TEST_F(CooperativeMatrix, InfinitiesAndNans) {
  PROVES("X-E40");
  const Variant v{16, 16, 16, 1, 1, 1, 1, CL_FALSE};
  const std::string text = typesOf(v) + R"(
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
kernel void k(global const float *a, global const float *b, global float *c) {
  ma x = coop_mat_load(a, ROWS, 16);
  mb y = coop_mat_load(b, ROWS, 16);
  mc z = coop_mat_load(c, ROWS, 16);
  coop_mat_store(c, coop_mat_mulAdd(x, y, z), ROWS, 16);
}
)";
  const size_t lanes = subGroupSize();
  Program program = built(text.c_str(), "-cl-std=CL3.0");
  Matrix a = random(1, 16, 16), b = random(1, 16, 16), c = random(1, 16, 16);
  a.at(1, 2) = INFINITY, a.at(3, 4) = NAN, b.at(2, 5) = 0, b.at(7, 8) = -INFINITY, c.at(9, 10) = NAN;
  c.at(1, 11) = -INFINITY;
  std::vector<unsigned char> bytes;
  const InMemory dense{true, 16};
  Mem inA = memory(a, dense, bytes), inB = memory(b, dense, bytes), inC = memory(c, dense, bytes);
  Kernel k = kernel(program, "k");
  set(k, 0, inA), set(k, 1, inB), set(k, 2, inC);
  ASSERT_EQ(launch(k, lanes, &lanes), CL_SUCCESS);
  expectHolds(inC, product(a, b, c, v), dense, bytes);
}

TEST_F(CooperativeMatrix, WrongProgramsDoNotBuild) {
  PROVES("X-E40");
  const std::string types = typesOf({16, 16, 16, 1, 1, 1, 1, CL_FALSE});
  const auto fails = [&](const std::string &text, const char *message) {
    Program program = source((types + text).c_str());
    EXPECT_EQ(clBuildProgram(program, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE) << text;
    EXPECT_NE(log(program).find(message), std::string::npos) << log(program);
  };
#define MATRIX(SCOPE, ROWS, COLUMNS, USE) "__attribute__((coop_mat(" SCOPE ", " ROWS ", " COLUMNS ", " USE ")))"
  fails("typedef float " MATRIX("0", "16", "16", "0") " m;", "'scope'");
  fails("typedef float " MATRIX("memory_scope_sub_group", "0", "16", "0") " m;", "rows or columns");
  fails("typedef float " MATRIX("memory_scope_sub_group", "16", "16", "3") " m;", "'use'");
  fails("typedef bool " MATRIX("memory_scope_sub_group", "16", "16", "0") " m;", "component type");
  fails("kernel void k(mc x) {}", "parameter");
  fails("kernel void k(global float *p) { float x = coop_mat_load(p, 0, 16); p[0] = x; }", "not assigned to a matrix");
  fails("kernel void k(global float *p, int l) { mc x = coop_mat_load(p, l, 16); coop_mat_store(p, x, 0, 16); }",
        "layout");
  fails("kernel void k(global float *p) { mc x = coop_mat_init(0.0f); coop_mat_store(p, coop_mat_mulAdd(x, x, x), 0, "
        "16); }",
        "coop_mat_mulAdd");
  fails("kernel void k(global float *p) { ma x = coop_mat_init(0.0f); mc y; y = x; coop_mat_store(p, y, 0, 16); }",
        "incompatible type");
  // A type that no variant of the device has: the message lists those that it has.
  fails("typedef float " MATRIX(
            "memory_scope_sub_group", "3", "5",
            "2") " odd;\n"
                 "kernel void k(global float *p) { odd x = coop_mat_load(p, 0, 5); coop_mat_store(p, x, 0, 5); }",
        "16x16x16 float * float + float");
#undef MATRIX
}

} // namespace
} // namespace kiln::test
