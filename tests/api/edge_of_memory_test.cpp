// Vector loads must not touch a page that no active work-item reads. The buffer ends at an inaccessible page.
#include "tests/api/ProgramTest.h"
#include <sys/mman.h>
#include <unistd.h>

namespace kiln::test {
namespace {

constexpr const char *EdgeSource = R"(
kernel void near(global uint *out, global const uint *in, int last) {
  int at = clamp((int)floor((float)get_global_id(0) * 1.5f), 0, last);
  out[get_global_id(0)] = in[at];
}
kernel void bytes(global uint *out, global const uchar *in, int last) {
  uint i = get_global_id(0);
  uint sum = 0;
  if (i & 1)
    sum = in[min(i, (uint)last)];
  else if (i <= last)
    sum = in[i];
  out[i] = sum;
}
)";

/// The application's memory, followed by an inaccessible page.
class AtEdge {
public:
  explicit AtEdge(size_t bytes) : page_(size_t(sysconf(_SC_PAGESIZE))), pages_((bytes + page_ - 1) / page_) {
    start_ = static_cast<char *>(
        mmap(nullptr, (pages_ + 1) * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(static_cast<void *>(start_), MAP_FAILED);
    EXPECT_EQ(mprotect(start_ + pages_ * page_, page_, PROT_NONE), 0);
    data = start_ + pages_ * page_ - bytes;
  }
  ~AtEdge() { munmap(start_, (pages_ + 1) * page_); }
  char *data;

private:
  const size_t page_, pages_;
  char *start_;
};

struct EdgeOfMemory : WithProgram {
  /// Launches `count` work-items that read the buffer of `bytes` bytes at the edge, and returns their results.
  std::vector<cl_uint> result(const char *name, AtEdge &memory, size_t bytes, size_t count, cl_int last) {
    Program program = built(EdgeSource);
    Mem in = buffer(bytes, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, memory.data), out = buffer(4 * count);
    Kernel k = kernel(program, name);
    EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
    EXPECT_EQ(set(k, 1, in), CL_SUCCESS);
    EXPECT_EQ(set(k, 2, last), CL_SUCCESS);
    std::vector<cl_uint> got(count);
    for (int launches = 0; launches < 3; ++launches) // a specialised variant may replace the generic one
      EXPECT_EQ(launch(k, count), CL_SUCCESS);
    EXPECT_EQ(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4 * count, got.data(), 0, nullptr, nullptr), CL_SUCCESS);
    return got;
  }
};

TEST_F(EdgeOfMemory, Words) {
  PROVES("EXEC-3.2.2b");
  constexpr int Count = 100;
  AtEdge memory(4 * Count);
  auto *words = reinterpret_cast<cl_uint *>(memory.data);
  for (cl_uint i = 0; i < Count; ++i)
    words[i] = 1000 + i;
  const std::vector<cl_uint> got = result("near", memory, 4 * Count, 256, Count - 1);
  for (cl_uint i = 0; i < got.size(); ++i)
    EXPECT_EQ(got[i], 1000 + std::min<cl_uint>(i * 3 / 2, Count - 1)) << i;
}

TEST_F(EdgeOfMemory, Bytes) {
  PROVES("EXEC-3.2.2b");
  constexpr int Count = 117;
  AtEdge memory(Count);
  for (int i = 0; i < Count; ++i)
    memory.data[i] = char(100 + i % 100);
  const std::vector<cl_uint> got = result("bytes", memory, Count, 256, Count - 1);
  for (int i = 0; i < 256; ++i)
    EXPECT_EQ(got[size_t(i)], i & 1 || i < Count ? cl_uint(100 + std::min(i, Count - 1) % 100) : 0) << i;
}

} // namespace
} // namespace kiln::test
