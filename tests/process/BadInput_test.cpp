// Invalid input gives the specification's error, a log if the call has one, and leaves the context usable.
#include "tests/process/ProcessTest.h"
#include <fstream>
#include <iterator>
#include <random>

namespace kiln::test {
namespace {

struct BadInput : ProcessTest {
  using Bytes = std::vector<unsigned char>;
  static Bytes goodModule() {
    std::ifstream in(KILN_GUEST_MODULE, std::ios::binary);
    Bytes module{std::istreambuf_iterator<char>(in), {}};
    EXPECT_GT(module.size(), 1000u);
    return module;
  }
  /// Creates, builds and uses a module as far as it is valid. Only errors of the specification are allowed.
  struct Outcome {
    cl_int created = 1, built = 1;
  };
  static Outcome give(const App &app, const Bytes &module, const std::string &which) {
    Outcome outcome;
    Program program = clCreateProgramWithIL(app.context, module.data(), module.size(), &outcome.created);
    EXPECT_EQ(program == nullptr, outcome.created != CL_SUCCESS) << which;
    if (!program) {
      EXPECT_EQ(outcome.created, CL_INVALID_VALUE) << which;
      return outcome;
    }
    outcome.built = app.build(program);
    std::string log = app.log(program);
    if (outcome.built != CL_SUCCESS) {
      EXPECT_EQ(outcome.built, CL_BUILD_PROGRAM_FAILURE) << which;
      EXPECT_GT(log.size(), 1u) << which;
    }
    for (const char *words : {"crashed", "stopped (exit", "longer than", "out of memory"})
      EXPECT_EQ(log.find(words), std::string::npos) << which << ": " << log;
    return outcome;
  }
};

TEST_F(BadInput, Sources) {
  inNewProcess([] {
    App app;
    std::string deep = "kernel void k(global int *p) { p[0] = ";
    for (int i = 0; i < 100000; ++i)
      deep += '(';
    const std::string sources[] = {
        "",
        "kernel void k(",
        "kernel void k(global int *p) { p[0] = undeclared; }",
        "int kernel void",
        "#error no\n",
        "#include \"no/such/file.h\"\nkernel void k() {}",
        "kernel int k(global int *p) { return 1; }",
        "kernel void k(int *p) { }",
        std::string("kernel void k(global int *p) { p[0] = \0 1; }", 45),
        std::string(4096, '\xff'),
        std::string(1 << 20, '{'),
        deep,
        "#define A B B B B B B B B\n#define B C C C C C C C C\n#define C D D D D D D D D\nkernel void k() { A }",
    };
    for (const std::string &text : sources) {
      Program program = app.source(text.empty() ? " " : text);
      cl_int code = app.build(program);
      std::string log = app.log(program);
      if (text.empty()) {
        EXPECT_EQ(code, CL_SUCCESS) << log; // the empty source is valid
        continue;
      }
      EXPECT_EQ(code, CL_BUILD_PROGRAM_FAILURE) << text.substr(0, 80);
      EXPECT_NE(log.find("error"), std::string::npos) << text.substr(0, 80) << ": " << log.substr(0, 500);
      EXPECT_TRUE(app.works(1));
    }
  });
}

// Sources that Clang accepts and Kiln does not: the log has a sentence, the compiler does not crash.
TEST_F(BadInput, SourcesThatNoCompilerEndsOver) {
  inNewProcess([] {
    App app;
    std::string terms = "kernel void k(global int *p) { p[0] = 0", elements = "constant int t[] = {1";
    for (int i = 0; i < 1 << 18; ++i)
      terms += "+p[1]";
    for (int i = 1; i < 70000; ++i)
      elements += ",2";
    const struct {
      std::string text;
      const char *options, *sentence, *orSentence = nullptr;
    } sources[] = {
        {"kernel void k(global int *p) { __asm__ volatile(\"nop\"); }", "", "asm statement in 'k'"},
        {"kernel void k(global int *p) { asm(\"\" : \"=r\"(*p)); }", "-cl-std=CLC++", "asm statement in 'k'"},
        {"asm(\"nop\"); kernel void k(global int *p) { }", "-cl-std=CLC++", "asm at file scope"},
        // Clang 15 refuses the nesting; Clang 19 takes it, and there are too many operations.
        {terms + "; }", "", "nested too deeply", "must be at most 400000"},
        {elements + "}; kernel void k(global int *p) { p[0] = t[p[0]]; }", "", "70000 elements in one aggregate"},
    };
    for (const auto &[text, options, sentence, orSentence] : sources) {
      Program program = app.source(text);
      EXPECT_EQ(app.build(program, options), CL_BUILD_PROGRAM_FAILURE) << text.substr(0, 80);
      const std::string log = app.log(program);
      const bool saysSo = log.find(sentence) != std::string::npos;
      EXPECT_TRUE(saysSo || (orSentence && log.find(orSentence) != std::string::npos)) << log.substr(0, 500);
      EXPECT_LT(log.size(), 1000u);
      EXPECT_TRUE(app.works(1));
    }
  });
}

TEST_F(BadInput, Options) {
  inNewProcess([] {
    App app;
    for (const char *options : {"-no-such-option", "-cl-std=CL9.9", "-D", "-I", "-cl-std=", "-x spir", "-o file", "\"",
                                "-D A=1 -cl-mad-enable -wrong", "-Xclang -load", "--help", "-cl-std=CL1.2 file.cl"}) {
      Program program = app.source(sourceOf(1));
      EXPECT_EQ(app.build(program, options), CL_INVALID_BUILD_OPTIONS) << options;
      EXPECT_EQ(app.build(program), CL_SUCCESS) << "after " << options << ": " << app.log(program);
      EXPECT_EQ(app.run(program), resultsOf(1));
    }
  });
}

TEST_F(BadInput, Arguments) {
  inNewProcess([] {
    App app;
    Program program = app.source("kernel void k(global int *p, int n, local int *room) { p[get_global_id(0)] = n; }");
    ASSERT_EQ(app.build(program), CL_SUCCESS);
    cl_int code = 1;
    Kernel kernel = clCreateKernel(program, "k", &code);
    ASSERT_EQ(code, CL_SUCCESS);
    EXPECT_EQ(clCreateKernel(program, "none", &code), nullptr);
    EXPECT_EQ(code, CL_INVALID_KERNEL_NAME);
    Mem buffer = clCreateBuffer(app.context, CL_MEM_READ_WRITE, 256, nullptr, &code);
    size_t items = 64, odd = 7, huge = size_t(-1) / 2;
    auto launch = [&](cl_uint dimensions, const size_t *global, const size_t *local) {
      return clEnqueueNDRangeKernel(app.queue, kernel, dimensions, nullptr, global, local, 0, nullptr, nullptr);
    };
    int n = 5;
    EXPECT_EQ(launch(1, &items, nullptr), CL_INVALID_KERNEL_ARGS) << "no argument is set";
    EXPECT_EQ(clSetKernelArg(kernel, 3, 4, &n), CL_INVALID_ARG_INDEX);
    EXPECT_EQ(clSetKernelArg(kernel, 1, 2, &n), CL_INVALID_ARG_SIZE);
    EXPECT_EQ(clSetKernelArg(kernel, 1, 4, nullptr), CL_INVALID_ARG_VALUE);
    EXPECT_EQ(clSetKernelArg(kernel, 0, 4, &n), CL_INVALID_ARG_SIZE);
    cl_mem wrong = reinterpret_cast<cl_mem>(kernel.get());
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof wrong, &wrong), CL_INVALID_MEM_OBJECT) << "a kernel for a buffer";
    EXPECT_EQ(clSetKernelArg(kernel, 2, 0, nullptr), CL_INVALID_ARG_SIZE);
    EXPECT_EQ(clSetKernelArg(kernel, 2, 16, &n), CL_INVALID_ARG_VALUE);
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer.address()), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, 4, &n), CL_SUCCESS);
    EXPECT_EQ(launch(1, &items, nullptr), CL_INVALID_KERNEL_ARGS) << "one is not set";
    EXPECT_EQ(clSetKernelArg(kernel, 2, huge, nullptr), CL_SUCCESS);
    EXPECT_NE(launch(1, &items, nullptr), CL_SUCCESS) << "more local memory than there is";
    EXPECT_EQ(clSetKernelArg(kernel, 2, 16, nullptr), CL_SUCCESS);
    EXPECT_EQ(launch(0, &items, nullptr), CL_INVALID_WORK_DIMENSION);
    EXPECT_EQ(launch(4, &items, nullptr), CL_INVALID_WORK_DIMENSION);
    EXPECT_EQ(launch(1, &items, &odd), CL_INVALID_WORK_GROUP_SIZE) << "uniform in OpenCL C 1.2";
    EXPECT_EQ(launch(1, &items, &huge), CL_INVALID_WORK_ITEM_SIZE);
    EXPECT_EQ(launch(1, &items, nullptr), CL_SUCCESS);
    std::vector<int> data(64);
    EXPECT_EQ(clEnqueueReadBuffer(app.queue, buffer, CL_TRUE, 0, 257, data.data(), 0, nullptr, nullptr),
              CL_INVALID_VALUE);
    EXPECT_EQ(clEnqueueReadBuffer(app.queue, buffer, CL_TRUE, 0, 256, data.data(), 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(data, std::vector<int>(64, 5));
    EXPECT_TRUE(app.works(1));
  });
}

TEST_F(BadInput, GoodModuleIsGood) {
  inNewProcess([] {
    App app;
    Outcome outcome = give(app, goodModule(), "the module");
    EXPECT_EQ(outcome.created, CL_SUCCESS);
    EXPECT_EQ(outcome.built, CL_SUCCESS);
  });
}

TEST_F(BadInput, ModulesThatAreNone) {
  inNewProcess([] {
    App app;
    std::mt19937 random(1);
    Bytes noise(4096);
    for (unsigned char &byte : noise)
      byte = static_cast<unsigned char>(random());
    Bytes head = goodModule();
    head.resize(20);
    Bytes version = goodModule();
    version[6] = 9; // SPIR-V 9.x
    Bytes bound = goodModule();
    bound[15] = 0x7f; // the id bound
    for (const Bytes &module : {Bytes(4), Bytes(20), noise, head, version, bound, Bytes(1 << 20, 0xff)})
      EXPECT_NE(give(app, module, std::to_string(module.size()) + " bytes").created, CL_SUCCESS);
    cl_int code = 1;
    EXPECT_EQ(clCreateProgramWithIL(app.context, nullptr, 0, &code), nullptr);
    EXPECT_EQ(code, CL_INVALID_VALUE);
    EXPECT_TRUE(app.works(1));
  });
}

TEST_F(BadInput, TruncatedModule) {
  inNewProcess([] {
    App app;
    const Bytes whole = goodModule();
    for (size_t size = 1; size < whole.size(); size += size < 64 ? 1 : whole.size() / 150)
      EXPECT_EQ(
          give(app, Bytes(whole.begin(), whole.begin() + ptrdiff_t(size)), std::to_string(size) + " bytes").created,
          CL_INVALID_VALUE)
          << size << " of " << whole.size() << " bytes";
    EXPECT_TRUE(app.works(1));
  });
}

TEST_F(BadInput, ModuleWithAFlippedBit) {
  inNewProcess([] {
    App app;
    const Bytes whole = goodModule();
    std::mt19937 random(2026);
    int refused = 0;
    for (int i = 0; i < 300; ++i) {
      Bytes module = whole;
      size_t bit = random() % (module.size() * 8);
      module[bit / 8] ^= 1 << bit % 8;
      refused += give(app, module, "bit " + std::to_string(bit)).created != CL_SUCCESS;
    }
    EXPECT_GT(refused, 30) << "most instructions notice";
    EXPECT_TRUE(app.works(1));
  });
}

TEST_F(BadInput, ModuleWithARandomWord) {
  inNewProcess([] {
    App app;
    const Bytes whole = goodModule();
    std::mt19937 random(42);
    for (int i = 0; i < 150; ++i) {
      Bytes module = whole;
      size_t word = 5 + random() % (module.size() / 4 - 5);
      uint32_t value = i % 3 ? random() % 64 : random();
      memcpy(&module[word * 4], &value, 4);
      give(app, module, "word " + std::to_string(word) + " = " + std::to_string(value));
    }
    EXPECT_TRUE(app.works(1));
  });
}

// A damaged binary of Kiln is rejected at creation, or is built from its valid parts.
TEST_F(BadInput, DamagedBinary) {
  inNewProcess([] {
    App app;
    Program program = app.source(sourceOf(1));
    ASSERT_EQ(app.build(program), CL_SUCCESS);
    size_t size = query<size_t>(clGetProgramInfo, program.get(), CL_PROGRAM_BINARY_SIZES);
    Bytes binary(size);
    unsigned char *target = binary.data();
    ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof target, &target, nullptr), CL_SUCCESS);
    auto load = [&](const Bytes &bytes) {
      cl_int status = 1, code = 1;
      const unsigned char *data = bytes.data();
      size_t length = bytes.size();
      Program loaded = clCreateProgramWithBinary(app.context, 1, &app.device, &length, &data, &status, &code);
      EXPECT_EQ(code == CL_SUCCESS, status == CL_SUCCESS);
      if (loaded)
        EXPECT_EQ(app.build(loaded), CL_SUCCESS);
      else
        EXPECT_EQ(code, CL_INVALID_BINARY);
      return code;
    };
    EXPECT_EQ(load(binary), CL_SUCCESS);
    std::mt19937 random(7);
    for (int i = 0; i < 100; ++i) {
      Bytes damaged = binary;
      size_t bit = random() % (size * 8);
      damaged[bit / 8] ^= 1 << bit % 8;
      EXPECT_EQ(load(damaged), CL_INVALID_BINARY) << "bit " << bit;
      EXPECT_EQ(load(Bytes(binary.begin(), binary.begin() + ptrdiff_t(random() % (size - 1)) + 1)), CL_INVALID_BINARY);
    }
    EXPECT_TRUE(app.works(1));
  });
}

} // namespace
} // namespace kiln::test
