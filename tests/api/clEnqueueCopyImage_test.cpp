// clEnqueueCopyImage, clEnqueueCopyImageToBuffer and clEnqueueCopyBufferToImage.
#include "tests/api/ImageTest.h"

#include <algorithm>

namespace kiln::test {

struct EnqueueCopyImage : WithImages {
  cl_int copy(cl_mem from, cl_mem to, Triple origin, Triple target, Triple region) {
    return clEnqueueCopyImage(queue, from, to, origin.data(), target.data(), region.data(), 0, nullptr, nullptr);
  }
  cl_int toBuffer(cl_mem from, cl_mem to, Triple origin, Triple region, size_t offset) {
    return clEnqueueCopyImageToBuffer(queue, from, to, origin.data(), region.data(), offset, 0, nullptr, nullptr);
  }
  cl_int fromBuffer(cl_mem from, cl_mem to, size_t offset, Triple origin, Triple region) {
    return clEnqueueCopyBufferToImage(queue, from, to, offset, origin.data(), region.data(), 0, nullptr, nullptr);
  }
  const Triple zero{};
};

TEST_F(EnqueueCopyImage, EnqueueRules) {
  PROVES("R5 R6 API-5.3.3b API-5.3.5a API-5.11e");
  Mem one = image(CL_MEM_OBJECT_IMAGE2D, {4, 4, 1}), two = image(CL_MEM_OBJECT_IMAGE2D, {4, 4, 1}), bytes = buffer(64);
  Mem foreign = image(CL_MEM_OBJECT_IMAGE2D, {4, 4, 1}, Rgba8, 4, otherContext),
      foreignBytes = buffer(64, 0, nullptr, otherContext);
  const Triple all{4, 4, 1};
  auto between = [&](cl_command_queue q, cl_mem from, cl_mem to, cl_uint n, const cl_event *w, cl_event *e) {
    return clEnqueueCopyImage(q, from, to, zero.data(), zero.data(), all.data(), n, w, e);
  };
  auto out = [&](cl_command_queue q, cl_mem from, cl_mem to, cl_uint n, const cl_event *w, cl_event *e) {
    return clEnqueueCopyImageToBuffer(q, from, to, zero.data(), all.data(), 0, n, w, e);
  };
  auto in = [&](cl_command_queue q, cl_mem from, cl_mem to, cl_uint n, const cl_event *w, cl_event *e) {
    return clEnqueueCopyBufferToImage(q, from, to, 0, zero.data(), all.data(), n, w, e);
  };
  auto expect = [&](auto call, cl_mem from, cl_mem to, cl_mem foreignFrom, cl_mem foreignTo, cl_command_type type) {
    expectEnqueueRules([&](cl_command_queue q, cl_mem m, cl_uint n, const cl_event *w,
                           cl_event *e) { return call(q, m, to, n, w, e); },
                       from);
    expectEnqueueRules([&](cl_command_queue q, cl_mem m, cl_uint n, const cl_event *w,
                           cl_event *e) { return call(q, from, m, n, w, e); },
                       to);
    expectEnqueueRules(
        [&](cl_command_queue q, cl_uint n, const cl_event *w, cl_event *e) { return call(q, from, to, n, w, e); },
        type);
    EXPECT_EQ(call(queue, foreignFrom, to, 0, nullptr, nullptr), CL_INVALID_CONTEXT);
    EXPECT_EQ(call(queue, from, foreignTo, 0, nullptr, nullptr), CL_INVALID_CONTEXT);
  };
  expect(between, one, two, foreign, foreign, CL_COMMAND_COPY_IMAGE);
  expect(out, one, bytes, foreign, foreignBytes, CL_COMMAND_COPY_IMAGE_TO_BUFFER);
  expect(in, bytes, one, foreignBytes, foreign, CL_COMMAND_COPY_BUFFER_TO_IMAGE);
  EXPECT_EQ(between(queue, one, bytes, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(between(queue, bytes, one, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(out(queue, one, two, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(out(queue, bytes, bytes, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(in(queue, one, two, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(in(queue, bytes, bytes, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
}

TEST_F(EnqueueCopyImage, OriginAndRegion) {
  PROVES("R11 API-5.3.3b API-5.3.5a");
  Mem bytes = buffer(7 * 5 * 3 * 4);
  expectBoxRules([&](cl_mem m, auto origin, auto region) {
    return clEnqueueCopyImageToBuffer(queue, m, bytes, origin, region, 0, 0, nullptr, nullptr);
  });
  expectBoxRules([&](cl_mem m, auto origin, auto region) {
    return clEnqueueCopyBufferToImage(queue, bytes, m, 0, origin, region, 0, nullptr, nullptr);
  });
  // The other image has the same size, so only the box under test can be out of bounds.
  auto other = [&](cl_mem m) {
    const auto type = query<cl_mem_object_type>(clGetMemObjectInfo, m, CL_MEM_TYPE);
    return image(type, {7, 5, 3});
  };
  expectBoxRules([&](cl_mem m, auto origin, auto region) {
    return clEnqueueCopyImage(queue, m, other(m), origin, zero.data(), region, 0, nullptr, nullptr);
  });
  expectBoxRules([&](cl_mem m, auto origin, auto region) {
    return clEnqueueCopyImage(queue, other(m), m, zero.data(), origin, region, 0, nullptr, nullptr);
  });
}

TEST_F(EnqueueCopyImage, Formats) {
  PROVES("API-5.3.3b");
  Mem one = image(CL_MEM_OBJECT_IMAGE2D, {4, 4, 1});
  for (cl_image_format format : {cl_image_format{CL_BGRA, CL_UNORM_INT8}, {CL_RGBA, CL_SNORM_INT8}, {CL_R, CL_FLOAT}}) {
    Mem two = image(CL_MEM_OBJECT_IMAGE2D, {4, 4, 1}, format);
    EXPECT_EQ(copy(one, two, zero, zero, {4, 4, 1}), CL_IMAGE_FORMAT_MISMATCH);
    EXPECT_EQ(copy(two, one, zero, zero, {4, 4, 1}), CL_IMAGE_FORMAT_MISMATCH);
  }
}

TEST_F(EnqueueCopyImage, BufferSide) {
  PROVES("API-5.3.5a");
  Mem made = image(CL_MEM_OBJECT_IMAGE2D, {4, 4, 1}), bytes = buffer(70);
  auto expect = [&](cl_int code, size_t offset, Triple region) {
    EXPECT_EQ(toBuffer(made, bytes, zero, region, offset), code) << offset;
    EXPECT_EQ(fromBuffer(bytes, made, offset, zero, region), code) << offset;
  };
  expect(CL_SUCCESS, 6, {4, 4, 1});
  expect(CL_SUCCESS, 66, {1, 1, 1});
  expect(CL_INVALID_VALUE, 7, {4, 4, 1});
  expect(CL_INVALID_VALUE, 67, {1, 1, 1});
  expect(CL_INVALID_VALUE, 70, {1, 1, 1});
  expect(CL_INVALID_VALUE, SIZE_MAX, {1, 1, 1});
  expect(CL_INVALID_VALUE, SIZE_MAX - 63, {4, 4, 1});
}

TEST_F(EnqueueCopyImage, BufferOfTheImage) {
  PROVES("API-5.3.5a");
  Mem bytes = buffer(256);
  cl_image_desc over = description(CL_MEM_OBJECT_IMAGE1D_BUFFER, {16, 1, 1}),
                flat = description(CL_MEM_OBJECT_IMAGE2D, {8, 2, 1});
  over.mem_object = flat.mem_object = bytes;
  Mem line = create(CL_SUCCESS, 0, Rgba8, over), rows = create(CL_SUCCESS, 0, Rgba8, flat);
  EXPECT_EQ(toBuffer(line, bytes, zero, {1, 1, 1}, 128), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(fromBuffer(bytes, line, 128, zero, {1, 1, 1}), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(toBuffer(rows, bytes, zero, {8, 2, 1}, 64), CL_SUCCESS);
  EXPECT_EQ(toBuffer(rows, bytes, zero, {8, 2, 1}, 63), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(toBuffer(rows, bytes, zero, {4, 2, 1}, 32), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(toBuffer(rows, bytes, zero, {4, 1, 1}, 16), CL_SUCCESS) << "the bytes after the copied pixels";
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
}

TEST_F(EnqueueCopyImage, OverlapInOneImage) {
  PROVES("API-5.3.3b");
  Mem flat = image(CL_MEM_OBJECT_IMAGE2D, {16, 16, 1}), deep = image(CL_MEM_OBJECT_IMAGE3D, {8, 8, 8}),
      layers = image(CL_MEM_OBJECT_IMAGE1D_ARRAY, {16, 1, 16});
  auto expect = [&](cl_mem m, cl_int code, Triple from, Triple to, Triple region) {
    EXPECT_EQ(copy(m, m, from, to, region), code);
    EXPECT_EQ(copy(m, m, to, from, region), code);
  };
  for (cl_mem m : {flat.get(), layers.get()}) {
    expect(m, CL_MEM_COPY_OVERLAP, {0, 0, 0}, {0, 0, 0}, {1, 1, 1});
    expect(m, CL_MEM_COPY_OVERLAP, {0, 0, 0}, {3, 3, 0}, {4, 4, 1});
    expect(m, CL_MEM_COPY_OVERLAP, {4, 0, 0}, {1, 3, 0}, {4, 4, 1});
    expect(m, CL_SUCCESS, {0, 0, 0}, {4, 0, 0}, {4, 4, 1});
    expect(m, CL_SUCCESS, {0, 0, 0}, {4, 3, 0}, {4, 13, 1});
    expect(m, CL_SUCCESS, {0, 0, 0}, {0, 8, 0}, {16, 8, 1});
    expect(m, CL_MEM_COPY_OVERLAP, {0, 0, 0}, {0, 7, 0}, {16, 8, 1});
    expect(m, CL_SUCCESS, {12, 0, 0}, {0, 1, 0}, {4, 15, 1});
  }
  expect(deep, CL_MEM_COPY_OVERLAP, {0, 0, 0}, {3, 3, 3}, {4, 4, 4});
  expect(deep, CL_SUCCESS, {0, 0, 0}, {4, 3, 3}, {4, 4, 4});
  expect(deep, CL_SUCCESS, {0, 0, 0}, {3, 4, 3}, {4, 4, 4});
  expect(deep, CL_SUCCESS, {0, 0, 0}, {3, 3, 4}, {4, 4, 4});
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
}

// Copies between every pair of image types change exactly the pixels of the box.
TEST_F(EnqueueCopyImage, BetweenAllTypes) {
  PROVES("API-5.3.3b R12");
  unsigned seed = 1;
  for (cl_mem_object_type from : ImageTypes)
    for (cl_mem_object_type to : ImageTypes) {
      auto [source, sourceModel] = randomImage(from, {9, 7, 5}, ++seed);
      auto [target, targetModel] = randomImage(to, {8, 9, 6}, ++seed);
      std::mt19937 random(seed);
      for (int round = 0; round < 6; ++round) {
        Triple region, at, toAt;
        for (size_t d = 0; d < 3; ++d) {
          region[d] = 1 + random() % std::min(sourceModel.size[d], targetModel.size[d]);
          at[d] = random() % (sourceModel.size[d] - region[d] + 1);
          toAt[d] = random() % (targetModel.size[d] - region[d] + 1);
        }
        ASSERT_EQ(copy(source, target, at, toAt, region), CL_SUCCESS);
        targetModel.put(toAt, region, sourceModel.get(at, region));
        ASSERT_EQ(readImage(target, zero, targetModel.size), targetModel.bytes) << from << " to " << to;
      }
      ASSERT_EQ(readImage(source, zero, sourceModel.size), sourceModel.bytes);
    }
}

TEST_F(EnqueueCopyImage, ToAndFromBuffers) {
  PROVES("API-5.3.5a");
  for (cl_mem_object_type type : ImageTypes) {
    auto [made, model] = randomImage(type, {9, 7, 5}, type);
    Bytes bytes = randomBytes(2000, type + 1);
    Mem plain = buffer(bytes.size(), CL_MEM_COPY_HOST_PTR, bytes.data());
    std::mt19937 random(type);
    for (int round = 0; round < 20; ++round) {
      Triple region, at;
      for (size_t d = 0; d < 3; ++d) {
        region[d] = 1 + random() % model.size[d];
        at[d] = random() % (model.size[d] - region[d] + 1);
      }
      const size_t size = region[0] * region[1] * region[2] * 4, offset = random() % (bytes.size() - size + 1);
      if (round % 2) {
        ASSERT_EQ(toBuffer(made, plain, at, region, offset), CL_SUCCESS);
        Bytes box = model.get(at, region);
        std::copy(box.begin(), box.end(), bytes.begin() + ptrdiff_t(offset));
      } else {
        ASSERT_EQ(fromBuffer(plain, made, offset, at, region), CL_SUCCESS);
        model.put(at, region, Bytes(bytes.begin() + ptrdiff_t(offset), bytes.begin() + ptrdiff_t(offset + size)));
      }
      ASSERT_EQ(read<unsigned char>(plain, bytes.size()), bytes) << type;
      ASSERT_EQ(readImage(made, zero, model.size), model.bytes) << type;
    }
  }
}
} // namespace kiln::test
