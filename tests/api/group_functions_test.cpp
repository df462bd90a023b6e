// Work-group and sub-group functions. The results of every operator, type and scope are compared with the same
// computation on the host, in groups of several shapes, including smaller groups at the end of a dimension.
#include "tests/api/ProgramTest.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

namespace kiln::test {
namespace {

struct Shape {
  std::vector<size_t> global, local;
  size_t items() const {
    size_t product = 1;
    for (size_t size : global)
      product *= size;
    return product;
  }
};
const Shape Shapes[] = {{{1}, {1}},        {{64}, {64}},           {{100}, {40}},  {{96}, {48}},       {{7, 5}, {7, 5}},
                        {{20, 6}, {9, 4}}, {{5, 4, 6}, {3, 4, 4}}, {{300}, {256}}, {{33, 3}, {16, 2}}, {{10}, {5}},
                        {{24}, {8}}};

/// The position of a work-item, as the kernels' `Where` writes it.
struct Place {
  cl_uint group, item, subGroup, lane;
  cl_uint size, maxSize, count, enqueuedCount;
};

constexpr char Header[] = R"(
#define INDEX get_global_linear_id()
#define GROUP ((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0))
kernel void where(global uint8 *out) {
  out[INDEX] = (uint8)(GROUP, get_local_linear_id(), get_sub_group_id(), get_sub_group_local_id(),
                       get_sub_group_size(), get_max_sub_group_size(), get_num_sub_groups(),
                       get_enqueued_num_sub_groups());
}
)";

enum class Reach { Reduce, Inclusive, Exclusive };
const std::pair<Reach, const char *> Reaches[] = {
    {Reach::Reduce, "reduce_"}, {Reach::Inclusive, "scan_inclusive_"}, {Reach::Exclusive, "scan_exclusive_"}};

template <typename T> struct Operator {
  const char *name;
  T neutral;
  std::function<T(T, T)> apply;
};
template <typename T> constexpr bool IsFloat = std::is_floating_point_v<T>;
template <typename T> std::vector<Operator<T>> basicOperators() {
  using Limits = std::numeric_limits<T>;
  T most = IsFloat<T> ? Limits::infinity() : Limits::max(), least = IsFloat<T> ? -Limits::infinity() : Limits::lowest();
  return {{"add", T(0), [](T a, T b) { return T(a + b); }},
          {"min", most, [](T a, T b) { return std::min(a, b); }},
          {"max", least, [](T a, T b) { return std::max(a, b); }}};
}
/// The operators that the extensions add.
template <typename T> std::vector<Operator<T>> moreOperators() {
  std::vector<Operator<T>> list = {{"mul", T(1), [](T a, T b) { return T(a * b); }}};
  if constexpr (!IsFloat<T>) {
    list.push_back({"and", T(-1), [](T a, T b) { return T(a & b); }});
    list.push_back({"or", T(0), [](T a, T b) { return T(a | b); }});
    list.push_back({"xor", T(0), [](T a, T b) { return T(a ^ b); }});
  }
  if constexpr (std::is_same_v<T, cl_int>) {
    list.push_back({"logical_and", 1, [](T a, T b) { return T(a && b); }});
    list.push_back({"logical_or", 0, [](T a, T b) { return T(a || b); }});
    list.push_back({"logical_xor", 0, [](T a, T b) { return T(!a != !b); }});
  }
  return list;
}

template <typename T> const char *Name = nullptr;
template <> const char *Name<cl_char> = "char";
template <> const char *Name<cl_uchar> = "uchar";
template <> const char *Name<cl_short> = "short";
template <> const char *Name<cl_ushort> = "ushort";
template <> const char *Name<cl_int> = "int";
template <> const char *Name<cl_uint> = "uint";
template <> const char *Name<cl_long> = "long";
template <> const char *Name<cl_ulong> = "ulong";
template <> const char *Name<cl_float> = "float";
template <> const char *Name<cl_double> = "double";

/// Random values of both signs and zeros. Sums and products of the floats are exact.
template <typename T> std::vector<T> values(size_t count) {
  std::vector<T> list(count);
  uint64_t state = 88172645463325252u;
  for (T &value : list) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    if constexpr (IsFloat<T>)
      value = T(state % 5 == 0 ? 0.5 : state % 7 == 0 ? 2 : state % 3 ? 1 : -1);
    else
      value = T(state % 4 ? state >> 8 : 0);
  }
  return list;
}

struct GroupFunctions : WithProgram {
  void SetUp() override {
    WithProgram::SetUp();
    if (!IsSkipped() && !query<cl_bool>(clGetDeviceInfo, device, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT))
      GTEST_SKIP() << "the device has no group functions";
  }

  Program program(const std::string &text) { return built((Header + text).c_str(), "-cl-std=CL3.0"); }

  void enqueue(cl_kernel kernel, const Shape &shape) {
    ASSERT_EQ(clEnqueueNDRangeKernel(queue, kernel, cl_uint(shape.global.size()), nullptr, shape.global.data(),
                                     shape.local.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
  }

  std::vector<Place> places(cl_program program, const Shape &shape) {
    Kernel where = kernel(program, "where");
    Mem out = buffer(shape.items() * sizeof(Place));
    set(where, 0, out);
    enqueue(where, shape);
    return read<Place>(out, shape.items());
  }

  template <typename R, typename T>
  std::vector<R> run(cl_program program, const char *name, const Shape &shape, std::vector<T> in,
                     std::vector<cl_uchar> takes = {}, size_t results = 1) {
    Kernel k = kernel(program, name);
    Mem from = buffer(in.size() * sizeof(T), CL_MEM_COPY_HOST_PTR, in.data()),
        to = buffer(in.size() * results * sizeof(R)), by;
    set(k, 0, from);
    set(k, 1, to);
    if (!takes.empty()) {
      by = buffer(takes.size(), CL_MEM_COPY_HOST_PTR, takes.data());
      set(k, 2, by);
    }
    enqueue(k, shape);
    return read<R>(to, in.size() * results);
  }

  /// Indices of work-items, grouped by a key (those that work together), each list in the order of local ids.
  using Teams = std::map<std::vector<cl_uint>, std::vector<size_t>>;
  static Teams teams(const std::vector<Place> &places, std::function<std::vector<cl_uint>(size_t)> with) {
    Teams teams;
    for (size_t i = 0; i < places.size(); ++i)
      teams[with(i)].push_back(i);
    for (auto &[key, members] : teams)
      std::sort(members.begin(), members.end(), [&](size_t a, size_t b) { return places[a].item < places[b].item; });
    return teams;
  }
  static Teams groups(const std::vector<Place> &places) {
    return teams(places, [&](size_t i) { return std::vector<cl_uint>{places[i].group}; });
  }
  static Teams subGroups(const std::vector<Place> &places) {
    return teams(places, [&](size_t i) { return std::vector<cl_uint>{places[i].group, places[i].subGroup}; });
  }
  /// The work-items of each sub-group that take the same branch.
  static Teams parties(const std::vector<Place> &places, const std::vector<cl_uchar> &takes) {
    return teams(places, [&](size_t i) { return std::vector<cl_uint>{places[i].group, places[i].subGroup, takes[i]}; });
  }

  template <typename T>
  static std::vector<T> combined(const Teams &teams, Reach reach, const Operator<T> &op, const std::vector<T> &in) {
    std::vector<T> expected(in.size());
    for (auto &[key, members] : teams) {
      T sum = op.neutral;
      for (size_t i : members) {
        if (reach == Reach::Exclusive)
          expected[i] = sum;
        sum = op.apply(sum, in[i]);
        if (reach == Reach::Inclusive)
          expected[i] = sum;
      }
      if (reach == Reach::Reduce)
        for (size_t i : members)
          expected[i] = sum;
    }
    return expected;
  }

  /// Checks every group operation with every operator in one kernel. The functions' names start with `prefix`. All
  /// work-items call them together; with `inParts`, the two sides of a divergent branch call them separately.
  template <typename T>
  void expectCombines(const std::string &prefix, const std::vector<Operator<T>> &operators, bool inParts = false,
                      const std::string &cast = "") {
    const size_t count = operators.size() * std::size(Reaches);
    std::string calls;
    for (size_t which = 0; which < count; ++which)
      calls += "  out[INDEX * " + std::to_string(count) + " + " + std::to_string(which) + "] = " + prefix +
               Reaches[which % 3].second + operators[which / 3].name + "(" + cast + "in[INDEX]);\n";
    std::string type = Name<T>, pragma = cast == "(half)" ? "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" : "";
    Program built = program(pragma + "kernel void k(global const " + type + " *in, global " + type +
                            " *out, global const uchar *takes) {\n" +
                            (inParts ? "if (takes[INDEX]) {\n" + calls + "} else {\n" + calls + "}\n" : calls) + "}\n");
    for (const Shape &shape : Shapes) {
      std::vector<T> in = values<T>(shape.items());
      std::vector<cl_uchar> takes = inParts ? ways(shape.items()) : std::vector<cl_uchar>(shape.items(), 1);
      std::vector<Place> list = places(built, shape);
      Teams teams = prefix == "work_group_" ? groups(list) : parties(list, takes);
      std::vector<T> out = run<T>(built, "k", shape, in, takes, count);
      for (size_t which = 0; which < count; ++which) {
        std::vector<T> got(in.size());
        for (size_t i = 0; i < got.size(); ++i)
          got[i] = out[i * count + which];
        EXPECT_EQ(got, combined(teams, Reaches[which % 3].first, operators[which / 3], in))
            << prefix << Reaches[which % 3].second << operators[which / 3].name << " of " << type << " in groups of "
            << shape.local[0];
      }
    }
  }

  static std::vector<cl_uchar> ways(size_t count) {
    std::vector<cl_uchar> takes(count);
    for (size_t i = 0; i < count; ++i)
      takes[i] = i * i % 11 % 3 == 1;
    return takes;
  }
};

template <typename T> std::vector<Operator<T>> allOperators() {
  std::vector<Operator<T>> list = basicOperators<T>();
  for (const Operator<T> &op : moreOperators<T>())
    list.push_back(op);
  return list;
}

// Sub-groups are ranges of consecutive linear local ids. All but the last have the same size. The host's queries return
// the same sizes and counts.
TEST_F(GroupFunctions, SubGroupsMatchTheQueries) {
  PROVES("API-5.9.4c EXEC-3.2.1b LANG-SG1 LIM-40");
  Program built = program("");
  Kernel where = kernel(built, "where");
  auto told = [&](cl_kernel_sub_group_info what, const std::vector<size_t> &local) {
    size_t answer = 0;
    EXPECT_EQ(clGetKernelSubGroupInfo(where, device, what, local.size() * sizeof(size_t), local.data(), sizeof answer,
                                      &answer, nullptr),
              CL_SUCCESS);
    return answer;
  };
  size_t most = 0;
  EXPECT_EQ(
      clGetKernelSubGroupInfo(where, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, nullptr, sizeof most, &most, nullptr),
      CL_SUCCESS);
  EXPECT_GE(most, 1u);
  EXPECT_LE(most, query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_MAX_NUM_SUB_GROUPS));
  for (const Shape &shape : Shapes) {
    std::vector<Place> list = places(built, shape);
    size_t size = told(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, shape.local);
    size_t count = told(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, shape.local);
    for (auto &[group, members] : groups(list)) {
      for (size_t place = 0; place < members.size(); ++place) {
        const Place &at = list[members[place]];
        EXPECT_EQ(at.item, place) << "linear local ids count up";
        EXPECT_EQ(at.subGroup, place / size);
        EXPECT_EQ(at.lane, place % size);
        EXPECT_EQ(at.size, std::min(size, members.size() - at.subGroup * size));
        EXPECT_EQ(at.maxSize, size);
        EXPECT_EQ(at.count, (members.size() + size - 1) / size);
        EXPECT_EQ(at.enqueuedCount, count);
      }
    }
  }
  for (size_t wanted : {size_t(1), size_t(3), most}) {
    size_t local[3] = {9, 9, 9};
    EXPECT_EQ(clGetKernelSubGroupInfo(where, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof wanted, &wanted,
                                      sizeof local, local, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(told(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, {local, local + 3}), wanted);
  }
}

TEST_F(GroupFunctions, WorkGroupReductionsAndScans) {
  PROVES("LANG-1.13.15");
  expectCombines<cl_int>("work_group_", basicOperators<cl_int>());
  expectCombines<cl_uint>("work_group_", basicOperators<cl_uint>());
  expectCombines<cl_long>("work_group_", basicOperators<cl_long>());
  expectCombines<cl_ulong>("work_group_", basicOperators<cl_ulong>());
  expectCombines<cl_float>("work_group_", basicOperators<cl_float>());
  expectCombines<cl_double>("work_group_", basicOperators<cl_double>());
}

TEST_F(GroupFunctions, WorkGroupUniformArithmetic) {
  PROVES("X-E13");
  expectCombines<cl_int>("work_group_", moreOperators<cl_int>());
  expectCombines<cl_uint>("work_group_", moreOperators<cl_uint>());
  expectCombines<cl_long>("work_group_", moreOperators<cl_long>());
  expectCombines<cl_ulong>("work_group_", moreOperators<cl_ulong>());
  expectCombines<cl_float>("work_group_", moreOperators<cl_float>());
  expectCombines<cl_double>("work_group_", moreOperators<cl_double>());
}

TEST_F(GroupFunctions, SubGroupReductionsAndScans) {
  PROVES("LANG-SG1 EXEC-3.2.4b X-E08");
  expectCombines<cl_char>("sub_group_", basicOperators<cl_char>());
  expectCombines<cl_uchar>("sub_group_", basicOperators<cl_uchar>());
  expectCombines<cl_short>("sub_group_", basicOperators<cl_short>());
  expectCombines<cl_ushort>("sub_group_", basicOperators<cl_ushort>());
  expectCombines<cl_int>("sub_group_", basicOperators<cl_int>());
  expectCombines<cl_uint>("sub_group_", basicOperators<cl_uint>());
  expectCombines<cl_long>("sub_group_", basicOperators<cl_long>());
  expectCombines<cl_ulong>("sub_group_", basicOperators<cl_ulong>());
  expectCombines<cl_float>("sub_group_", basicOperators<cl_float>());
  expectCombines<cl_double>("sub_group_", basicOperators<cl_double>());
}

TEST_F(GroupFunctions, SubGroupArithmeticInParts) {
  PROVES("X-E10");
  expectCombines<cl_char>("sub_group_non_uniform_", allOperators<cl_char>(), /*inParts=*/true);
  expectCombines<cl_ushort>("sub_group_non_uniform_", allOperators<cl_ushort>(), /*inParts=*/true);
  expectCombines<cl_int>("sub_group_non_uniform_", allOperators<cl_int>(), /*inParts=*/true);
  expectCombines<cl_ulong>("sub_group_non_uniform_", allOperators<cl_ulong>(), /*inParts=*/true);
  expectCombines<cl_float>("sub_group_non_uniform_", allOperators<cl_float>(), /*inParts=*/true);
  expectCombines<cl_double>("sub_group_non_uniform_", allOperators<cl_double>(), /*inParts=*/true);
}

TEST_F(GroupFunctions, OfHalves) {
  PROVES("LANG-1.13.15 X-E08 X-E10");
  if (queryText(clGetDeviceInfo, device, CL_DEVICE_EXTENSIONS).find("cl_khr_fp16") == std::string::npos)
    GTEST_SKIP() << "the device does not support cl_khr_fp16";
  expectCombines<cl_float>("work_group_", basicOperators<cl_float>(), false, "(half)");
  expectCombines<cl_float>("sub_group_", basicOperators<cl_float>(), false, "(half)");
  expectCombines<cl_float>("sub_group_non_uniform_", basicOperators<cl_float>(), true, "(half)");
}

// A kernel with large private arrays that live across a collective has a lower CL_KERNEL_WORK_GROUP_SIZE, and groups of
// that size run.
TEST_F(GroupFunctions, LargestGroupsWithLargePrivateArrays) {
  PROVES("API-5.9.4b EXEC-3.2.4b");
  Program built = program(R"(
kernel void k(global const int *in, global int *out) {
  int many[16384];
  for (int i = 0; i < 16384; ++i)
    many[i] = in[INDEX] + i;
  int first = sub_group_broadcast(many[in[INDEX] & 16383], 0);
  out[INDEX] = first + many[16383 - (first & 1)];
}
)");
  Kernel k = kernel(built, "k");
  size_t most = query<size_t>(clGetKernelWorkGroupInfo, k.get(), device, CL_KERNEL_WORK_GROUP_SIZE);
  ASSERT_GE(most, 1u);
  EXPECT_GE(query<cl_ulong>(clGetKernelWorkGroupInfo, k.get(), device, CL_KERNEL_PRIVATE_MEM_SIZE), 16384u * 4);
  std::vector<cl_int> in(most, 2), expected(most, 2 + 2 + 2 + 16383);
  EXPECT_EQ(run<cl_int>(built, "k", {{most}, {most}}, in), expected);
}

TEST_F(GroupFunctions, Clusters) {
  PROVES("X-E10");
  const cl_uint sizes[] = {1, 2, 4, 8, 16};
  const std::vector<Operator<cl_int>> operators = allOperators<cl_int>();
  const size_t count = operators.size() * std::size(sizes);
  std::string text = "kernel void k(global const int *in, global int *out) {\n";
  for (size_t which = 0; which < count; ++which)
    text += "  out[INDEX * " + std::to_string(count) + " + " + std::to_string(which) +
            "] = sub_group_clustered_reduce_" + operators[which / 5].name + "(in[INDEX], " +
            std::to_string(sizes[which % 5]) + ");\n";
  Program built = program(text + "}\n");
  for (const Shape &shape : Shapes) {
    std::vector<cl_int> in = values<cl_int>(shape.items());
    std::vector<Place> list = places(built, shape);
    std::vector<cl_int> out = run<cl_int>(built, "k", shape, in, {}, count);
    for (size_t which = 0; which < count; ++which) {
      cl_uint size = sizes[which % 5];
      if (size > list[0].maxSize)
        continue;
      Teams clusters = teams(
          list, [&](size_t i) { return std::vector<cl_uint>{list[i].group, list[i].subGroup, list[i].lane / size}; });
      std::vector<cl_int> expected = combined(clusters, Reach::Reduce, operators[which / 5], in);
      for (size_t i = 0; i < in.size(); ++i)
        EXPECT_EQ(out[i * count + which], expected[i]) << operators[which / 5].name << " in clusters of " << size;
    }
  }
}

TEST_F(GroupFunctions, WorkGroupVotesAndBroadcasts) {
  PROVES("LANG-1.13.15");
  Program built = program(R"(
kernel void votes(global const int *in, global int2 *out) {
  out[INDEX] = (int2)(work_group_all(in[INDEX]), work_group_any(in[INDEX]));
}
kernel void line(global const int *in, global int *out) {
  out[INDEX] = work_group_broadcast(in[INDEX], get_local_size(0) - 1);
}
kernel void plane(global const int *in, global int *out) {
  out[INDEX] = work_group_broadcast(in[INDEX], get_local_size(0) - 1, get_local_size(1) / 2);
}
kernel void space(global const int *in, global int *out) {
  out[INDEX] = work_group_broadcast(in[INDEX], get_local_size(0) / 2, get_local_size(1) - 1, get_local_size(2) - 1);
}
)");
  for (const Shape &shape : Shapes) {
    std::vector<cl_int> in = values<cl_int>(shape.items());
    std::vector<Place> list = places(built, shape);
    std::vector<cl_int2> votes = run<cl_int2>(built, "votes", shape, in);
    std::vector<cl_int> sent = run<cl_int>(built,
                                           shape.global.size() == 1   ? "line"
                                           : shape.global.size() == 2 ? "plane"
                                                                      : "space",
                                           shape, in);
    for (auto &[group, members] : groups(list)) {
      bool all = std::all_of(members.begin(), members.end(), [&](size_t i) { return in[i]; });
      bool any = std::any_of(members.begin(), members.end(), [&](size_t i) { return in[i]; });
      // The size of this group, which may be smaller at the end of a dimension.
      size_t number = members.front(), at[3] = {0, 0, 0}, extent[3] = {1, 1, 1};
      for (size_t d = 0; d < shape.global.size(); ++d) {
        at[d] = number % shape.global[d], number /= shape.global[d];
        extent[d] = std::min(shape.local[d], shape.global[d] - at[d]);
      }
      size_t source = shape.global.size() == 1 ? extent[0] - 1
                      : shape.global.size() == 2
                          ? extent[1] / 2 * extent[0] + extent[0] - 1
                          : ((extent[2] - 1) * extent[1] + extent[1] - 1) * extent[0] + extent[0] / 2;
      for (size_t i : members) {
        EXPECT_EQ(votes[i].s[0] != 0, all);
        EXPECT_EQ(votes[i].s[1] != 0, any);
        EXPECT_EQ(sent[i], in[members[source]]);
      }
    }
  }
}

TEST_F(GroupFunctions, SubGroupVotesAndBroadcasts) {
  PROVES("LANG-SG1 X-E08");
  Program built = program(R"(
kernel void k(global const int *in, global int4 *out) {
  uint last = get_sub_group_size() - 1;
  float3 v = sub_group_broadcast((float3)(in[INDEX], 2, 3), last);
  out[INDEX] = (int4)(sub_group_all(in[INDEX]), sub_group_any(in[INDEX]), sub_group_broadcast(in[INDEX], last),
                      v.x == (float)sub_group_broadcast(in[INDEX], last) && v.y == 2 && v.z == 3);
}
)");
  for (const Shape &shape : Shapes) {
    std::vector<cl_int> in = values<cl_int>(shape.items());
    std::vector<cl_int4> out = run<cl_int4>(built, "k", shape, in);
    for (auto &[group, members] : subGroups(places(built, shape))) {
      bool all = std::all_of(members.begin(), members.end(), [&](size_t i) { return in[i]; });
      bool any = std::any_of(members.begin(), members.end(), [&](size_t i) { return in[i]; });
      for (size_t i : members) {
        EXPECT_EQ(out[i].s[0] != 0, all);
        EXPECT_EQ(out[i].s[1] != 0, any);
        EXPECT_EQ(out[i].s[2], in[members.back()]);
        EXPECT_EQ(out[i].s[3], 1);
      }
    }
  }
}

// Votes, elections and ballots count the active work-items only.
TEST_F(GroupFunctions, VotesInParts) {
  PROVES("X-E09");
  Program built = program(R"(
#define VOTE (int8)(sub_group_elect(), sub_group_non_uniform_all(in[INDEX]), sub_group_non_uniform_any(in[INDEX]), \
                    sub_group_non_uniform_all_equal(in[INDEX] != 0), sub_group_broadcast_first(in[INDEX]),         \
                    as_int4(sub_group_ballot(in[INDEX])).x, sub_group_non_uniform_all_equal(1.0f),                 \
                    sub_group_non_uniform_all_equal(NAN))
kernel void k(global const int *in, global int8 *out, global const uchar *takes) {
  if (takes[INDEX])
    out[INDEX] = VOTE;
  else
    out[INDEX] = VOTE;
}
)");
  for (const Shape &shape : Shapes) {
    std::vector<cl_int> in = values<cl_int>(shape.items());
    std::vector<cl_uchar> takes = ways(shape.items());
    std::vector<cl_int8> out = run<cl_int8>(built, "k", shape, in, takes);
    std::vector<Place> list = places(built, shape);
    for (auto &[party, members] : parties(list, takes)) {
      size_t count = size_t(std::count_if(members.begin(), members.end(), [&](size_t i) { return in[i] != 0; }));
      cl_uint ballot = 0;
      for (size_t i : members)
        if (list[i].lane < 32) // the kernel stores the first component
          ballot |= cl_uint(in[i] != 0) << list[i].lane;
      for (size_t i : members) {
        EXPECT_EQ(out[i].s[0] != 0, i == members.front());
        EXPECT_EQ(out[i].s[1] != 0, count == members.size());
        EXPECT_EQ(out[i].s[2] != 0, count != 0);
        EXPECT_EQ(out[i].s[3] != 0, count == 0 || count == members.size());
        EXPECT_EQ(out[i].s[4], in[members.front()]);
        EXPECT_EQ(cl_uint(out[i].s[5]), ballot);
        EXPECT_NE(out[i].s[6], 0);
        EXPECT_EQ(out[i].s[7], 0) << "NaN equals nothing";
      }
    }
  }
}

// Ballot operations on arbitrary 128-bit masks.
TEST_F(GroupFunctions, BallotMasks) {
  PROVES("X-E09");
  Program built = program(R"(
kernel void bits(global const uint4 *in, global uint8 *out) {
  uint4 b = in[INDEX];
  out[INDEX] = (uint8)(sub_group_inverse_ballot(b), sub_group_ballot_bit_extract(b, 35), sub_group_ballot_bit_count(b),
                       sub_group_ballot_inclusive_scan(b), sub_group_ballot_exclusive_scan(b),
                       sub_group_ballot_find_lsb(b), sub_group_ballot_find_msb(b), 0);
}
kernel void masks(global const uint4 *in, global ulong8 *out) {
  out[INDEX] = (ulong8)(as_ulong(get_sub_group_eq_mask().xy), as_ulong(get_sub_group_ge_mask().xy),
                        as_ulong(get_sub_group_gt_mask().xy), as_ulong(get_sub_group_le_mask().xy),
                        as_ulong(get_sub_group_lt_mask().xy),
                        any((get_sub_group_eq_mask() | get_sub_group_ge_mask() | get_sub_group_le_mask()).zw != 0), 0, 0);
}
)");
  for (const Shape &shape : Shapes) {
    std::vector<Place> list = places(built, shape);
    std::vector<cl_uint> words = values<cl_uint>(shape.items() * 4);
    std::vector<cl_uint4> in(shape.items());
    std::memcpy(in.data(), words.data(), in.size() * sizeof in[0]);
    std::vector<cl_uint8> bits = run<cl_uint8>(built, "bits", shape, in);
    std::vector<cl_ulong8> masks = run<cl_ulong8>(built, "masks", shape, in);
    for (size_t i = 0; i < in.size(); ++i) {
      ASSERT_LE(list[i].maxSize, 64u) << "the test checks only the first two components of the ballot";
      const cl_ulong all = ~cl_ulong(0) >> (64 - list[i].maxSize), self = cl_ulong(1) << list[i].lane;
      const cl_ulong votes = (in[i].s[0] | cl_ulong(in[i].s[1]) << 32) & all;
      auto count = [](cl_ulong x) { return cl_uint(__builtin_popcountll(x)); };
      EXPECT_EQ(bits[i].s[0] != 0, (votes & self) != 0);
      EXPECT_EQ(bits[i].s[1] != 0, (in[i].s[1] >> 3 & 1) != 0);
      EXPECT_EQ(bits[i].s[2], count(votes));
      EXPECT_EQ(bits[i].s[3], count(votes & (self | (self - 1))));
      EXPECT_EQ(bits[i].s[4], count(votes & (self - 1)));
      if (votes) { // find_lsb and find_msb of 0 are undefined
        EXPECT_EQ(bits[i].s[5], cl_uint(__builtin_ctzll(votes)));
        EXPECT_EQ(bits[i].s[6], 63u - cl_uint(__builtin_clzll(votes)));
      }
      EXPECT_EQ(masks[i].s[0], self);
      EXPECT_EQ(masks[i].s[1], all & ~(self - 1));
      EXPECT_EQ(masks[i].s[2], all & ~(self - 1) & ~self);
      EXPECT_EQ(masks[i].s[3], self | (self - 1));
      EXPECT_EQ(masks[i].s[4], self - 1);
      EXPECT_EQ(masks[i].s[5], 0u);
    }
  }
}

TEST_F(GroupFunctions, Shuffles) {
  PROVES("X-E11");
  Program built = program(R"(
kernel void k(global const int *in, global int8 *out) {
  int x = in[INDEX];
  uint l = get_sub_group_local_id();
  out[INDEX] = (int8)(sub_group_shuffle(x, l * 5 % get_sub_group_size()), sub_group_shuffle_xor(x, 3),
                      sub_group_shuffle_up(x, 2), sub_group_shuffle_down(x, 3), sub_group_rotate(x, 5),
                      sub_group_rotate(x, -1), sub_group_clustered_rotate(x, 3, 4), sub_group_shuffle((double)x, 0) == in[INDEX - l]);
}
)");
  for (const Shape &shape : Shapes) {
    std::vector<cl_int> in = values<cl_int>(shape.items());
    std::vector<Place> list = places(built, shape);
    std::vector<cl_int8> out = run<cl_int8>(built, "k", shape, in);
    for (auto &[key, members] : subGroups(list))
      for (size_t l = 0; l < members.size(); ++l) {
        const cl_int8 &got = out[members[l]];
        auto expect = [&](int which, size_t lane) {
          if (lane < members.size()) // inactive lanes have undefined values
            EXPECT_EQ(got.s[which], in[members[lane]]) << which << " at " << l << " of " << members.size();
        };
        size_t size = list[members[l]].maxSize;
        expect(0, l * 5 % members.size());
        expect(1, l ^ 3);
        expect(2, l - 2);
        expect(3, l + 3);
        expect(4, (l + 5) % size);
        expect(5, (l + size - 1) % size);
        const size_t cluster = std::min<size_t>(size, 4);
        expect(6, l - l % cluster + (l + 3) % cluster);
        if (shape.global.size() == 1)
          EXPECT_EQ(got.s[7], 1);
      }
  }
}

// Work-items that leave a loop early or return are inactive; the others continue together.
TEST_F(GroupFunctions, LoopsOfDifferentLengths) {
  PROVES("X-E10 EXEC-3.2.4b");
  Program built = program(R"(
kernel void k(global const int *in, global int *out, global const uchar *takes) {
  int sum = 0;
  for (int i = 0; i <= get_sub_group_local_id(); ++i)
    sum += sub_group_non_uniform_reduce_add(1) * (i + 1);
  if (takes[INDEX]) {
    out[INDEX] = -sum;
    return;
  }
  out[INDEX] = sum * 1000 + sub_group_non_uniform_scan_inclusive_add(1);
}
)");
  for (const Shape &shape : Shapes) {
    std::vector<Place> list = places(built, shape);
    std::vector<cl_uchar> takes = ways(shape.items());
    std::vector<cl_int> out = run<cl_int>(built, "k", shape, std::vector<cl_int>(shape.items()), takes);
    for (auto &[key, members] : subGroups(list)) {
      int staying = 0;
      for (size_t l = 0; l < members.size(); ++l) {
        int sum = 0;
        for (size_t i = 0; i <= l; ++i)
          sum += int(members.size() - i) * int(i + 1);
        staying += !takes[members[l]];
        EXPECT_EQ(out[members[l]], takes[members[l]] ? -sum : sum * 1000 + staying);
      }
    }
  }
}

} // namespace
} // namespace kiln::test
