// Pipes: order, capacity, reservations of work-items and groups, contention, and invalid use. tests/dialects/library
// runs the same code on host threads under sanitizers.
#include "tests/api/PipeTest.h"
#include <algorithm>

namespace kiln::test {

struct Pipes : WithPipes {
  /// Runs the kernel `name` with these arguments, with `items` work-items in groups of `local` (0: the runtime
  /// chooses).
  template <typename... Args>
  void run(cl_program program, const char *name, size_t items, size_t local, const Args &...args) {
    Kernel k = kernel(program, name);
    ASSERT_NE(k.get(), nullptr);
    cl_uint index = 0;
    const bool isSet = ((set(k, index++, args) == CL_SUCCESS) && ...);
    EXPECT_TRUE(isSet) << name;
    ASSERT_EQ(launch(k, items, local ? &local : nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  }
  template <typename T> std::vector<T> sorted(std::vector<T> list) {
    std::sort(list.begin(), list.end());
    return list;
  }
  Mem filled(size_t count, int value) {
    std::vector<int> content(count, value);
    return buffer(count * 4, CL_MEM_COPY_HOST_PTR, content.data());
  }
};

// Packets are read in the order in which they were written, also when the ring wraps around.
TEST_F(Pipes, KeepTheOrder) {
  PROVES("LANG-1.13.16a");
  Program program = builtWithPipes(R"(
    kernel void put(write_only pipe int p, int first, int count) {
      for (int x = first; x < first + count; ++x) write_pipe(p, &x);
    }
    kernel void take(read_only pipe int p, global int *o, int count) {
      for (int i = 0; i < count; ++i) if (read_pipe(p, o + i)) o[i] = -1;
    })");
  Mem made = pipe(4, 5), out = buffer(16);
  for (int round = 0; round < 9; ++round) {
    run(program, "put", 1, 0, made, round * 4, 4);
    run(program, "take", 1, 0, made, out, 4);
    EXPECT_EQ(read<int>(out, 4), numbers(4, round * 4));
  }
}

// A pipe holds exactly pipe_max_packets packets, also if more work-items write or read concurrently.
TEST_F(Pipes, FullAndEmpty) {
  PROVES("LANG-1.13.16b");
  Program program = builtWithPipes(R"(
    kernel void put(write_only pipe int p, global int *result) {
      int x = get_global_id(0);
      result[x] = write_pipe(p, &x);
    }
    kernel void take(read_only pipe int p, global int *value, global int *result) {
      int i = get_global_id(0);
      result[i] = read_pipe(p, &value[i]);
    })");
  const size_t Items = 3000;
  for (cl_uint capacity : {1u, 2u, 7u, 1000u, 1024u, 2999u}) {
    Mem made = pipe(4, capacity), wrote = buffer(Items * 4), values = filled(Items, -1), took = buffer(Items * 4);
    run(program, "put", Items, 0, made, wrote);
    run(program, "take", Items, 0, made, values, took);
    std::vector<int> written, taken, results = read<int>(wrote, Items), gets = read<int>(took, Items);
    std::vector<int> got = read<int>(values, Items);
    for (size_t i = 0; i < Items; ++i) {
      EXPECT_LE(results[i], 0);
      EXPECT_LE(gets[i], 0);
      if (!results[i])
        written.push_back(int(i));
      if (!gets[i])
        taken.push_back(got[i]);
      else
        EXPECT_EQ(got[i], -1) << "a failed read stores nothing";
    }
    EXPECT_EQ(written.size(), capacity);
    EXPECT_EQ(sorted(taken), written);
  }
}

TEST_F(Pipes, CountsPackets) {
  PROVES("LANG-1.13.16a");
  Program program = builtWithPipes(R"(
    kernel void put(write_only pipe int p, global uint *o) {
      int x = 1;
      o[0] = get_pipe_max_packets(p);
      for (int i = 1; i <= 3; ++i) { write_pipe(p, &x); o[i] = get_pipe_num_packets(p); }
    }
    kernel void take(read_only pipe int p, global uint *o) {
      int x;
      o[0] = get_pipe_num_packets(p);
      read_pipe(p, &x);
      o[1] = get_pipe_num_packets(p);
      reserve_id_t r = reserve_read_pipe(p, 2);
      o[2] = get_pipe_num_packets(p);
      commit_read_pipe(p, r);
      o[3] = get_pipe_max_packets(p);
    })");
  Mem made = pipe(4, 10), out = buffer(16);
  run(program, "put", 1, 0, made, out);
  EXPECT_EQ(read<cl_uint>(out, 4), (std::vector<cl_uint>{10, 1, 2, 3}));
  run(program, "take", 1, 0, made, out);
  EXPECT_EQ(read<cl_uint>(out, 4), (std::vector<cl_uint>{3, 2, 0, 10}));
}

// A reservation's packets become readable together, when it and all earlier reservations are committed.
TEST_F(Pipes, ReservationsAppearInTheirOrder) {
  PROVES("LANG-1.13.16a LANG-1.13.16b");
  Program program = builtWithPipes(R"(
    kernel void put(write_only pipe int p, global int *o) {
      reserve_id_t a = reserve_write_pipe(p, 2), b = reserve_write_pipe(p, 3);
      int single = 6;
      o[0] = is_valid_reserve_id(a) && is_valid_reserve_id(b);
      o[1] = write_pipe(p, &single);
      for (int i = 2; i >= 0; --i) { int x = 3 + i; write_pipe(p, b, i, &x); }
      commit_write_pipe(p, b);
      o[2] = get_pipe_num_packets(p);
      for (int i = 0; i < 2; ++i) { int x = 1 + i; write_pipe(p, a, i, &x); }
      o[3] = get_pipe_num_packets(p);
      commit_write_pipe(p, a);
      o[4] = get_pipe_num_packets(p);
    }
    kernel void take(read_only pipe int p, global int *o) {
      reserve_id_t a = reserve_read_pipe(p, 4), b = reserve_read_pipe(p, 2), c = reserve_read_pipe(p, 1);
      o[6] = is_valid_reserve_id(a) + 2 * is_valid_reserve_id(b) + 4 * is_valid_reserve_id(c);
      for (int i = 0; i < 2; ++i) read_pipe(p, b, i, o + 4 + i);
      commit_read_pipe(p, b);
      for (int i = 3; i >= 0; --i) read_pipe(p, a, i, o + i);
      read_pipe(p, a, 3, o + 3);
      commit_read_pipe(p, a);
    }
    kernel void refill(write_only pipe int p, global int *o) {
      int x = 0;
      *o = 0;
      while (write_pipe(p, &x) == 0) ++*o;
    })");
  Mem made = pipe(4, 6), out = buffer(28);
  run(program, "put", 1, 0, made, out);
  EXPECT_EQ(read<int>(out, 5), (std::vector<int>{1, 0, 0, 0, 6}));
  run(program, "take", 1, 0, made, out);
  EXPECT_EQ(read<int>(out, 7), (std::vector<int>{1, 2, 3, 4, 5, 6, 3}));
  run(program, "refill", 1, 0, made, out);
  EXPECT_EQ(read<int>(out, 1)[0], 6) << "all packets were read, so the pipe is empty";
}

TEST_F(Pipes, ReservationsAreAllOrNothing) {
  PROVES("LANG-1.13.16b");
  Program program = builtWithPipes(R"(
    kernel void put(write_only pipe int p, global int *o) {
      int x = 1;
      o[0] = is_valid_reserve_id(reserve_write_pipe(p, 5));
      o[1] = is_valid_reserve_id(reserve_write_pipe(p, 0));
      o[2] = is_valid_reserve_id(reserve_write_pipe(p, 0xffffffff));
      o[3] = is_valid_reserve_id(CLK_NULL_RESERVE_ID);
      reserve_id_t r = reserve_write_pipe(p, 3);
      o[4] = is_valid_reserve_id(r);
      o[5] = is_valid_reserve_id(reserve_write_pipe(p, 2));
      for (int i = 0; i < 3; ++i) write_pipe(p, r, i, &x);
      commit_write_pipe(p, r);
    }
    kernel void take(read_only pipe int p, global int *o) {
      o[0] = is_valid_reserve_id(reserve_read_pipe(p, 4));
      reserve_id_t r = reserve_read_pipe(p, 3);
      o[1] = is_valid_reserve_id(r);
      commit_read_pipe(p, r);
      o[2] = is_valid_reserve_id(reserve_read_pipe(p, 1));
    })");
  Mem made = pipe(4, 4), out = buffer(24);
  run(program, "put", 1, 0, made, out);
  EXPECT_EQ(read<int>(out, 6), (std::vector<int>{0, 0, 0, 0, 1, 0}));
  run(program, "take", 1, 0, made, out);
  EXPECT_EQ(read<int>(out, 3), (std::vector<int>{0, 1, 0}));
}

// CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS reservations can be open at the same time.
TEST_F(Pipes, ManyOpenReservations) {
  PROVES("LIM-17");
  cl_uint most = query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS);
  Program program = builtWithPipes("#define N " + std::to_string(most) + R"(
    kernel void put(write_only pipe int p, global int *o) {
      reserve_id_t open[N];
      int valid = 0;
      for (int i = 0; i < N; ++i) {
        open[i] = reserve_write_pipe(p, 1);
        valid += is_valid_reserve_id(open[i]);
        write_pipe(p, open[i], 0, &i);
      }
      for (int i = N - 1; i >= 0; --i) commit_write_pipe(p, open[i]);
      o[0] = valid;
      o[1] = get_pipe_num_packets(p);
    })");
  Mem made = pipe(4, most), out = buffer(8);
  run(program, "put", 1, 0, made, out);
  EXPECT_EQ(read<int>(out, 2), std::vector<int>(2, int(most)));
}

// A group's reservation is one block of packets, one for each work-item. Groups are in any order; blocks are
// contiguous.
TEST_F(Pipes, GroupsReserveTogether) {
  PROVES("LANG-1.13.16a LANG-SG1");
  const std::string kernels = R"(
    kernel void put(write_only pipe int p) {
      reserve_id_t r = GROUP_reserve_write_pipe(p, SIZE);
      if (is_valid_reserve_id(r)) {
        int x = get_group_id(0) * 1000 + BASE + LANE;
        write_pipe(p, r, LANE, &x);
        GROUP_commit_write_pipe(p, r);
      }
    }
    kernel void take(read_only pipe int p, global int *o) {
      reserve_id_t r = GROUP_reserve_read_pipe(p, SIZE);
      if (is_valid_reserve_id(r)) {
        read_pipe(p, r, LANE, &o[get_global_id(0)]);
        GROUP_commit_read_pipe(p, r);
      }
    }
    kernel void takeAll(read_only pipe int p, global int *o) {
      for (int i = 0; read_pipe(p, o + i) == 0; ++i) ;
    })";
  auto replaced = [&](std::string text, const std::string &group, const char *size, const char *lane,
                      const char *base) {
    for (size_t at; (at = text.find("GROUP")) != std::string::npos;)
      text.replace(at, 5, group);
    return "#define SIZE " + std::string(size) + "\n#define LANE " + lane + "\n#define BASE " + base + "\n" + text;
  };
  const size_t Local = 48, Items = Local * 20;
  std::vector<int> all;
  for (size_t i = 0; i < Items; ++i)
    all.push_back(int(i / Local * 1000 + i % Local));
  for (bool wholeGroup : {true, false}) {
    SCOPED_TRACE(wholeGroup ? "work-groups" : "sub-groups");
    Program program =
        builtWithPipes(wholeGroup ? replaced(kernels, "work_group", "get_local_size(0)", "get_local_id(0)", "0")
                                  : replaced(kernels, "sub_group", "get_sub_group_size()", "get_sub_group_local_id()",
                                             "get_sub_group_id() * get_max_sub_group_size()"));
    Mem made = pipe(4, Items), out = filled(Items, -1);
    run(program, "put", Items, Local, made);
    run(program, "takeAll", 1, 0, made, out);
    std::vector<int> seen = read<int>(out, Items);
    EXPECT_EQ(sorted(seen), all);
    const size_t block = wholeGroup ? Local : 16; // 48 work-items are three whole sub-groups
    for (size_t i = 0; i < Items; ++i)
      EXPECT_EQ(seen[i], seen[i - i % block] + int(i % block)) << "packet " << i;
    run(program, "put", Items, Local, made);
    Mem other = filled(Items, -1);
    run(program, "take", Items, Local, made, other);
    EXPECT_EQ(sorted(read<int>(other, Items)), all);
    run(program, "takeAll", 1, 0, made, out);
    EXPECT_EQ(read<int>(out, Items), seen) << "the pipe was empty";
  }
}

// Packets of types with different sizes and alignments.
TEST_F(Pipes, AnyTypeOfPacket) {
  PROVES("LANG-1.13.16b LIM-18");
  struct Packet {
    const char *type;
    cl_uint bytes;
  };
  for (Packet packet : {Packet{"char", 1},
                        {"short", 2},
                        {"char3", 4},
                        {"half", 2},
                        {"float", 4},
                        {"int3", 16},
                        {"long", 8},
                        {"double4", 32},
                        {"ulong16", 128},
                        {"struct { char a; int b; }", 8},
                        {"struct { char a[5]; }", 5},
                        {"union { float f[3]; uint u; }", 12},
                        {"struct { int4 v[64]; }", 1024}}) {
    SCOPED_TRACE(packet.type);
    Program program =
        builtWithPipes("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\ntypedef " + std::string(packet.type) + R"( T;
      kernel void put(write_only pipe T p, global const T *in) { write_pipe(p, in + get_global_id(0)); }
      kernel void take(read_only pipe T p, global T *o) { read_pipe(p, o + get_global_id(0)); })");
    const size_t Count = 37;
    std::vector<cl_uchar> content(Count * packet.bytes);
    for (size_t i = 0; i < content.size(); ++i)
      content[i] = cl_uchar(i * 7 + i / 255);
    Mem in = buffer(content.size(), CL_MEM_COPY_HOST_PTR, content.data()), out = buffer(content.size());
    Mem made = pipe(packet.bytes, Count);
    run(program, "put", Count, 0, made, in);
    run(program, "take", Count, 0, made, out);
    auto packets = [&](const std::vector<cl_uchar> &bytes) {
      std::vector<std::vector<cl_uchar>> list;
      for (size_t i = 0; i < Count; ++i)
        list.emplace_back(bytes.begin() + ptrdiff_t(i * packet.bytes),
                          bytes.begin() + ptrdiff_t((i + 1) * packet.bytes));
      if (std::string(packet.type).find("char a; int") != std::string::npos)
        for (std::vector<cl_uchar> &one : list) // bytes of padding between members are unspecified
          std::fill(one.begin() + 1, one.begin() + 4, cl_uchar(0));
      return sorted(list);
    };
    EXPECT_EQ(packets(read<cl_uchar>(out, content.size())), packets(content));
  }
}

// A producer and a consumer kernel run concurrently on a pipe that is often full and often empty. Every packet that was
// written successfully is read exactly once.
TEST_F(Pipes, ProducerAndConsumerAtOnce) {
  PROVES("LANG-1.13.16b");
  Program program = builtWithPipes(R"(
    kernel void produce(write_only pipe int p, global int *sent) {
      int base = get_global_id(0) * 64, n = 0;
      for (int attempt = 0; attempt < 4000 && n < 64; ++attempt) {
        int x = base + n;
        if (n % 3 == 0 && n < 62) {
          reserve_id_t r = reserve_write_pipe(p, 2);
          if (!is_valid_reserve_id(r)) continue;
          int y = x + 1;
          write_pipe(p, r, 1, &y);
          write_pipe(p, r, 0, &x);
          commit_write_pipe(p, r);
          n += 2;
        } else if (write_pipe(p, &x) == 0) {
          ++n;
        }
      }
      sent[get_global_id(0)] = n;
    }
    kernel void consume(read_only pipe int p, global int *seen, int tries) {
      int x;
      for (int attempt = 0; attempt < tries; ++attempt) {
        reserve_id_t r = CLK_NULL_RESERVE_ID;
        if (attempt % 5 == 0) r = reserve_read_pipe(p, 3);
        if (is_valid_reserve_id(r)) {
          for (int i = 0; i < 3; ++i)
            if (read_pipe(p, r, i, &x) == 0) atomic_inc(&seen[x]);
          commit_read_pipe(p, r);
        } else if (read_pipe(p, &x) == 0) {
          atomic_inc(&seen[x]);
        }
      }
    })");
  const size_t Items = 512;
  Kernel produce = kernel(program, "produce"), consume = kernel(program, "consume");
  Mem made = pipe(4, 100), sent = buffer(Items * 4), seen = filled(Items * 64, 0);
  set(produce, 0, made), set(produce, 1, sent);
  set(consume, 0, made), set(consume, 1, seen), set(consume, 2, 4000);
  Queue second = makeQueue();
  const size_t local = 16;
  ASSERT_EQ(launch(produce, Items, &local), CL_SUCCESS);
  ASSERT_EQ(clFlush(queue), CL_SUCCESS);
  ASSERT_EQ(clEnqueueNDRangeKernel(second, consume, 1, nullptr, &Items, &local, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clFinish(second), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  set(consume, 2, 1000); // reads the remaining packets
  ASSERT_EQ(launch(consume, 1), CL_SUCCESS);
  std::vector<int> counts = read<int>(seen, Items * 64), expected(Items * 64, 0), numbers = read<int>(sent, Items);
  size_t total = 0;
  for (size_t item = 0; item < Items; ++item) {
    std::fill_n(expected.begin() + ptrdiff_t(item * 64), numbers[item], 1);
    total += size_t(numbers[item]);
  }
  EXPECT_EQ(counts, expected);
  EXPECT_GE(total, 100u);
}

// A pipe's packets and reservations are transferred with it to another device.
TEST_F(Pipes, OnSeveralDevices) {
  PROVES("API-5.4.1a");
  cl_device_id found[8];
  cl_uint count = 0;
  ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 8, found, &count), CL_SUCCESS);
  count = std::min(count, 8u);
  ASSERT_GE(count, 2u);
  cl_int code = 1;
  Context all = clCreateContext(nullptr, count, found, nullptr, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  Program program = source(R"(
    kernel void put(write_only pipe int p, int x) { write_pipe(p, &x); }
    kernel void take(read_only pipe int p, global int *o) {
      *o = 0;
      for (int x; read_pipe(p, &x) == 0;) *o = *o * 10 + x;
    })",
                           all);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr), CL_SUCCESS);
  Kernel put = kernel(program, "put"), take = kernel(program, "take");
  Mem made = pipe(4, 3, all), out = buffer(4, CL_MEM_READ_WRITE, nullptr, all);
  set(put, 0, made), set(take, 0, made), set(take, 1, out);
  std::vector<Queue> queues;
  for (cl_uint i = 0; i < count; ++i)
    queues.push_back(Queue(clCreateCommandQueue(all, found[i], 0, nullptr)));
  const size_t one = 1;
  auto runOn = [&](cl_uint device, cl_kernel k) {
    ASSERT_EQ(clEnqueueNDRangeKernel(queues[device], k, 1, nullptr, &one, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(queues[device]), CL_SUCCESS);
  };
  for (int round = 0; round < 4; ++round) {
    for (cl_int x : {1, 2, 3, 4}) {
      set(put, 1, x);
      runOn(cl_uint(x + round) % count, put);
    }
    cl_mem object = made;
    EXPECT_EQ(clEnqueueMigrateMemObjects(queues[0], 1, &object, 0, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clFinish(queues[0]), CL_SUCCESS);
    runOn(cl_uint(round + 1) % count, take);
    int value = 0;
    EXPECT_EQ(clEnqueueReadBuffer(queues[0], out, CL_TRUE, 0, 4, &value, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(value, 123);
  }
}

// Invalid uses of reservations, which are undefined by the specification. Kiln rejects each one, or treats the pipe as
// full for writers and empty for readers.
TEST_F(Pipes, BrokenReservations) {
  PROVES("LANG-1.13.16b");
  Program program = builtWithPipes(R"(
    kernel void put(write_only pipe int p, write_only pipe int other, global int *o) {
      int x = 7;
      reserve_id_t none, r = reserve_write_pipe(p, 2), foreign = reserve_write_pipe(other, 2);
      o[0] = write_pipe(p, r, 2, &x);
      o[1] = write_pipe(p, r, 0xffffffff, &x);
      o[2] = write_pipe(p, CLK_NULL_RESERVE_ID, 0, &x);
      o[3] = write_pipe(p, foreign, 0, &x);
      commit_write_pipe(p, foreign);
      commit_write_pipe(p, CLK_NULL_RESERVE_ID);
      o[4] = get_pipe_num_packets(p);
      o[5] = write_pipe(p, r, 0, &x) + write_pipe(p, r, 1, &x);
      commit_write_pipe(p, r);
      o[6] = get_pipe_num_packets(p);
      commit_write_pipe(p, r);
      o[7] = get_pipe_num_packets(p);
      o[8] = write_pipe(p, r, 0, &x);
      for (int i = 0; i < 100; ++i) commit_write_pipe(p, r);
      o[9] = get_pipe_num_packets(p);
    }
    kernel void flood(write_only pipe int p, global int *o) {
      int x = 7;
      if (write_pipe(p, &x) == 0) atomic_inc(o);
    }
    kernel void drain(read_only pipe int p, global int *o) {
      int x;
      if (read_pipe(p, &x) == 0) atomic_inc(o);
      if (is_valid_reserve_id(reserve_read_pipe(p, 1))) atomic_inc(o);
    })");
  Mem made = pipe(4, 10), other = pipe(4, 10), out = buffer(40);
  run(program, "put", 1, 0, made, other, out);
  EXPECT_EQ(read<int>(out, 10), (std::vector<int>{-1, -1, -1, -1, 0, 0, 2, 2, -1, 2}));
  // A reservation of two packets of `other` is never committed: eight more packets fit, and none can be read.
  Mem fitted = filled(1, 0), drained = filled(1, 0);
  run(program, "flood", 5000, 0, other, fitted);
  EXPECT_EQ(read<int>(fitted, 1)[0], 8);
  run(program, "drain", 5000, 0, other, drained);
  EXPECT_EQ(read<int>(drained, 1)[0], 0);
}

// A kernel whose packet size differs from the pipe's reads and writes no packet, and accesses no memory outside the
// pipe.
TEST_F(Pipes, PacketsOfAnotherSize) {
  PROVES("LANG-1.13.16b");
  Program program = builtWithPipes(R"(
    kernel void put(write_only pipe long p, global int *o) {
      long x = -1;
      o[0] = write_pipe(p, &x);
      reserve_id_t r = reserve_write_pipe(p, 1);
      o[1] = write_pipe(p, r, 0, &x);
      commit_write_pipe(p, r);
    }
    kernel void take(read_only pipe long p, global int *o) {
      long x;
      o[0] = read_pipe(p, &x);
    })");
  Mem made = pipe(4, 2), out = buffer(8);
  run(program, "put", 1, 0, made, out);
  EXPECT_EQ(read<int>(out, 2), (std::vector<int>{-1, -1}));
  run(program, "take", 1, 0, made, out);
  EXPECT_EQ(read<int>(out, 1)[0], -1);
}

// OpConstantPipeStorage, also as the initializer of a program-scope variable: each is a separate pipe, which keeps its
// packets between launches and is empty in a new program.
TEST_F(Pipes, StorageAtProgramScope) {
  PROVES("IL-6.1f");
  std::vector<char> il = module("spirv_pipes");
  for (int attempt = 0; attempt < 2; ++attempt) {
    cl_int code = 1;
    Program program = clCreateProgramWithIL(context, il.data(), il.size(), &code);
    ASSERT_EQ(code, CL_SUCCESS);
    ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << log(program);
    Mem out = filled(4, -1);
    std::vector<int> expected(4, -1);
    for (int x : {11, 22, 33, 44}) { // the first pipe holds two packets, the second one
      run(program, "put", 1, 0, out, x);
      expected[0] = x <= 22 ? 0 : -1;
      expected[1] = x == 11 ? 0 : -1;
      EXPECT_EQ(read<int>(out, 4), expected) << x;
    }
    run(program, "take", 1, 0, out);
    EXPECT_EQ(read<int>(out, 4), (std::vector<int>{0, 0, 11, 11}));
    run(program, "take", 1, 0, out);
    EXPECT_EQ(read<int>(out, 4), (std::vector<int>{0, -1, 22, 11}));
    run(program, "take", 1, 0, out);
    EXPECT_EQ(read<int>(out, 4), (std::vector<int>{-1, -1, 22, 11}));
  }
}

// A program that is created from its binary can use pipes.
TEST_F(Pipes, FromABinary) {
  PROVES("LANG-1.13.16a");
  Program first = builtWithPipes("kernel void put(write_only pipe int p, global int *o) { int x = 3;"
                                 " *o = write_pipe(p, &x); }");
  std::vector<unsigned char> bytes = binary(first);
  const unsigned char *data = bytes.data();
  size_t size = bytes.size();
  cl_int code = 1;
  Program again = clCreateProgramWithBinary(context, 1, &device, &size, &data, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(again, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  Mem made = pipe(4, 1), out = buffer(4);
  run(again, "put", 1, 0, made, out);
  EXPECT_EQ(read<int>(out, 1)[0], 0);
  run(again, "put", 1, 0, made, out);
  EXPECT_LT(read<int>(out, 1)[0], 0);
}

} // namespace kiln::test
