// Images in a context whose devices use different memory nodes: errors that depend on the device, and random commands
// on all devices compared with a sequential model.
#include "tests/api/ImageTest.h"
#include <algorithm>
#include <optional>

namespace kiln::test {

struct ImagesOnSeveralDevices : WithImages {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(WithImages::SetUp());
    cl_uint count = 0;
    ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count), CL_SUCCESS);
    ASSERT_GE(count, 3u);
    devices.resize(count);
    ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr), CL_SUCCESS);
    cl_int code = 1;
    all = clCreateContext(nullptr, count, devices.data(), nullptr, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    for (cl_device_id one : devices)
      queues.emplace_back(clCreateCommandQueue(all, one, 0, nullptr));
  }
  size_t limit(cl_device_id of, cl_device_info what) { return query<size_t>(clGetDeviceInfo, of, what); }
  std::vector<cl_device_id> devices;
  Context all;
  std::vector<Queue> queues;
  size_t zero[3] = {}, one[3] = {1, 1, 1};
  Bytes bytes = Bytes(1 << 20);
};

// An image that is too wide for one device, and an image over a sub-buffer that is misaligned for one device.
TEST_F(ImagesOnSeveralDevices, NotForEveryDevice) {
  PROVES("R8 R10 API-5.3.1a LIM-44");
  const size_t large = limit(devices[0], CL_DEVICE_IMAGE2D_MAX_WIDTH),
               small = limit(devices[1], CL_DEVICE_IMAGE2D_MAX_WIDTH);
  ASSERT_GT(large, small);
  create(CL_INVALID_IMAGE_SIZE, 0, Rgba8, description(CL_MEM_OBJECT_IMAGE2D, {large + 1, 1, 1}), nullptr, all);
  Mem wide = image(CL_MEM_OBJECT_IMAGE2D, {small + 1, 1, 1}, Rgba8, 4, all);
  size_t align[2];
  for (int i = 0; i < 2; ++i)
    align[i] = query<cl_uint>(clGetDeviceInfo, devices[size_t(i)], CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  ASSERT_LT(align[0], align[1]);
  Mem whole = buffer(4096, 0, nullptr, all), plain = buffer(4096, 0, nullptr, all);
  cl_buffer_region region{align[0], 1024};
  Mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
  cl_image_desc over = description(CL_MEM_OBJECT_IMAGE2D, {16, 4, 1});
  over.mem_object = part;
  Mem shifted = create(CL_SUCCESS, 0, Rgba8, over, nullptr, all);
  for (auto [made, expected] :
       {std::pair(wide.get(), CL_INVALID_IMAGE_SIZE), {shifted.get(), CL_MISALIGNED_SUB_BUFFER_OFFSET}})
    for (size_t i : {0, 1}) {
      cl_command_queue q = queues[i];
      const cl_int wanted = i ? expected : CL_SUCCESS;
      const size_t next[3] = {1, 0, 0};
      EXPECT_EQ(clEnqueueReadImage(q, made, CL_TRUE, zero, one, 0, 0, bytes.data(), 0, nullptr, nullptr), wanted);
      EXPECT_EQ(clEnqueueWriteImage(q, made, CL_TRUE, zero, one, 0, 0, bytes.data(), 0, nullptr, nullptr), wanted);
      EXPECT_EQ(clEnqueueCopyImage(q, made, made, zero, next, one, 0, nullptr, nullptr), wanted);
      EXPECT_EQ(clEnqueueCopyImageToBuffer(q, made, plain, zero, one, 0, 0, nullptr, nullptr), wanted);
      EXPECT_EQ(clEnqueueCopyBufferToImage(q, plain, made, 0, zero, one, 0, nullptr, nullptr), wanted);
      EXPECT_EQ(clEnqueueFillImage(q, made, bytes.data(), zero, one, 0, nullptr, nullptr), wanted);
      size_t pitch;
      cl_int code = 1;
      void *mapped =
          clEnqueueMapImage(q, made, CL_TRUE, CL_MAP_READ, zero, one, &pitch, nullptr, 0, nullptr, nullptr, &code);
      EXPECT_EQ(code, wanted);
      if (mapped)
        EXPECT_EQ(clEnqueueUnmapMemObject(q, made, mapped, 0, nullptr, nullptr), CL_SUCCESS);
      EXPECT_EQ(clFinish(q), CL_SUCCESS);
    }
}

// A copy checks the limits of source and destination.
TEST_F(ImagesOnSeveralDevices, CopiesCheckBothSides) {
  PROVES("R10");
  const size_t small = limit(devices[1], CL_DEVICE_IMAGE2D_MAX_WIDTH);
  Mem wide = image(CL_MEM_OBJECT_IMAGE2D, {small + 1, 1, 1}, Rgba8, 4, all),
      good = image(CL_MEM_OBJECT_IMAGE2D, {8, 1, 1}, Rgba8, 4, all);
  EXPECT_EQ(clEnqueueCopyImage(queues[1], wide, good, zero, zero, one, 0, nullptr, nullptr), CL_INVALID_IMAGE_SIZE);
  EXPECT_EQ(clEnqueueCopyImage(queues[1], good, wide, zero, zero, one, 0, nullptr, nullptr), CL_INVALID_IMAGE_SIZE);
}

// Two disjoint boxes with interleaved byte ranges are mapped for writing on queues of different devices, after a third
// device has written the image. Both boxes are written, and other pixels do not change.
TEST_F(ImagesOnSeveralDevices, MapsOfDisjointBoxesAtOnce) {
  PROVES("API-5.2.4b API-5.3.6a API-5.5.3a");
  Mem made = image(CL_MEM_OBJECT_IMAGE2D, {32, 16, 1}, Rgba8, 4, all);
  Model model({32, 16, 1}, 4);
  for (unsigned round = 0; round < 8; ++round) {
    model.bytes = randomBytes(model.bytes.size(), round);
    ASSERT_EQ(clEnqueueWriteImage(queues[2], made, CL_TRUE, zero, model.size.data(), 0, 0, model.bytes.data(), 0,
                                  nullptr, nullptr),
              CL_SUCCESS);
    struct Map {
      Triple origin, region;
      size_t queue;
      cl_map_flags flags;
      unsigned char *at;
      size_t row;
    } maps[] = {{{3, 2, 0}, {10, 12, 1}, round % 3, CL_MAP_WRITE, nullptr, 0},
                {{13, 1, 0}, {9, 13, 1}, (round + 1) % 3, CL_MAP_WRITE_INVALIDATE_REGION, nullptr, 0},
                {{22, 0, 0}, {10, 16, 1}, (round + 2) % 3, CL_MAP_READ, nullptr, 0}};
    cl_int code = 1;
    for (Map &map : maps) {
      map.at = static_cast<unsigned char *>(clEnqueueMapImage(queues[map.queue], made, CL_TRUE, map.flags,
                                                              map.origin.data(), map.region.data(), &map.row, nullptr,
                                                              0, nullptr, nullptr, &code));
      ASSERT_EQ(code, CL_SUCCESS);
    }
    for (const Map &map : maps)
      for (size_t y = 0; y < map.region[1]; ++y) {
        unsigned char *known = model.at(map.origin[0], map.origin[1] + y, 0), *row = map.at + y * map.row;
        if (map.flags == CL_MAP_READ)
          ASSERT_EQ(std::memcmp(row, known, map.region[0] * 4), 0);
        else
          for (size_t i = 0; i < map.region[0] * 4; ++i)
            row[i] = known[i] = (unsigned char)(y + i + round);
      }
    std::vector<Event> done(3);
    for (size_t i = 0; i < 3; ++i)
      ASSERT_EQ(clEnqueueUnmapMemObject(queues[(i + round) % 3], made, maps[(i * 2) % 3].at, 0, nullptr, done[i].out()),
                CL_SUCCESS);
    cl_event waits[] = {done[0], done[1], done[2]};
    for (const Queue &q : queues)
      clFlush(q);
    Bytes found(model.bytes.size());
    ASSERT_EQ(clEnqueueReadImage(queues[(round + 1) % 3], made, CL_TRUE, zero, model.size.data(), 0, 0, found.data(), 3,
                                 waits, nullptr),
              CL_SUCCESS);
    ASSERT_EQ(found, model.bytes) << round;
  }
}

// Random commands on images of every type. Each runs on a random device's queue and waits for the previous one.
TEST_F(ImagesOnSeveralDevices, RandomCommands) {
  PROVES("API-4.4f API-5.3.3a API-5.3.3b API-5.3.4a API-5.3.5a API-5.3.6a API-5.5.4a EXEC-3.3.2b");
  struct Known {
    Mem mem;
    Model model;
  };
  std::vector<Known> images;
  Event last;
  auto waits = [&] { return last ? last.address() : nullptr; };
  auto count = [&] { return last ? 1u : 0u; };
  for (cl_mem_object_type type : ImageTypes)
    images.push_back({image(type, {13, 7, 5}, Rgba8, 4, all), Model(reach(type, {13, 7, 5}), 4)});
  Bytes plainModel = randomBytes(4096, 1);
  Mem plain = buffer(4096, CL_MEM_COPY_HOST_PTR, plainModel.data(), all);
  for (Known &known : images)
    ASSERT_EQ(clEnqueueWriteImage(queues[0], known.mem, CL_TRUE, zero, known.model.size.data(), 0, 0,
                                  known.model.bytes.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
  std::mt19937 random(7);
  auto below = [&](size_t end) { return size_t(random() % end); };
  for (int round = 0; round < 3000; ++round) {
    Known &known = images[below(images.size())], &other = images[below(images.size())];
    cl_command_queue q = queues[below(queues.size())];
    const auto command = below(8);
    Triple region, at, from;
    for (size_t d = 0; d < 3; ++d) {
      region[d] = 1 + below(command == 3 ? std::min(known.model.size[d], other.model.size[d]) : known.model.size[d]);
      at[d] = below(known.model.size[d] - region[d] + 1);
      from[d] = region[d] <= other.model.size[d] ? below(other.model.size[d] - region[d] + 1) : 0;
    }
    const size_t size = region[0] * region[1] * region[2] * 4, offset = below(plainModel.size() - size + 1);
    Event next;
    switch (command) {
    case 0: {
      Bytes found(size);
      ASSERT_EQ(clEnqueueReadImage(q, known.mem, CL_TRUE, at.data(), region.data(), 0, 0, found.data(), count(),
                                   waits(), next.out()),
                CL_SUCCESS);
      ASSERT_EQ(found, known.model.get(at, region)) << round;
      break;
    }
    case 1: {
      Bytes given = randomBytes(size, unsigned(round));
      ASSERT_EQ(clEnqueueWriteImage(q, known.mem, CL_TRUE, at.data(), region.data(), 0, 0, given.data(), count(),
                                    waits(), next.out()),
                CL_SUCCESS);
      known.model.put(at, region, given);
      break;
    }
    case 2: {
      const float color[4] = {float(round % 2), 1, 0, float(round / 2 % 2)};
      ASSERT_EQ(clEnqueueFillImage(q, known.mem, color, at.data(), region.data(), count(), waits(), next.out()),
                CL_SUCCESS);
      Bytes given(size);
      for (size_t i = 0; i < size; ++i)
        given[i] = color[i % 4] != 0 ? 255 : 0;
      known.model.put(at, region, given);
      break;
    }
    case 3: {
      const cl_int code = clEnqueueCopyImage(q, other.mem, known.mem, from.data(), at.data(), region.data(), count(),
                                             waits(), next.out());
      if (&other == &known && code == CL_MEM_COPY_OVERLAP)
        continue;
      ASSERT_EQ(code, CL_SUCCESS);
      known.model.put(at, region, other.model.get(from, region));
      break;
    }
    case 4: {
      ASSERT_EQ(clEnqueueCopyImageToBuffer(q, known.mem, plain, at.data(), region.data(), offset, count(), waits(),
                                           next.out()),
                CL_SUCCESS);
      Bytes box = known.model.get(at, region);
      std::copy(box.begin(), box.end(), plainModel.begin() + ptrdiff_t(offset));
      break;
    }
    case 5:
      ASSERT_EQ(clEnqueueCopyBufferToImage(q, plain, known.mem, offset, at.data(), region.data(), count(), waits(),
                                           next.out()),
                CL_SUCCESS);
      known.model.put(at, region,
                      Bytes(plainModel.begin() + ptrdiff_t(offset), plainModel.begin() + ptrdiff_t(offset + size)));
      break;
    case 6: {
      cl_int code = 1;
      size_t row, slice;
      const cl_map_flags flags = round % 3 == 0   ? CL_MAP_READ
                                 : round % 3 == 1 ? CL_MAP_READ | CL_MAP_WRITE
                                                  : CL_MAP_WRITE_INVALIDATE_REGION;
      auto *mapped = static_cast<unsigned char *>(clEnqueueMapImage(
          q, known.mem, CL_TRUE, flags, at.data(), region.data(), &row, &slice, count(), waits(), nullptr, &code));
      ASSERT_EQ(code, CL_SUCCESS);
      const auto type = query<cl_mem_object_type>(clGetMemObjectInfo, known.mem.get(), CL_MEM_TYPE);
      if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        row = slice;
      for (size_t z = 0; z < region[2]; ++z)
        for (size_t y = 0; y < region[1]; ++y) {
          unsigned char *line = mapped + z * slice + y * row, *model = known.model.at(at[0], at[1] + y, at[2] + z);
          if (flags & CL_MAP_READ)
            ASSERT_EQ(std::memcmp(line, model, region[0] * 4), 0) << round;
          if (flags != CL_MAP_READ)
            for (size_t i = 0; i < region[0] * 4; ++i)
              line[i] = model[i] = (unsigned char)(random());
        }
      ASSERT_EQ(clEnqueueUnmapMemObject(queues[below(queues.size())], known.mem, mapped, 0, nullptr, next.out()),
                CL_SUCCESS);
      break;
    }
    case 7: {
      cl_mem object = known.mem;
      ASSERT_EQ(clEnqueueMigrateMemObjects(q, 1, &object, round % 2 ? CL_MIGRATE_MEM_OBJECT_HOST : 0, count(), waits(),
                                           next.out()),
                CL_SUCCESS);
      break;
    }
    }
    clFlush(q);
    last = std::move(next);
  }
  for (Known &known : images) {
    Bytes found(known.model.bytes.size());
    ASSERT_EQ(clEnqueueReadImage(queues[1], known.mem, CL_TRUE, zero, known.model.size.data(), 0, 0, found.data(),
                                 count(), waits(), nullptr),
              CL_SUCCESS);
    EXPECT_EQ(found, known.model.bytes);
  }
}
} // namespace kiln::test
