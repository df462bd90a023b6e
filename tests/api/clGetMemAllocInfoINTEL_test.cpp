#include "tests/api/UsmTest.h"

namespace kiln::test {
struct UsmInfo : UsmTest {
  template <typename T> T info(const void *pointer, cl_mem_info_intel name) {
    return query<T>(GetMemAllocInfo, context.get(), pointer, name);
  }
  void expectInfo(const void *pointer, cl_unified_shared_memory_type_intel type, const void *base, size_t size,
                  cl_device_id of, cl_mem_alloc_flags_intel flags = 0) {
    EXPECT_EQ(info<cl_unified_shared_memory_type_intel>(pointer, CL_MEM_ALLOC_TYPE_INTEL), type);
    EXPECT_EQ(info<void *>(pointer, CL_MEM_ALLOC_BASE_PTR_INTEL), base);
    EXPECT_EQ(info<size_t>(pointer, CL_MEM_ALLOC_SIZE_INTEL), size);
    EXPECT_EQ(info<cl_device_id>(pointer, CL_MEM_ALLOC_DEVICE_INTEL), of);
    EXPECT_EQ(info<cl_mem_alloc_flags_intel>(pointer, CL_MEM_ALLOC_FLAGS_INTEL), flags);
  }
};

TEST_F(UsmInfo, InfoRules) {
  PROVES("R3 X-E29");
  auto memory = usm(16);
  expectInfoRules([&](auto pointer, auto... rest) { return GetMemAllocInfo(context, pointer, rest...); },
                  static_cast<const void *>(memory.get()), CL_MEM_ALLOC_SIZE_INTEL);
  EXPECT_EQ(GetMemAllocInfo(nullptr, memory.get(), CL_MEM_ALLOC_SIZE_INTEL, 0, nullptr, nullptr), CL_INVALID_CONTEXT);
}

TEST_F(UsmInfo, OfEachKind) {
  PROVES("X-E29");
  const cl_mem_properties_intel flags[] = {CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_WRITE_COMBINED_INTEL, 0};
  for (auto kind : Kinds)
    for (const cl_mem_properties_intel *list : {static_cast<const cl_mem_properties_intel *>(nullptr), flags}) {
      auto *memory = static_cast<char *>(allocate(kind, 100, 0, list));
      ASSERT_NE(memory, nullptr);
      for (size_t offset : {0, 1, 99})
        expectInfo(memory + offset, kind, memory, 100, kind == CL_MEM_TYPE_HOST_INTEL ? nullptr : device,
                   list ? CL_MEM_ALLOC_WRITE_COMBINED_INTEL : 0);
      expectInfo(memory + 100, CL_MEM_TYPE_UNKNOWN_INTEL, nullptr, 0, nullptr);
      EXPECT_EQ(MemFree(context, memory), CL_SUCCESS);
      expectInfo(memory, CL_MEM_TYPE_UNKNOWN_INTEL, nullptr, 0, nullptr);
    }
  void *ofNone = SharedMemAlloc(context, nullptr, nullptr, 100, 0, nullptr);
  expectInfo(ofNone, CL_MEM_TYPE_SHARED_INTEL, ofNone, 100, nullptr);
  EXPECT_EQ(MemFree(context, ofNone), CL_SUCCESS);
}

TEST_F(UsmInfo, OfOtherMemory) {
  PROVES("X-E29");
  int local = 0;
  auto other = svm(16);
  for (const void *pointer : std::initializer_list<const void *>{nullptr, &local, other.get()})
    expectInfo(pointer, CL_MEM_TYPE_UNKNOWN_INTEL, nullptr, 0, nullptr);
}
} // namespace kiln::test
