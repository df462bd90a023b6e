// Measures the time from source code to the first result: build and first launch.
//
//   warm_worker    in this process, which has built before; every source is new
//   no_worker      in a fresh process, nothing cached; every source is new
//   cached         in a fresh process, after another process has built the same source
//
// There are two programs: one line (small), and six kernels with loops, barriers and local memory. Of the latter either
// only the first kernel is launched (large_one) or all of them (large_every), because a platform may compile a kernel
// at its first launch.
//
// The fresh processes run this program with --child and print their times. Their time is everything from
// clCreateContext to the end of the first launch, so that a platform's background work is included; counters give the
// parts.
#include "bench/suite/Bench.h"
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace bench {
namespace {

std::string sourceOf(const std::string &size, const std::string &nonce) {
  std::string source =
      "__kernel void first(__global uint *out) { out[get_global_id(0)] = get_global_id(0) ^ " + nonce + "u; }\n";
  if (size != "small")
    for (const char *file : {"matmul_tiled", "reduction", "scan", "nbody", "histogram"})
      source.append(kernelSource(file));
  return source;
}

/// A number that no earlier source contained. It changes the source text and the compiled code.
std::string freshNonce() {
  static uint32_t last = uint32_t(Clock::now().time_since_epoch().count()) ^ uint32_t(getpid()) << 20;
  last = last * 1664525u + 1013904223u;
  return std::to_string(last);
}

constexpr size_t Items = 64;

/// Launches each other kernel of the large program once, with small sizes.
void launchOthers(Session &session, cl_program program) {
  Mem in = session.buffer(std::vector<float>(1024, 1.0f)), out = session.buffer(std::vector<float>(1024, 0.0f));
  Kernel matmul = session.kernel(program, "matmul"), reduce = session.kernel(program, "reduce"),
         scan = session.kernel(program, "scan"), nbody = session.kernel(program, "accelerate"),
         histogram = session.kernel(program, "histogram");
  arguments(matmul, in, in, out, cl_int(16));
  session.launch(matmul, {16, 16}, {16, 16});
  arguments(reduce, in, out, Local{Items * sizeof(float)});
  arguments(scan, in, out, Local{2 * Items * sizeof(float)});
  arguments(nbody, in, out, Local{Items * 4 * sizeof(float)}, 0.01f);
  arguments(histogram, in, out, cl_uint(Items));
  for (cl_kernel kernel : {cl_kernel(reduce), cl_kernel(scan), cl_kernel(nbody), cl_kernel(histogram)})
    session.launch(kernel, {Items}, {Items});
  session.finish();
}

/// Builds, launches and waits. Returns the seconds of the build alone.
double buildAndLaunch(Session &session, cl_mem out, const std::string &size, const std::string &source) {
  auto start = Clock::now();
  Program program = session.build(source, "-cl-std=CL1.2");
  double built = secondsSince(start);
  Kernel kernel = session.kernel(program, "first");
  check(clSetKernelArg(kernel, 0, sizeof(out), &out), "clSetKernelArg");
  session.launch(kernel, {Items});
  session.finish();
  if (size == "large_every")
    launchOthers(session, program);
  return built;
}

void verify(Session &session, cl_mem out, const std::string &nonce) {
  std::vector<cl_uint> got = session.read<cl_uint>(out, Items);
  for (cl_uint i = 0; i < Items; ++i)
    if (got[i] != (i ^ cl_uint(std::stoul(nonce))))
      throw std::runtime_error("the built program's result is wrong");
}

void warmWorker(Bench &bench, benchmark::State &state, const std::string &size) {
  Mem out = bench.buffer(Items * sizeof(cl_uint));
  buildAndLaunch(bench, out, size, sourceOf(size, freshNonce()));
  double built = 0;
  for ([[maybe_unused]] auto _ : state) {
    std::string nonce = freshNonce(), source = sourceOf(size, nonce);
    auto start = Clock::now();
    built += buildAndLaunch(bench, out, size, source);
    state.SetIterationTime(secondsSince(start));
    verify(bench, out, nonce);
  }
  state.counters["build_ms"] = benchmark::Counter(built * 1e3, benchmark::Counter::kAvgIterations);
}

struct ChildTimes {
  double devices = 0, context = 0, build = 0, launch = 0, whole = 0;
};

ChildTimes runChild(Bench &bench, const std::string &size, const std::string &nonce) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    throw std::runtime_error("pipe2 failed");
  std::vector<std::string> words = {"kiln-bench", "--platform=" + bench.platformName,
                                    "--device=" + std::to_string(bench.deviceIndex), "--child=" + size,
                                    "--nonce=" + nonce};
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  auto start = Clock::now();
  pid_t pid = 0;
  int error = posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  FILE *output = fdopen(ends[0], "r");
  ChildTimes times;
  int found = error ? 0
                    : fscanf(output, "devices %lf context %lf build %lf launch %lf", &times.devices, &times.context,
                             &times.build, &times.launch);
  fclose(output);
  if (error)
    throw std::runtime_error(std::string("posix_spawn: ") + strerror(error));
  int status = 0;
  waitpid(pid, &status, 0);
  times.whole = secondsSince(start);
  if (status || found != 4)
    throw std::runtime_error("the child process failed");
  return times;
}

void freshProcess(Bench &bench, benchmark::State &state, const std::string &size, bool cached) {
  std::string nonce = freshNonce();
  if (cached)
    runChild(bench, size, nonce);
  ChildTimes sum;
  for ([[maybe_unused]] auto _ : state) {
    ChildTimes times = runChild(bench, size, cached ? nonce : freshNonce());
    state.SetIterationTime(times.context + times.build + times.launch);
    sum.devices += times.devices;
    sum.context += times.context;
    sum.build += times.build;
    sum.launch += times.launch;
    sum.whole += times.whole;
  }
  auto average = [](double seconds) { return benchmark::Counter(seconds * 1e3, benchmark::Counter::kAvgIterations); };
  state.counters["devices_ms"] = average(sum.devices);
  state.counters["context_ms"] = average(sum.context);
  state.counters["build_ms"] = average(sum.build);
  state.counters["launch_ms"] = average(sum.launch);
  state.counters["process_ms"] = average(sum.whole);
}

void addSize(const std::string &size) {
  add(("build_time/warm_worker/" + size).c_str(), [size](Bench &bench, benchmark::State &state) {
    warmWorker(bench, state, size);
  })->Unit(benchmark::kMillisecond);
  for (bool cached : {false, true})
    add(("build_time/" + std::string(cached ? "cached/" : "no_worker/") + size).c_str(), [=](Bench &bench,
                                                                                             benchmark::State &state) {
      freshProcess(bench, state, size, cached);
    })->Unit(benchmark::kMillisecond);
}

[[maybe_unused]] const bool registered = [] {
  addSize("small");
  addSize("large_one");
  addSize("large_every");
  return true;
}();

} // namespace

int buildInChild(const std::string &platform, size_t device, const std::string &size, const std::string &nonce) {
  std::string source = sourceOf(size, nonce);
  auto start = Clock::now();
  cl_device_id id = devicesOf(findPlatform(platform)).at(device);
  double devices = secondsSince(start);
  start = Clock::now();
  Session session(id);
  Mem out = session.buffer(Items * sizeof(cl_uint));
  double context = secondsSince(start);
  start = Clock::now();
  double build = buildAndLaunch(session, out, size, source);
  double launch = secondsSince(start) - build;
  verify(session, out, nonce);
  printf("devices %.9f context %.9f build %.9f launch %.9f\n", devices, context, build, launch);
  return 0;
}

} // namespace bench
