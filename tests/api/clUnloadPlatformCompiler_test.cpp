#include "tests/api/ProgramTest.h"

namespace kiln::test {
struct UnloadPlatformCompiler : WithProgram {};

TEST_F(UnloadPlatformCompiler, PlatformInvalid) {
  PROVES("API-5.8.8a");
  EXPECT_EQ(clUnloadPlatformCompiler(reinterpret_cast<cl_platform_id>(context.get())), CL_INVALID_PLATFORM);
}

TEST_F(UnloadPlatformCompiler, LaterBuildsWork) {
  PROVES("API-5.8.8a");
  built("kernel void before() {}");
  ASSERT_EQ(clUnloadPlatformCompiler(platform), CL_SUCCESS);
  expectAdds(built(AddSource, "-D AFTER_UNLOADING"));
}
} // namespace kiln::test
