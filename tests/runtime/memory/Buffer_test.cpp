#include "tests/runtime/NullPlatform.h"
#include <cstring>

using namespace kiln;
using BufferTest = kiln::test::OnNullDevice;

TEST_F(BufferTest, FlagsThatExcludeEachOther) {
  char host[64];
  for (cl_mem_flags flags :
       {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
        CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 1 << 30})
    EXPECT_EQ(Buffer::create(*context, cl_mem_flags(flags), 64, host).code(), CL_INVALID_VALUE) << flags;
  EXPECT_EQ(Buffer::create(*context, CL_MEM_COPY_HOST_PTR, 64, nullptr).code(), CL_INVALID_HOST_PTR);
  EXPECT_EQ(Buffer::create(*context, CL_MEM_READ_WRITE, 64, host).code(), CL_INVALID_HOST_PTR);
  EXPECT_EQ(Buffer::create(*context, CL_MEM_READ_WRITE, 0, nullptr).code(), CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(Buffer::create(*context, 0, device->info().maxAllocSize + 1, nullptr).code(), CL_INVALID_BUFFER_SIZE);
}

// The application's memory is the storage itself: a map returns its address.
TEST_F(BufferTest, HostPointerIsTheStorage) {
  alignas(128) char host[256] = "text";
  Ref<Buffer> b = *Buffer::create(*context, CL_MEM_USE_HOST_PTR, sizeof host, host);
  EXPECT_EQ(b->hostPointer(), host);
  EXPECT_EQ(*b->beginMap(*b, CL_MAP_READ, {128}, {16, 1, 1}), host + 128);
  Ref<Buffer> sub = *Buffer::createSub(*b, 0, {128, 64});
  EXPECT_EQ(sub->hostPointer(), host + 128);
  EXPECT_TRUE(sub->flags() & CL_MEM_USE_HOST_PTR);
}

TEST_F(BufferTest, CopiedHostPointerIsReadAtOnce) {
  char host[8] = "before";
  Ref<Buffer> b = *Buffer::create(*context, CL_MEM_COPY_HOST_PTR, sizeof host, host);
  std::strcpy(host, "after");
  EXPECT_STREQ(static_cast<char *>(*b->beginMap(*b, CL_MAP_READ, {}, {8, 1, 1})), "before");
  EXPECT_EQ(b->hostPointer(), nullptr);
}

TEST_F(BufferTest, SubBufferRules) {
  Ref<Buffer> parent = buffer(1024, CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY);
  EXPECT_EQ(Buffer::createSub(*parent, 0, {0, 0}).code(), CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(Buffer::createSub(*parent, 0, {512, 513}).code(), CL_INVALID_VALUE);
  EXPECT_EQ(Buffer::createSub(*parent, 0, {SIZE_MAX, 2}).code(), CL_INVALID_VALUE);
  EXPECT_EQ(Buffer::createSub(*parent, CL_MEM_READ_WRITE, {0, 64}).code(), CL_INVALID_VALUE) << "widens";
  EXPECT_EQ(Buffer::createSub(*parent, CL_MEM_HOST_WRITE_ONLY, {0, 64}).code(), CL_INVALID_VALUE) << "widens";
  EXPECT_EQ(Buffer::createSub(*parent, CL_MEM_ALLOC_HOST_PTR, {0, 64}).code(), CL_INVALID_VALUE);
  EXPECT_EQ(Buffer::createSub(*parent, 0, {4, 64}).code(), CL_MISALIGNED_SUB_BUFFER_OFFSET);
  Ref<Buffer> sub = *Buffer::createSub(*parent, 0, {128, 64});
  EXPECT_EQ(sub->flags(), parent->flags()) << "flags that are not given are inherited";
  EXPECT_EQ(Buffer::createSub(*sub, 0, {0, 64}).code(), CL_INVALID_MEM_OBJECT);
}

// Maps of a sub-buffer are maps of its parent's bytes.
TEST_F(BufferTest, MapsThatOverlapAndWrite) {
  Ref<Buffer> parent = buffer(1024);
  Ref<Buffer> sub = *Buffer::createSub(*parent, 0, {128, 128});
  void *reading = *parent->beginMap(*parent, CL_MAP_READ, {}, {256, 1, 1});
  EXPECT_TRUE(sub->beginMap(*sub, CL_MAP_READ, {}, {128, 1, 1}).ok());
  EXPECT_EQ(sub->beginMap(*sub, CL_MAP_WRITE, {64}, {8, 1, 1}).code(), CL_INVALID_OPERATION);
  EXPECT_TRUE(parent->beginMap(*parent, CL_MAP_WRITE, {256}, {8, 1, 1}).ok()) << "next to it";
  EXPECT_EQ(parent->mapCount(), 2u);
  EXPECT_EQ(sub->mapCount(), 1u);
  EXPECT_FALSE(parent->endMap(*parent, reading).empty());
  EXPECT_TRUE(parent->endMap(*parent, reading).empty()) << "once a map";
  EXPECT_TRUE(parent->endMap(*parent, static_cast<char *>(reading) + 1).empty());
}

TEST_F(BufferTest, DestructorCallbacksLastFirst) {
  static std::vector<int> order;
  order.clear();
  {
    Ref<Buffer> b = buffer();
    b->addDestructorCallback([](cl_mem, void *) { order.push_back(1); }, nullptr);
    b->addDestructorCallback([](cl_mem, void *) { order.push_back(2); }, nullptr);
  }
  EXPECT_EQ(order, (std::vector<int>{2, 1}));
}

// A map whose enqueue fails is ended.
TEST_F(BufferTest, FailedMapIsNoMap) {
  Ref<Queue> q = queue();
  Ref<Buffer> b = buffer();
  Ref<Event> gate = userEvent();
  ASSERT_TRUE(gate->setUserStatus(-1).ok());
  ASSERT_TRUE(q->enqueueMap({b, CL_MAP_WRITE, {0}, {64, 1, 1}}, {gate}, nullptr, false).ok());
  q->finish();
  EXPECT_EQ(b->mapCount(), 0u);
}
