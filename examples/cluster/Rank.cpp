#include "examples/cluster/Rank.h"
#include "examples/cluster/Processors.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <unistd.h>

namespace cluster {

namespace {

double nowMicroseconds() { // CLOCK_MONOTONIC, as in Kiln's timeline
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return double(now.tv_sec) * 1e6 + double(now.tv_nsec) / 1e3;
}

Rank *theRank = nullptr; // a process is one rank
std::atomic_flag failing;
char abortLine[512] = "";

} // namespace

/// A task of this rank between its submission and its end.
struct Rank::Submitted {
  Codelet &codelet;
  Codelet::Launch launch;
  std::string name;
  double begin = 0;
};

Codelet::Codelet(const char *kernel, std::vector<starpu_data_access_mode> modes, starpu_opencl_program &program)
    : kernel_(kernel), program_(program) {
  model_.type = STARPU_HISTORY_BASED;
  model_.symbol = kernel;
  codelet_.where = STARPU_OPENCL;
  codelet_.opencl_funcs[0] = Rank::started;
  codelet_.opencl_flags[0] = STARPU_OPENCL_ASYNC;
  codelet_.nbuffers = int(modes.size());
  std::copy(modes.begin(), modes.end(), codelet_.modes);
  codelet_.name = kernel;
  codelet_.model = &model_;
}

Rank::Rank(int argc, char **argv, const char *program, size_t taskBytes)
    : program_(program), timeline_(option(argc, argv, "timeline", "")),
      progress_(option(argc, argv, "progress", 0, 0, 1)) {
  if (!timeline_.empty()) // before MPI starts, which may load OpenCL to list devices
    setenv("KILN_TRACE", (timeline_ + ".kiln.%p.json").c_str(), 0);
  setenv("HWLOC_COMPONENTS", "-opencl", 0); // MPI must not load OpenCL before the processors are shared
  int threads = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
  MPI_Comm_rank(MPI_COMM_WORLD, &number_);
  MPI_Comm_size(MPI_COMM_WORLD, &count_);
  theRank = this;
  if (threads < MPI_THREAD_SERIALIZED)
    fail("MPI supports no calls from several threads");
  nameInAbort();
  const std::string processors = shareProcessors();

  // StarPU takes CPU devices only if told to. Its threads are not bound to processors: ranks on one machine would all
  // choose the same ones.
  setenv("STARPU_OPENCL_ON_CPUS", "1", 0);
  setenv("STARPU_WORKERS_NOBIND", "1", 0);
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = 0; // CPUs run OpenCL kernels, not C functions
  conf.ncuda = 0;
  if (int error = starpu_mpi_init_conf(nullptr, nullptr, 0, MPI_COMM_WORLD, &conf))
    fail(error == -ENODEV ? "StarPU finds no OpenCL device"
                          : "StarPU does not start: " + std::string(strerror(-error)));
  checkDevices(taskBytes);
  if (option(argc, argv, "placement", 0, 0, 1))
    printPlacement(processors);
  watch_.emplace(taskBytes, [this](const std::string &reason) { fail(reason); });
  if (std::string path = option(argc, argv, "result", ""); !path.empty())
    if (MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &result_))
      fail("the result file " + path + " cannot be written");
}

void Rank::checkDevices(size_t taskBytes) const {
  const int workers = int(starpu_opencl_worker_get_count()); // there are no others
  if (!workers)
    fail("StarPU finds no OpenCL device");
  for (int worker = 0; worker < workers; ++worker) {
    cl_ulong bytes = 0;
    clGetDeviceInfo(deviceOf(worker), CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
    // StarPU moves data out of a full device, but a task needs all of its data at once.
    if (bytes < taskBytes)
      fail(deviceName(worker) + " has " + std::to_string(bytes) + " bytes of memory, a task needs " +
           std::to_string(taskBytes));
  }
}

void Rank::build(const char *kernels, starpu_opencl_program &program) {
  if (starpu_opencl_load_opencl_from_string(kernelSource(kernels), &program, nullptr) != CL_SUCCESS)
    fail("kernels/" + std::string(kernels) + ".cl does not build");
}

std::string Rank::title() const {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return std::string(program_) + ": rank " + std::to_string(number_) + " of " + std::to_string(count_) + " on " + host +
         ": ";
}

void Rank::nameInAbort() const {
  std::snprintf(abortLine, sizeof abortLine, "%saborted; the reason is above\n", title().c_str());
  std::signal(SIGABRT, [](int) {
    if (!failing.test_and_set())
      (void)!write(STDERR_FILENO, abortLine, std::strlen(abortLine));
    std::signal(SIGABRT, SIG_DFL); // abort() raises it again
  });
}

void Rank::printPlacement(const std::string &processors) const {
  for (int worker = 0; worker < int(starpu_opencl_worker_get_count()); ++worker) {
    cl_uint units = 0;
    clGetDeviceInfo(deviceOf(worker), CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr);
    std::printf("%sprocessors %s, %s with %u compute units\n", title().c_str(),
                processors.empty() ? "unknown" : processors.c_str(), deviceName(worker).c_str(), units);
  }
  std::fflush(stdout);
}

void Rank::fail(const std::string &reason) const {
  while (failing.test_and_set()) // another thread ends the process
    pause();
  std::fprintf(stderr, "%s%s\n", title().c_str(), reason.c_str());
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  _exit(1);
}

void Rank::submit(Codelet &codelet, const Codelet::Launch &launch, const std::vector<starpu_data_handle_t> &handles,
                  int owner, int priority, std::string name) {
  if (begin_ == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    begin_ = nowMicroseconds();
  }
  std::vector<starpu_data_descr> data;
  for (size_t i = 0; i < handles.size(); ++i)
    data.push_back({handles[i], codelet.codelet_.modes[i]});
  // The other ranks only send and receive what the task needs.
  Submitted *task = owner == number_ ? new Submitted{codelet, launch, std::move(name)} : nullptr;
  if (task) {
    ++submitted_;
    watch_->taskSubmitted();
  }
  int error =
      starpu_mpi_task_insert(MPI_COMM_WORLD, &codelet.codelet_, STARPU_EXECUTE_ON_NODE, owner, STARPU_DATA_MODE_ARRAY,
                             data.data(), int(data.size()), STARPU_CL_ARGS_NFREE, task, sizeof *task,
                             STARPU_CALLBACK_WITH_ARG_NFREE, ended, task, STARPU_PRIORITY, priority, 0);
  if (error)
    fail("StarPU takes no task: " + std::string(strerror(-error)));
}

void Rank::started(void *buffers[], void *argument) {
  auto *task = static_cast<Submitted *>(argument);
  task->begin = nowMicroseconds();
  theRank->watch_->taskStarted();
  cl_kernel kernel;
  cl_command_queue queue;
  const int device = starpu_worker_get_devid(starpu_worker_get_id());
  cl_int code = starpu_opencl_load_kernel(&kernel, &queue, &task->codelet.program_, task->codelet.kernel_, device);
  cl_uint index = 0;
  auto set = [&](const void *value, size_t size) {
    if (code == CL_SUCCESS)
      code = clSetKernelArg(kernel, index++, size, value);
  };
  for (int i = 0; i < task->codelet.codelet_.nbuffers; ++i) {
    auto memory = cl_mem(STARPU_VECTOR_GET_DEV_HANDLE(buffers[i]));
    set(&memory, sizeof memory);
  }
  const Codelet::Launch &launch = task->launch;
  set(&launch.integer, sizeof launch.integer);
  if (launch.real)
    set(&*launch.real, sizeof *launch.real);
  cl_event event = nullptr;
  if (code == CL_SUCCESS)
    code = clEnqueueNDRangeKernel(queue, kernel, cl_uint(launch.global.size()), nullptr, launch.global.data(),
                                  launch.local.empty() ? nullptr : launch.local.data(), 0, nullptr, &event);
  // StarPU waits for a command that failed for ever, so its error must be noticed here.
  if (code == CL_SUCCESS)
    code = clSetEventCallback(event, CL_COMPLETE, commandEnded, task->codelet.codelet_.model);
  if (code != CL_SUCCESS)
    theRank->fail("kernel " + std::string(task->codelet.kernel_) + " of task " + task->name +
                  " cannot be launched: OpenCL error " + std::to_string(code));
  clReleaseEvent(event);
  starpu_opencl_release_kernel(kernel);
}

void CL_CALLBACK Rank::commandEnded(cl_event, cl_int status, void *model) {
  if (status >= 0)
    return;
  const std::string lost = lostDevice();
  theRank->fail("kernel " + std::string(static_cast<starpu_perfmodel *>(model)->symbol) + " failed: OpenCL error " +
                std::to_string(status) + (lost.empty() ? "" : "; " + lost + " is lost"));
}

void Rank::ended(void *argument) {
  std::unique_ptr<Submitted> task(static_cast<Submitted *>(argument));
  const double now = nowMicroseconds();
  Rank &rank = *theRank;
  rank.watch_->taskEnded();
  std::lock_guard lock(rank.mutex_);
  ++rank.done_;
  if (!rank.timeline_.empty())
    rank.events_.push_back({std::move(task->name), starpu_worker_get_id(), task->begin, now});
  if (rank.progress_ && now - rank.shown_ > 1e5) {
    rank.shown_ = now;
    std::printf("progress %d %llu %llu\n", rank.number_, static_cast<unsigned long long>(rank.done_),
                static_cast<unsigned long long>(rank.submitted_.load()));
    std::fflush(stdout);
  }
}

double Rank::finish() {
  starpu_task_wait_for_all();
  starpu_mpi_barrier(MPI_COMM_WORLD);
  double seconds = (nowMicroseconds() - begin_) / 1e6, longest = 0;
  MPI_Allreduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (!timeline_.empty())
    writeTimeline();
  return longest;
}

void Rank::writeTimeline() const {
  const std::string path = timeline_ + ".starpu." + std::to_string(number_) + ".json";
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "w"), std::fclose);
  if (!file)
    fail("the timeline " + path + " cannot be written");
  // The first event is the barrier that all ranks passed at one time: clocks of several machines differ.
  std::fprintf(file.get(), "[\n{\"name\":\"start\",\"ph\":\"i\",\"ts\":%.3f,\"pid\":%d,\"tid\":0}", begin_,
               int(getpid()));
  std::vector<double> free(starpu_worker_get_count());
  for (const Event &event : events_) {
    // StarPU submits a worker's next task before the last one has ended; the device runs them in order.
    double begin = std::max(event.begin, free[size_t(event.worker)]);
    free[size_t(event.worker)] = event.end;
    std::fprintf(file.get(),
                 ",\n{\"name\":\"%s\",\"cat\":\"task\",\"ph\":\"X\",\"ts\":%.3f,\"dur\":%.3f,\"pid\":%d,\"tid\":%d}",
                 event.name.c_str(), begin, event.end - begin, int(getpid()), event.worker);
  }
  std::fprintf(file.get(), "\n]\n");
}

void Rank::writeResult(uint64_t offset, const void *data, size_t bytes) {
  constexpr size_t Largest = size_t(1) << 30; // MPI counts with int
  for (size_t done = 0; result_ != MPI_FILE_NULL && done < bytes; done += Largest)
    if (MPI_File_write_at(result_, MPI_Offset(offset) + MPI_Offset(done), static_cast<const char *>(data) + done,
                          int(std::min(bytes - done, Largest)), MPI_BYTE, MPI_STATUS_IGNORE))
      fail("the result file cannot be written");
}

Rank::~Rank() {
  if (result_ != MPI_FILE_NULL)
    MPI_File_close(&result_);
  watch_.reset();
  starpu_mpi_shutdown();
  MPI_Finalize();
}

} // namespace cluster
