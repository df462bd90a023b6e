#include "tests/api/PipeTest.h"

namespace kiln::test {

struct GetPipeInfo : WithPipes {};

TEST_F(GetPipeInfo, ReturnsCreationParameters) {
  PROVES("API-5.4.2a X-30c");
  Mem made = pipe(12, 100);
  EXPECT_EQ(query<cl_uint>(clGetPipeInfo, made.get(), CL_PIPE_PACKET_SIZE), 12u);
  EXPECT_EQ(query<cl_uint>(clGetPipeInfo, made.get(), CL_PIPE_MAX_PACKETS), 100u);
  EXPECT_TRUE(queryList<cl_pipe_properties>(clGetPipeInfo, made.get(), CL_PIPE_PROPERTIES).empty());
  EXPECT_TRUE(queryList<cl_mem_properties>(clGetMemObjectInfo, made.get(), CL_MEM_PROPERTIES).empty());
}

TEST_F(GetPipeInfo, Rules) {
  PROVES("API-5.4.2a");
  Mem made = pipe(4, 4);
  expectInfoRules(clGetPipeInfo, made.get(), CL_PIPE_PACKET_SIZE);
}

TEST_F(GetPipeInfo, NoPipe) {
  PROVES("API-5.4.2a");
  Mem other = buffer(64);
  cl_uint value = 0;
  EXPECT_EQ(clGetPipeInfo(other, CL_PIPE_PACKET_SIZE, sizeof value, &value, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clGetPipeInfo(nullptr, CL_PIPE_PACKET_SIZE, sizeof value, &value, nullptr), CL_INVALID_MEM_OBJECT);
  cl_mem queueAsPipe = reinterpret_cast<cl_mem>(queue.get());
  EXPECT_EQ(clGetPipeInfo(queueAsPipe, CL_PIPE_PACKET_SIZE, sizeof value, &value, nullptr), CL_INVALID_MEM_OBJECT);
}

} // namespace kiln::test
