// Quotients, remainders, masks and shifts of ids, for every integer type and in the forms that kernels use: conditions,
// selected values, conversions to float, addresses, loop bounds and loop starts. Depending on the divisor, a vector's
// ids are in one tile (one quotient) or in several; the results must be right in both cases.
//
// A form's text is valid in OpenCL C and in C++, so the host evaluates the same expression for each work-item.
#include "tests/api/ProgramTest.h"
#include <algorithm>
#include <array>
#include <functional>

namespace kiln::test {
namespace {

// OpenCL C's names that the forms use.
using uchar = unsigned char;
template <typename T> T min(T a, T b) { return std::min(a, b); }
template <typename T> T max(T a, T b) { return std::max(a, b); }

struct Form {
  const char *name, *text;
};

/// Rows: a name, and a body that returns an int for an id `x` and a kernel argument `s`, both of type T.
#define FORMS(row)                                                                                                     \
  row(RemainderIsZero, { return x % s == 0; }) row(NoRemainder, { return !(x % s); })                                  \
      row(QuotientIsLess, { return x / s < 3; }) row(QuotientIsOne, { return x / s == 1; })                            \
          row(MaskIsWhole, { return (x & s) == s; }) row(ShiftIsLess, { return (x >> (s & 5)) < 2; })                  \
              row(Selects, { return x / s < 2 ? (int)(x % s) : -5; }) row(QuotientInTiles, { return x / s % 3 == 1; }) \
                  row(LeastAndMost, { return min((T)(x / s), (T)3) == 2 || max((T)(x % s), (T)4) == 5; })              \
                      row(Widened, { return (int)((long)(x % s) * 3 - 1); })                                           \
                          row(Narrowed, { return (uchar)(x / s) + (uchar)(x % s); })                                   \
                              row(FloatOfMask, { return (int)((float)(x & 15) * 4.0f); })                              \
                                  row(FloatOfProduct, { return (int)((float)((T)(x * 3) & 63) * 2.0f); })              \
                                      row(FloatOfQuotient, { return (int)((float)(x / s) * 8.0f + (float)(x % s)); })  \
                                          row(RowAndColumn, { return (int)(x / s) * 7 + (int)(x % s); })               \
                                              row(LoopBound, {                                                         \
                                                int sum = 1;                                                           \
                                                for (T k = 0; k < x % s; ++k)                                          \
                                                  sum = (2 * sum + (int)k) & 0xffff;                                   \
                                                return sum;                                                            \
                                              }) row(LoopStart, {                                                      \
                                                int sum = 0;                                                           \
                                                for (int i = (int)(x % s); i < 50; i += (int)s)                        \
                                                  sum += i;                                                            \
                                                return sum;                                                            \
                                              }) row(LoopFromQuotient, {                                               \
                                                int sum = 0;                                                           \
                                                for (unsigned int i = (unsigned int)(x / s); i < 40u; i += 7)          \
                                                  sum = sum * 3 + (int)i;                                              \
                                                return sum & 0xffff;                                                   \
                                              })

#define TEXT(name, ...) {#name, #__VA_ARGS__},
constexpr Form Forms[] = {FORMS(TEXT)};
#undef TEXT

template <typename T> int evaluate(size_t form, T x, T s) {
#define CASE(name, ...) [](T x, T s)->int __VA_ARGS__,
  static const std::function<int(T, T)> bodies[] = {FORMS(CASE)};
#undef CASE
  return bodies[form](x, s);
}

/// A statement in which a kernel uses its form's value `v`.
struct Use {
  const char *name, *text;
  int (*result)(int own, int next);
};
constexpr int Untouched = 77, InputBytes = 256;
constexpr Use Uses[] = {
    {"stored", "o[g] = v;", [](int own, int) { return own; }},
    {"branch", "if (v) o[g] = 1;", [](int own, int) { return own ? 1 : Untouched; }},
    {"address", "o[g] = in[v & 255];", [](int own, int) { return (own & 255) * 3; }},
    {"barrier",
     "t[l] = v; barrier(CLK_LOCAL_MEM_FENCE); const int w = t[(l + 1) % get_local_size(0)]; "
     "if (v != w) o[g] = w;",
     [](int own, int next) { return own != next ? next : Untouched; }},
};

} // namespace

struct TileForms : WithProgram {
  static constexpr size_t Local = 40, Items = 4 * Local;

  template <typename T> std::string sourceFor(const char *type) {
    std::string text = "typedef " + std::string(type) + " T;\n";
    for (const Form &form : Forms) {
      text += "int " + std::string(form.name) + "(T x, T s) " + form.text + "\n";
      for (const Use &use : Uses)
        text += "kernel void " + std::string(form.name) + "_" + use.name +
                "(global int *o, global const int *in, T s, int byGroup, local int *t) {\n"
                "  const size_t g = get_global_id(0), l = get_local_id(0);\n"
                "  const int v = " +
                form.name + "(byGroup ? (T)l : (T)g, s);\n  " + use.text + "\n}\n";
    }
    return text;
  }

  template <typename T> void expectForms(const char *type) {
    Program program = built(sourceFor<T>(type).c_str());
    std::vector<int> input(InputBytes);
    for (int i = 0; i < InputBytes; ++i)
      input[i] = i * 3;
    Mem in = buffer(InputBytes * sizeof(int), CL_MEM_COPY_HOST_PTR, input.data()), out = buffer(Items * sizeof(int));
    for (size_t form = 0; form < std::size(Forms); ++form)
      for (size_t at = 0; at < std::size(Uses); ++at) {
        // Tests each form in one use, and forms of 64-bit types in every use.
        if (sizeof(T) < 8 && (form + sizeof(T)) % std::size(Uses) != at)
          continue;
        const Use &use = Uses[at];
        const std::string name = std::string(Forms[form].name) + "_" + use.name;
        Kernel kernel = this->kernel(program, name.c_str());
        for (int byGroup : {0, 1})
          for (T s : {T(1), T(2), T(3), T(7), T(16), T(33), T(64), T(100)})
            expectKernel(kernel, name + " of " + type, form, use, s, byGroup, in, out);
      }
  }

  template <typename T>
  void expectKernel(cl_kernel kernel, const std::string &name, size_t form, const Use &use, T s, int byGroup,
                    const Mem &in, const Mem &out) {
    std::vector<int> value(Items), expected(Items);
    for (size_t item = 0; item < Items; ++item)
      value[item] = evaluate<T>(form, T(byGroup ? item % Local : item), s);
    for (size_t item = 0; item < Items; ++item)
      expected[item] = use.result(value[item], value[item / Local * Local + (item + 1) % Local]);
    ASSERT_EQ(clEnqueueFillBuffer(queue, out, &Untouched, sizeof(int), 0, Items * sizeof(int), 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(set(kernel, 0, out), CL_SUCCESS);
    EXPECT_EQ(set(kernel, 1, in), CL_SUCCESS);
    EXPECT_EQ(set(kernel, 2, s), CL_SUCCESS);
    EXPECT_EQ(set(kernel, 3, byGroup), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 4, Local * sizeof(int), nullptr), CL_SUCCESS);
    const size_t local = Local;
    ASSERT_EQ(launch(kernel, Items, &local), CL_SUCCESS);
    EXPECT_EQ(read<int>(out, Items), expected) << name << ", s = " << +s << (byGroup ? ", local ids" : ", global ids");
  }
};

TEST_F(TileForms, Char) { expectForms<int8_t>("char"); }
TEST_F(TileForms, UnsignedChar) { expectForms<uint8_t>("uchar"); }
TEST_F(TileForms, Short) { expectForms<int16_t>("short"); }
TEST_F(TileForms, UnsignedShort) { expectForms<uint16_t>("ushort"); }
TEST_F(TileForms, Int) { expectForms<int32_t>("int"); }
TEST_F(TileForms, UnsignedInt) { expectForms<uint32_t>("uint"); }
TEST_F(TileForms, Long) { expectForms<int64_t>("long"); }
TEST_F(TileForms, UnsignedLong) { expectForms<uint64_t>("ulong"); }

} // namespace kiln::test
