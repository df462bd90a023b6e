// The heat equation of stencil.cpp with MPI and OpenCL alone: each rank has one slab on one device. After each step it
// reads its outer planes, exchanges them with its neighbours, and writes theirs. The result has the bits of
// kiln-stencil's.
//
//   mpirun -n 4 kiln-plain-stencil [--nx=N] [--ny=N] [--nz=N] [--steps=N] [--result=FILE]
#include "examples/cluster/Heat.h"
#include "examples/cluster/Kernels.h"
#include "examples/cluster/Options.h"
#include "examples/cluster/Processors.h"

#include <CL/cl.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace cluster;

namespace {

int number = 0, count = 1; // of this rank, and of ranks

[[noreturn]] void fail(const std::string &reason) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  std::fprintf(stderr, "kiln-plain-stencil: rank %d of %d on %s: %s\n", number, count, host, reason.c_str());
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  _exit(1);
}

void check(cl_int code, const char *call) {
  if (code != CL_SUCCESS)
    fail(std::string(call) + " failed: OpenCL error " + std::to_string(code));
}

/// The slab of this rank: planes from `first` on.
class Slab {
public:
  Slab(const Box &box, int first) : box_(box), below_(box.plane()), above_(below_), bottom_(below_), top_(below_) {
    cl_platform_id platform;
    cl_device_id device;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
    cl_int code;
    context_ = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    check(code, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device, 0, &code);
    check(code, "clCreateCommandQueue");
    const char *source = kernelSource("stencil");
    program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, &code);
    check(code, "clCreateProgramWithSource");
    check(clBuildProgram(program_, 1, &device, nullptr, nullptr, nullptr), "clBuildProgram");
    kernel_ = clCreateKernel(program_, "heat", &code);
    check(code, "clCreateKernel");

    std::vector<float> cells;
    for (int z = first; z < first + box.nz; ++z)
      for (int y = 0; y < box.ny; ++y)
        for (int x = 0; x < box.nx; ++x)
          cells.push_back(initial(wholeBox(), x, y, z));
    cells_[0] = buffer(cells.size(), cells.data());
    cells_[1] = buffer(cells.size(), nullptr);
    for (cl_mem *plane : {&belowBuffer_, &aboveBuffer_, &bottomBuffer_, &topBuffer_})
      *plane = buffer(box.plane(), below_.data());
    bottom_.assign(cells.begin(), cells.begin() + ptrdiff_t(box.plane()));
    top_.assign(cells.end() - ptrdiff_t(box.plane()), cells.end());
  }
  Slab(const Slab &) = delete;
  Slab &operator=(const Slab &) = delete;
  ~Slab() {
    for (cl_mem memory : {cells_[0], cells_[1], belowBuffer_, aboveBuffer_, bottomBuffer_, topBuffer_})
      clReleaseMemObject(memory);
    clReleaseKernel(kernel_);
    clReleaseProgram(program_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }

  void step() {
    exchange();
    write(belowBuffer_, below_);
    write(aboveBuffer_, above_);
    cl_uint index = 0;
    for (cl_mem memory : {cells_[0], belowBuffer_, aboveBuffer_, cells_[1], bottomBuffer_, topBuffer_})
      check(clSetKernelArg(kernel_, index++, sizeof memory, &memory), "clSetKernelArg");
    check(clSetKernelArg(kernel_, index++, sizeof box_.nz, &box_.nz), "clSetKernelArg");
    check(clSetKernelArg(kernel_, index++, sizeof Rate, &Rate), "clSetKernelArg");
    const size_t global[] = {size_t(box_.nx), size_t(box_.ny), size_t(box_.nz)};
    check(clEnqueueNDRangeKernel(queue_, kernel_, 3, nullptr, global, nullptr, 0, nullptr, newEvent()),
          "clEnqueueNDRangeKernel");
    read(bottomBuffer_, bottom_);
    read(topBuffer_, top_);
    wait();
    std::swap(cells_[0], cells_[1]);
  }

  std::vector<float> cells() {
    std::vector<float> all(box_.cells());
    read(cells_[0], all);
    wait();
    return all;
  }

private:
  Box wholeBox() const { return {box_.nx, box_.ny, box_.nz * count}; }
  cl_mem buffer(size_t cells, void *initial) {
    cl_int code;
    cl_mem made = clCreateBuffer(context_, initial ? CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE,
                                 cells * sizeof(float), initial, &code);
    check(code, "clCreateBuffer");
    return made;
  }
  void write(cl_mem to, const std::vector<float> &plane) {
    check(clEnqueueWriteBuffer(queue_, to, CL_FALSE, 0, plane.size() * sizeof(float), plane.data(), 0, nullptr,
                               newEvent()),
          "clEnqueueWriteBuffer");
  }
  void read(cl_mem from, std::vector<float> &cells) {
    check(clEnqueueReadBuffer(queue_, from, CL_FALSE, 0, cells.size() * sizeof(float), cells.data(), 0, nullptr,
                              newEvent()),
          "clEnqueueReadBuffer");
  }
  cl_event *newEvent() { return &events_.emplace_back(nullptr); }
  /// Waits for all commands. clFinish would not return the error of a command that failed.
  void wait() {
    check(clWaitForEvents(cl_uint(events_.size()), events_.data()), "a command of the step");
    for (cl_event event : events_)
      clReleaseEvent(event);
    events_.clear();
  }
  /// The planes outside the box stay 0.
  void exchange() {
    const int cells = int(box_.plane()), lower = number > 0 ? number - 1 : MPI_PROC_NULL,
              upper = number < count - 1 ? number + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(top_.data(), cells, MPI_FLOAT, upper, 0, below_.data(), cells, MPI_FLOAT, lower, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(bottom_.data(), cells, MPI_FLOAT, lower, 1, above_.data(), cells, MPI_FLOAT, upper, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }

  const Box box_; // the slab's
  cl_context context_;
  cl_command_queue queue_;
  cl_program program_;
  cl_kernel kernel_;
  cl_mem cells_[2], belowBuffer_, aboveBuffer_, bottomBuffer_, topBuffer_;
  std::vector<float> below_, above_, bottom_, top_; // on the host
  std::vector<cl_event> events_;                    // of the commands since the last wait
};

void writeResult(const std::string &path, const std::vector<float> &cells) {
  MPI_File file;
  if (MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file) ||
      MPI_File_write_at(file, MPI_Offset(cells.size() * sizeof(float)) * number, cells.data(), int(cells.size()),
                        MPI_FLOAT, MPI_STATUS_IGNORE) ||
      MPI_File_close(&file))
    fail("the result file " + path + " cannot be written");
}

} // namespace

int main(int argc, char **argv) {
  constexpr std::string_view Own[] = {"nx", "ny", "nz", "steps", "result"};
  checkOptions(argc, argv, {Own});
  const Box box{option(argc, argv, "nx", 128, 1, 4096), option(argc, argv, "ny", 128, 1, 4096),
                option(argc, argv, "nz", 128, 1, 4096)};
  const int steps = option(argc, argv, "steps", 20, 1, 1 << 20);
  setenv("HWLOC_COMPONENTS", "-opencl", 0); // MPI must not load OpenCL before the processors are shared
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  shareProcessors();
  if (box.nz % count)
    fail("--nz is " + std::to_string(box.nz) + ", must be a multiple of the number of ranks");
  const int planes = box.nz / count;
  {
    Slab slab({box.nx, box.ny, planes}, number * planes);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int step = 0; step < steps; ++step)
      slab.step();
    const double seconds = MPI_Wtime() - start;
    if (number == 0)
      std::printf("plain stencil of %d * %d * %d, %d steps, ranks: %d: %.3f s, %.3f Gcells/s\n", box.nx, box.ny, box.nz,
                  steps, count, seconds, double(box.cells()) * steps / seconds / 1e9);
    if (const std::string path = option(argc, argv, "result", ""); !path.empty())
      writeResult(path, slab.cells());
  }
  MPI_Finalize();
  return 0;
}
