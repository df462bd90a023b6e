// clCompileProgram and clLinkProgram.
#include "tests/api/ProgramTest.h"

namespace kiln::test {
struct CompileProgram : WithProgram {
  cl_int compile(cl_program program, const char *options = nullptr, std::vector<cl_program> headers = {},
                 std::vector<const char *> names = {}) {
    return clCompileProgram(program, 0, nullptr, options, cl_uint(headers.size()),
                            headers.empty() ? nullptr : headers.data(), names.empty() ? nullptr : names.data(), nullptr,
                            nullptr);
  }
  Program link(std::vector<cl_program> inputs, cl_int expected = CL_SUCCESS, const char *options = nullptr) {
    cl_int code = 1;
    Program made =
        clLinkProgram(context, 0, nullptr, options, cl_uint(inputs.size()), inputs.data(), nullptr, nullptr, &code);
    EXPECT_EQ(code, expected) << (made ? log(made) : "no program");
    return made;
  }
};
using LinkProgram = CompileProgram;

TEST_F(CompileProgram, Arguments) {
  PROVES("API-5.8.5a");
  Program program = source(AddSource), header = source("int helper(int);");
  cl_program h = header;
  const char *name = "helper.h", *null = nullptr;
  EXPECT_EQ(compile(nullptr), CL_INVALID_PROGRAM);
  EXPECT_EQ(compile(program, "-no-such-option"), CL_INVALID_COMPILER_OPTIONS);
  EXPECT_EQ(clCompileProgram(program, 0, nullptr, nullptr, 1, nullptr, &name, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clCompileProgram(program, 0, nullptr, nullptr, 1, &h, nullptr, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clCompileProgram(program, 0, nullptr, nullptr, 0, &h, &name, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clCompileProgram(program, 0, nullptr, nullptr, 1, &h, &null, nullptr, nullptr), CL_INVALID_VALUE);
}

TEST_F(CompileProgram, SourceWithAnError) {
  PROVES("API-5.8.5a");
  Program program = source("kernel void broken( {");
  EXPECT_EQ(compile(program), CL_COMPILE_PROGRAM_FAILURE);
  EXPECT_EQ(buildStatus(program), CL_BUILD_ERROR);
}

TEST_F(CompileProgram, EmbeddedHeaders) {
  PROVES("API-5.8.5a");
  Program header = source("#define FACTOR 3\n"), other = source("#define FACTOR 4\n");
  Program program = source("#include \"dir/factor.h\"\nkernel void k(global int *p) { p[0] = FACTOR; }");
  ASSERT_EQ(compile(program, nullptr, {header, other}, {"dir/factor.h", "dir/factor.h"}), CL_SUCCESS) << log(program);
  EXPECT_EQ(binaryType(program), cl_program_binary_type(CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT));
  Program linked = link({program});
  ASSERT_NE(linked, nullptr);
  Kernel k = kernel(linked, "k");
  Mem out = buffer(4);
  set(k, 0, out);
  ASSERT_EQ(launch(k, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], 3) << "of two headers with one name the first is used";
}

// One module needs SPIR-V 1.4, because it has a loop unroll count. The other is SPIR-V 1.0, in which entry points do
// not list the constants that they use.
TEST_F(LinkProgram, ModulesOfTwoVersions) {
  PROVES("API-5.8.5b IL-6.1a");
  Program unrolled = source("constant int two[] = {1, 2}; int sum(int n) { int s = 0;"
                            "  __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < n; ++i) s += two[i & 1];"
                            "  return s; }");
  Program user = source("constant int table[] = {5, 7, 11}; int sum(int n);"
                        "kernel void k(global int *p) { p[0] = sum(10) * table[p[0] & 1]; }");
  for (bool first : {true, false}) {
    ASSERT_EQ(compile(unrolled), CL_SUCCESS) << log(unrolled);
    ASSERT_EQ(compile(user), CL_SUCCESS) << log(user);
    std::vector<cl_program> both{unrolled, user};
    if (!first)
      std::swap(both[0], both[1]);
    Program linked = link(both);
    ASSERT_NE(linked, nullptr);
    Kernel k = kernel(linked, "k");
    int one = 1;
    Mem out = buffer(4, CL_MEM_COPY_HOST_PTR, &one);
    set(k, 0, out);
    ASSERT_EQ(launch(k, 1), CL_SUCCESS);
    EXPECT_EQ(read<int>(out, 1)[0], 105);
  }
}

// Translators from LLVM's opaque pointers may declare and define a function with different pointer types.
TEST_F(LinkProgram, OtherPointees) {
  PROVES("API-5.8.5b IL-6.1a");
  const std::vector<char> uses = module("link_pointers_use"), defining = module("link_pointers_define");
  Program user = clCreateProgramWithIL(context, uses.data(), uses.size(), nullptr);
  Program definition = clCreateProgramWithIL(context, defining.data(), defining.size(), nullptr);
  for (bool first : {true, false}) {
    ASSERT_EQ(compile(user), CL_SUCCESS) << log(user);
    ASSERT_EQ(compile(definition), CL_SUCCESS) << log(definition);
    std::vector<cl_program> both{user, definition};
    if (!first)
      std::swap(both[0], both[1]);
    Program linked = link(both);
    ASSERT_NE(linked, nullptr);
    Kernel k = kernel(linked, "linked");
    cl_uint words[] = {41, 0, 7};
    Mem out = buffer(sizeof words, CL_MEM_COPY_HOST_PTR, words);
    set(k, 0, out);
    ASSERT_EQ(launch(k, 1), CL_SUCCESS);
    EXPECT_EQ(read<cl_uint>(out, 3), (std::vector<cl_uint>{41, 42, 7}));
  }
}

// SPV_KHR_linkonce_odr: modules may define the same function and the same variable, of which the program has one. A
// library keeps the linkage for the next link.
TEST_F(LinkProgram, DefinitionsInSeveralModules) {
  PROVES("X-E20");
  const std::vector<char> one = module("link_once_first"), other = module("link_once_second");
  Program first = clCreateProgramWithIL(context, one.data(), one.size(), nullptr);
  Program second = clCreateProgramWithIL(context, other.data(), other.size(), nullptr);
  ASSERT_EQ(compile(first), CL_SUCCESS) << log(first);
  ASSERT_EQ(compile(second), CL_SUCCESS) << log(second);
  Program library = link({first}, CL_SUCCESS, "-create-library");
  ASSERT_NE(library, nullptr);
  for (cl_program with : {first.get(), library.get()}) {
    Program linked = link({with, second});
    ASSERT_NE(linked, nullptr);
    cl_uint value = 5;
    Mem out = buffer(sizeof value, CL_MEM_COPY_HOST_PTR, &value);
    for (const char *name : {"first", "second"}) {
      Kernel k = kernel(linked, name);
      set(k, 0, out);
      ASSERT_EQ(launch(k, 1), CL_SUCCESS);
    }
    EXPECT_EQ(read<cl_uint>(out, 1)[0], 330u) << "100 + 2 * 5, and this + 2 * this";
  }
}

// An exported definition takes the place of the others.
TEST_F(LinkProgram, ExportedAndMergedDefinition) {
  PROVES("X-E20");
  const std::vector<char> il = module("link_once_first");
  Program merged = clCreateProgramWithIL(context, il.data(), il.size(), nullptr);
  Program exported = source("uint twice(uint n) { return 2 * n; }");
  ASSERT_EQ(compile(merged), CL_SUCCESS) << log(merged);
  ASSERT_EQ(compile(exported), CL_SUCCESS) << log(exported);
  Program linked = link({merged, exported});
  ASSERT_NE(linked, nullptr);
  cl_uint value = 5;
  Mem out = buffer(sizeof value, CL_MEM_COPY_HOST_PTR, &value);
  Kernel k = kernel(linked, "first");
  set(k, 0, out);
  ASSERT_EQ(launch(k, 1), CL_SUCCESS);
  EXPECT_EQ(read<cl_uint>(out, 1)[0], 110u);
}

TEST_F(LinkProgram, Arguments) {
  PROVES("API-5.8.5b");
  cl_int code = 1;
  Program compiled = source(AddSource);
  ASSERT_EQ(compile(compiled), CL_SUCCESS);
  cl_program c = compiled;
  EXPECT_EQ(clLinkProgram(nullptr, 0, nullptr, nullptr, 1, &c, nullptr, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_CONTEXT);
  EXPECT_EQ(clLinkProgram(context, 0, nullptr, nullptr, 0, &c, nullptr, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_VALUE);
  EXPECT_EQ(clLinkProgram(context, 0, nullptr, nullptr, 1, nullptr, nullptr, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_VALUE);
  cl_program bad = nullptr;
  EXPECT_EQ(clLinkProgram(context, 0, nullptr, nullptr, 1, &bad, nullptr, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_PROGRAM);
  EXPECT_EQ(clLinkProgram(context, 0, nullptr, "-no-such-option", 1, &c, nullptr, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_LINKER_OPTIONS);
}

TEST_F(LinkProgram, InputNeverCompiled) {
  PROVES("API-5.8.5b");
  cl_int code = 1;
  Program never = source(AddSource);
  cl_program n = never;
  EXPECT_EQ(clLinkProgram(context, 0, nullptr, nullptr, 1, &n, nullptr, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_OPERATION);
}

TEST_F(LinkProgram, FunctionsAcrossUnits) {
  PROVES("API-5.8.5b");
  Program user =
      source("int twice(int);\nkernel void k(global int *p) { p[get_global_id(0)] = twice(p[get_global_id(0)]); }");
  Program maker = source("int twice(int x) { return 2 * x; }");
  ASSERT_EQ(compile(user), CL_SUCCESS) << log(user);
  ASSERT_EQ(compile(maker), CL_SUCCESS) << log(maker);
  Program linked = link({user, maker});
  ASSERT_NE(linked, nullptr);
  EXPECT_EQ(binaryType(linked), cl_program_binary_type(CL_PROGRAM_BINARY_TYPE_EXECUTABLE));
  std::vector<int> data = numbers(8);
  Mem b = buffer(32, CL_MEM_COPY_HOST_PTR, data.data());
  Kernel k = kernel(linked, "k");
  set(k, 0, b);
  ASSERT_EQ(launch(k, 8), CL_SUCCESS);
  EXPECT_EQ(read<int>(b, 8)[7], 14);
}

TEST_F(LinkProgram, UnresolvedSymbol) {
  PROVES("API-5.8.5b");
  Program user = source("int missing(int);\nkernel void k(global int *p) { p[0] = missing(1); }");
  ASSERT_EQ(compile(user), CL_SUCCESS) << log(user);
  Program linked = link({user}, CL_LINK_PROGRAM_FAILURE);
  ASSERT_NE(linked, nullptr) << "a failed link returns a program object";
  EXPECT_EQ(buildStatus(linked), CL_BUILD_ERROR);
  EXPECT_NE(log(linked).find("missing"), std::string::npos) << log(linked);
}

TEST_F(LinkProgram, Library) {
  PROVES("API-5.8.5c");
  Program maker = source("int twice(int x) { return 2 * x; }\nint unused(int x) { return x; }");
  ASSERT_EQ(compile(maker), CL_SUCCESS);
  Program library = link({maker}, CL_SUCCESS, "-create-library");
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(binaryType(library), cl_program_binary_type(CL_PROGRAM_BINARY_TYPE_LIBRARY));
  Program user = source("int twice(int);\nkernel void k(global int *p) { p[0] = twice(21); }");
  ASSERT_EQ(compile(user), CL_SUCCESS);
  Program linked = link({user, library});
  ASSERT_NE(linked, nullptr);
  Mem out = buffer(4);
  Kernel k = kernel(linked, "k");
  set(k, 0, out);
  ASSERT_EQ(launch(k, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], 42);
}

// Specialization constants are numbered per module: both modules have a constant with SpecId 7.
TEST_F(LinkProgram, ModulesWithSpecialisationConstants) {
  PROVES("API-5.8.3a API-5.8.5a API-5.8.5b");
  Program programs[2];
  cl_int values[] = {100, 200};
  const char *names[] = {"add", "other"};
  for (int i = 0; i < 2; ++i) {
    std::vector<char> il = module(names[i]);
    cl_int code = 1;
    programs[i] = clCreateProgramWithIL(context, il.data(), il.size(), &code);
    ASSERT_EQ(code, CL_SUCCESS);
    ASSERT_EQ(clSetProgramSpecializationConstant(programs[i], 7, sizeof values[i], &values[i]), CL_SUCCESS);
    ASSERT_EQ(compile(programs[i]), CL_SUCCESS) << log(programs[i]);
    cl_int later = 300; // changes later compile steps only
    ASSERT_EQ(clSetProgramSpecializationConstant(programs[i], 7, sizeof later, &later), CL_SUCCESS);
  }
  Program library = link({programs[1]}, CL_SUCCESS, "-create-library");
  cl_int ignored = 400;
  EXPECT_EQ(clSetProgramSpecializationConstant(library, 7, sizeof ignored, &ignored), CL_INVALID_PROGRAM);
  Program linked = link({programs[0], library});
  ASSERT_NE(linked, nullptr);
  ASSERT_EQ(buildStatus(linked), CL_BUILD_SUCCESS) << log(linked);
  std::vector<int> a = numbers(4);
  Mem in = buffer(16, CL_MEM_COPY_HOST_PTR, a.data()), out = buffer(16);
  for (int i = 0; i < 2; ++i) {
    Kernel k = kernel(linked, names[i]);
    ASSERT_NE(k, nullptr);
    set(k, 0, in);
    set(k, 1, in);
    set(k, 2, out);
    ASSERT_EQ(launch(k, 4), CL_SUCCESS);
    EXPECT_EQ(read<int>(out, 4)[3], 6 + values[i]) << names[i];
  }
}

// SPIRV-Tools' linker rejects modules with SPV_INTEL_memory_access_aliasing.
TEST_F(LinkProgram, ModuleWithAliasScopes) {
  PROVES("API-5.8.5b X-E26");
  std::vector<char> il = module("memory_aliasing");
  cl_int code = 1;
  Program program = clCreateProgramWithIL(context, il.data(), il.size(), &code);
  ASSERT_EQ(code, CL_SUCCESS);
  ASSERT_EQ(compile(program), CL_SUCCESS) << log(program);
  Program linked = link({program});
  ASSERT_NE(linked, nullptr);
  Kernel k = kernel(linked, "copy");
  cl_uint number = 42;
  Mem from = buffer(4, CL_MEM_COPY_HOST_PTR, &number), to = buffer(4);
  set(k, 0, from);
  set(k, 1, to);
  ASSERT_EQ(launch(k, 1), CL_SUCCESS);
  EXPECT_EQ(read<cl_uint>(to, 1)[0], 42u);
}
} // namespace kiln::test
