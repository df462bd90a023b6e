#include "tests/api/ApiTest.h"

namespace kiln::test {
struct CreateBufferWithProperties : WithContext {};

TEST_F(CreateBufferWithProperties, PropertyUnknown) {
  PROVES("X-30a R15");
  cl_mem_properties list[] = {0x4242, 1, 0};
  cl_int code = 1;
  EXPECT_EQ(clCreateBufferWithProperties(context, list, 0, 16, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_PROPERTY);
}

TEST_F(CreateBufferWithProperties, PropertyListIsReturned) {
  PROVES("X-30a R15");
  cl_mem_properties empty[] = {0};
  Mem with = clCreateBufferWithProperties(context, empty, 0, 16, nullptr, nullptr);
  ASSERT_NE(with, nullptr);
  EXPECT_EQ(queryList<cl_mem_properties>(clGetMemObjectInfo, with.get(), CL_MEM_PROPERTIES),
            std::vector<cl_mem_properties>{0});
  Mem without = clCreateBufferWithProperties(context, nullptr, 0, 16, nullptr, nullptr);
  ASSERT_NE(without, nullptr);
  EXPECT_TRUE(queryList<cl_mem_properties>(clGetMemObjectInfo, without.get(), CL_MEM_PROPERTIES).empty());
}
} // namespace kiln::test
