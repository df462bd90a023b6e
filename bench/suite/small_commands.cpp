// Small commands per second, from 1 to 8 host threads. Each thread has a separate queue, kernel and buffers in one
// context; it enqueues a batch and waits for it.
#include "bench/suite/Bench.h"
#include <atomic>
#include <barrier>
#include <thread>

namespace bench {
namespace {

constexpr size_t Batch = 1000;

struct Worker {
  Worker(Bench &bench) {
    cl_int code = CL_SUCCESS;
    queue = clCreateCommandQueue(bench.context, bench.device, 0, &code);
    check(code, "clCreateCommandQueue");
    cl_program program = nullptr;
    check(clGetKernelInfo(bench.kernelOf("empty", "count"), CL_KERNEL_PROGRAM, sizeof program, &program, nullptr),
          "clGetKernelInfo");
    kernel = clCreateKernel(program, "count", &code);
    check(code, "clCreateKernel");
    counter = bench.buffer(std::vector<cl_int>{0});
    from = bench.buffer(std::vector<cl_int>{7, 8, 9, 10});
    to = bench.buffer(4 * sizeof(cl_int));
    arguments(kernel, counter);
  }
  void launch() {
    const size_t items = 1;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
    ++launches;
  }
  void copy() {
    check(clEnqueueCopyBuffer(queue, from, to, 0, 0, 4 * sizeof(cl_int), 0, nullptr, nullptr), "clEnqueueCopyBuffer");
  }
  Queue queue;
  Kernel kernel;
  Mem counter, from, to;
  size_t launches = 0;
};

void smallCommands(Bench &bench, benchmark::State &state, void (Worker::*command)()) {
  const size_t threads = size_t(state.range(0));
  std::vector<std::unique_ptr<Worker>> workers;
  for (size_t i = 0; i < threads; ++i)
    workers.push_back(std::make_unique<Worker>(bench));
  // The threads live through all iterations; the measured time is between two barriers.
  std::barrier start(std::ptrdiff_t(threads) + 1), end(std::ptrdiff_t(threads) + 1);
  std::atomic<bool> over = false, failed = false;
  std::vector<std::thread> hostThreads;
  for (std::unique_ptr<Worker> &worker : workers)
    hostThreads.emplace_back([&, worker = worker.get()] {
      for (;;) {
        start.arrive_and_wait();
        if (over)
          return;
        try {
          for (size_t i = 0; i < Batch; ++i)
            (worker->*command)();
          check(clFinish(worker->queue), "clFinish");
        } catch (const std::exception &) {
          failed = true;
        }
        end.arrive_and_wait();
      }
    });
  measure(state, [&] {
    start.arrive_and_wait();
    end.arrive_and_wait();
  });
  over = true;
  start.arrive_and_wait();
  for (std::thread &thread : hostThreads)
    thread.join();
  if (failed)
    throw std::runtime_error("a command failed");
  for (const std::unique_ptr<Worker> &worker : workers) {
    if (bench.read<cl_int>(worker->counter, 1)[0] != cl_int(worker->launches))
      throw std::runtime_error("the counter differs from the number of launches");
    if (!worker->launches && bench.read<cl_int>(worker->to, 4) != std::vector<cl_int>{7, 8, 9, 10})
      throw std::runtime_error("the copied data differs from the source");
  }
  countItems(state, threads * Batch);
}

Registered addSmall(const char *name, void (Worker::*command)()) {
  return add(name, [command](Bench &bench, benchmark::State &state) { smallCommands(bench, state, command); })
      ->Arg(1)
      ->Arg(2)
      ->Arg(4)
      ->Arg(8);
}

[[maybe_unused]] const Registered registered[] = {addSmall("small_commands/launches", &Worker::launch),
                                                  addSmall("small_commands/copies", &Worker::copy)};

} // namespace
} // namespace bench
