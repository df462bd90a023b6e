#include "examples/cluster/Watch.h"

#include <chrono>

namespace cluster {

namespace {

using namespace std::chrono_literals;
constexpr std::chrono::milliseconds Pause = 250ms, Patience = 5s; // without a task that starts or ends

/// Returns true if the device has memory for a new buffer.
bool hasMemoryFor(size_t bytes, int worker) {
  cl_context context;
  starpu_opencl_get_context(starpu_worker_get_devid(worker), &context);
  cl_int code = CL_SUCCESS;
  cl_command_queue queue = clCreateCommandQueue(context, deviceOf(worker), 0, &code);
  if (code != CL_SUCCESS)
    return code != CL_OUT_OF_RESOURCES && code != CL_OUT_OF_HOST_MEMORY;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &code);
  if (code == CL_SUCCESS) { // the storage is allocated by the first command
    const char byte = 0;
    code = clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 1, &byte, 0, nullptr, nullptr);
    clReleaseMemObject(buffer);
  }
  clReleaseCommandQueue(queue);
  return code == CL_SUCCESS;
}

template <typename Found> std::string firstDevice(Found found) {
  int workers[STARPU_NMAXWORKERS];
  const int count = starpu_worker_get_ids_by_type(STARPU_OPENCL_WORKER, workers, STARPU_NMAXWORKERS);
  for (int i = 0; i < count; ++i)
    if (found(workers[i]))
      return deviceName(workers[i]);
  return {};
}

} // namespace

cl_device_id deviceOf(int worker) {
  cl_device_id device;
  starpu_opencl_get_device(starpu_worker_get_devid(worker), &device);
  return device;
}

std::string deviceName(int worker) {
  char name[256] = "";
  clGetDeviceInfo(deviceOf(worker), CL_DEVICE_NAME, sizeof name - 1, name, nullptr);
  return "OpenCL device " + std::to_string(starpu_worker_get_devid(worker)) + " (" + name + ")";
}

std::string lostDevice() {
  return firstDevice([](int worker) {
    cl_bool available = CL_TRUE;
    clGetDeviceInfo(deviceOf(worker), CL_DEVICE_AVAILABLE, sizeof available, &available, nullptr);
    return !available;
  });
}

void Watch::sampleMemory() {
  firstDevice([this](int worker) {
    left_[worker] = starpu_memory_get_available(starpu_worker_get_memory_node(unsigned(worker)));
    return false;
  });
}

std::string Watch::exhaustedDevice() const {
  return firstDevice([this](int worker) {
    const auto left = left_.at(worker);
    return left >= 0 && size_t(left) >= taskBytes_ && !hasMemoryFor(taskBytes_, worker);
  });
}

Watch::Watch(size_t taskBytes, std::function<void(const std::string &)> fail)
    : taskBytes_(taskBytes), fail_(std::move(fail)), thread_([this] { run(); }) {}

Watch::~Watch() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_one();
  thread_.join();
}

void Watch::run() {
  uint64_t seen = 0;
  auto since = std::chrono::steady_clock::now();
  sampleMemory();
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, Pause, [this] { return stop_; })) {
    if (std::string lost = lostDevice(); !lost.empty())
      return fail_(lost + " is lost");
    const auto now = std::chrono::steady_clock::now();
    if (const uint64_t changes = changes_; changes != seen || running_ > 0 || waiting_ <= 0) {
      seen = changes;
      since = now;
      sampleMemory();
    } else if (now - since >= Patience) {
      if (std::string exhausted = exhaustedDevice(); !exhausted.empty())
        return fail_(exhausted + " has no memory for a task, which needs " + std::to_string(taskBytes_) + " bytes");
      since = now;
    }
  }
}

} // namespace cluster
