// clCreateSamplerWithProperties, clCreateSampler, clGetSamplerInfo and reference counts.
#include "tests/api/ImageTest.h"

namespace kiln::test {

struct CreateSampler : WithImages {
  Sampler make(std::vector<cl_sampler_properties> list, cl_int expected = CL_SUCCESS) {
    cl_int code = 1;
    Sampler made = clCreateSamplerWithProperties(context, list.data(), &code);
    EXPECT_EQ(code, expected);
    EXPECT_EQ(made.get() != nullptr, expected == CL_SUCCESS);
    return made;
  }
  template <typename T> T get(cl_sampler of, cl_sampler_info what) { return query<T>(clGetSamplerInfo, of, what); }
  void expectModes(cl_sampler of, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter) {
    EXPECT_EQ(get<cl_bool>(of, CL_SAMPLER_NORMALIZED_COORDS), normalized);
    EXPECT_EQ(get<cl_addressing_mode>(of, CL_SAMPLER_ADDRESSING_MODE), addressing);
    EXPECT_EQ(get<cl_filter_mode>(of, CL_SAMPLER_FILTER_MODE), filter);
  }
};

TEST_F(CreateSampler, InvalidContext) {
  PROVES("API-5.7.1a");
  cl_int code = 1;
  EXPECT_EQ(clCreateSamplerWithProperties(nullptr, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_CONTEXT);
  EXPECT_EQ(clCreateSampler(nullptr, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_CONTEXT);
  EXPECT_EQ(clCreateSampler(nullptr, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, nullptr), nullptr);
}

TEST_F(CreateSampler, Defaults) {
  PROVES("API-5.7.1a API-5.7.2a");
  cl_int code = 1;
  Sampler made = clCreateSamplerWithProperties(context, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  expectModes(made, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
  made = make({0});
  expectModes(made, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
  made = make({CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0});
  expectModes(made, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR);
}

TEST_F(CreateSampler, EveryMode) {
  PROVES("API-5.7.1a API-5.7.2a API-ICDc");
  for (cl_bool normalized : {CL_TRUE, CL_FALSE})
    for (cl_addressing_mode addressing :
         {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT})
      for (cl_filter_mode filter : {CL_FILTER_NEAREST, CL_FILTER_LINEAR}) {
        Sampler made = make({CL_SAMPLER_ADDRESSING_MODE, addressing, CL_SAMPLER_FILTER_MODE, filter,
                             CL_SAMPLER_NORMALIZED_COORDS, normalized, 0});
        expectModes(made, normalized, addressing, filter);
        cl_int code = 1;
        made = clCreateSampler(context, normalized, addressing, filter, &code);
        EXPECT_EQ(code, CL_SUCCESS);
        expectModes(made, normalized, addressing, filter);
      }
}

TEST_F(CreateSampler, Properties) {
  PROVES("API-5.7.1a R15");
  make({CL_SAMPLER_CONTEXT, 1, 0}, CL_INVALID_VALUE);
  make({CL_SAMPLER_MIP_FILTER_MODE, CL_FILTER_NEAREST, 0}, CL_INVALID_VALUE);
  make({CL_SAMPLER_NORMALIZED_COORDS, 2, 0}, CL_INVALID_VALUE);
  make({CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_NONE - 1, 0}, CL_INVALID_VALUE);
  make({CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_MIRRORED_REPEAT + 1, 0}, CL_INVALID_VALUE);
  make({CL_SAMPLER_ADDRESSING_MODE, (cl_sampler_properties(1) << 32) + CL_ADDRESS_CLAMP, 0}, CL_INVALID_VALUE);
  make({CL_SAMPLER_FILTER_MODE, CL_ADDRESS_CLAMP, 0}, CL_INVALID_VALUE);
  for (cl_sampler_properties name :
       {CL_SAMPLER_NORMALIZED_COORDS, CL_SAMPLER_ADDRESSING_MODE, CL_SAMPLER_FILTER_MODE}) {
    const cl_sampler_properties value = name == CL_SAMPLER_NORMALIZED_COORDS ? CL_FALSE
                                        : name == CL_SAMPLER_ADDRESSING_MODE ? CL_ADDRESS_NONE
                                                                             : CL_FILTER_LINEAR;
    make({name, value, name, value, 0}, CL_INVALID_VALUE);
  }
  cl_int code = 1;
  for (auto [normalized, addressing, filter] :
       {std::tuple(2, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST), {1, 0, CL_FILTER_NEAREST}, {1, CL_ADDRESS_CLAMP, 0}}) {
    EXPECT_EQ(clCreateSampler(context, cl_bool(normalized), cl_uint(addressing), cl_uint(filter), &code), nullptr);
    EXPECT_EQ(code, CL_INVALID_VALUE);
  }
}

TEST_F(CreateSampler, PropertyListIsReturned) {
  PROVES("X-30c R15");
  const std::vector<cl_sampler_properties> list{CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
  Sampler made = make(list);
  auto properties = [&] {
    return queryList<cl_sampler_properties>(clGetSamplerInfo, made.get(), CL_SAMPLER_PROPERTIES);
  };
  EXPECT_EQ(properties(), list);
  made = make({0});
  EXPECT_EQ(properties(), std::vector<cl_sampler_properties>{0});
  made = clCreateSamplerWithProperties(context, nullptr, nullptr);
  EXPECT_TRUE(properties().empty());
  made = clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, nullptr);
  EXPECT_TRUE(properties().empty());
}

TEST_F(CreateSampler, QueriesAndCounts) {
  PROVES("R3 R13 API-5.7.1b API-5.7.2a");
  Sampler made = make({0});
  expectInfoRules(clGetSamplerInfo, made.get(), CL_SAMPLER_FILTER_MODE);
  EXPECT_EQ(get<cl_context>(made, CL_SAMPLER_CONTEXT), context.get());
  EXPECT_EQ(get<cl_uint>(made, CL_SAMPLER_REFERENCE_COUNT), 1u);
  EXPECT_EQ(clRetainSampler(made), CL_SUCCESS);
  EXPECT_EQ(get<cl_uint>(made, CL_SAMPLER_REFERENCE_COUNT), 2u);
  EXPECT_EQ(clReleaseSampler(made), CL_SUCCESS);
  EXPECT_EQ(get<cl_uint>(made, CL_SAMPLER_REFERENCE_COUNT), 1u);
}

TEST_F(CreateSampler, NoSampler) {
  PROVES("API-5.7.1b API-5.7.2a");
  Mem plain = buffer(64);
  for (cl_sampler none : {cl_sampler(nullptr), reinterpret_cast<cl_sampler>(plain.get())}) {
    cl_uint value;
    EXPECT_EQ(clRetainSampler(none), CL_INVALID_SAMPLER);
    EXPECT_EQ(clReleaseSampler(none), CL_INVALID_SAMPLER);
    EXPECT_EQ(clGetSamplerInfo(none, CL_SAMPLER_FILTER_MODE, sizeof value, &value, nullptr), CL_INVALID_SAMPLER);
  }
}
} // namespace kiln::test
