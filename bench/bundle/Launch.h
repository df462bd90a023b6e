// A bundle's launch on one OpenCL device, of any platform.
#pragma once
#include "bench/Opencl.h"
#include "bench/bundle/PlacedMemory.h"
#include <memory>
#include <optional>

namespace bench {

class BundleLaunch {
public:
  enum class Input {
    Spirv,       // the module that ran
    SourceIfAny, // the application's source; the module if the bundle has none
  };
  /// Builds the program and creates the arguments. Throws with the reason if the device cannot run the launch. The
  /// bundle and the memory must outlive the object.
  BundleLaunch(const Bundle &bundle, const PlacedMemory &memory, cl_device_id device, Input input);
  ~BundleLaunch();
  BundleLaunch(const BundleLaunch &) = delete;

  /// Gives memory the contents from before the launch, and waits.
  void restore();
  /// Enqueues the kernel once.
  void enqueue();
  void finish() const { session_.finish(); }

  struct Comparison {
    uint64_t bytes = 0, different = 0; // in all memory that the arguments reach
    std::string first;                 // describes the first difference
  };
  /// Compares memory with that after the captured launch.
  Comparison compare();
  /// Bytes of memory that the arguments name, each counted once.
  uint64_t bytes() const;

private:
  struct Object;
  Program build(Input input) const;
  void set(cl_uint index, const Bundle::Argument &argument);
  void setBuffer(cl_uint index, const Bundle::Argument &argument);
  void setImage(cl_uint index, const Bundle::Argument &argument);
  void setPointer(cl_uint index, const Bundle::Argument &argument);
  /// The buffer of these bytes of the bundle, made on the first call.
  cl_mem rootBuffer(uint64_t address, uint64_t size, cl_uint index);

  const Bundle &bundle_;
  const PlacedMemory &memory_;
  const Session session_;
  bool onHost_, sharesAllMemory_; // the device is a CPU; it reaches all memory of the process
  Program program_;
  Kernel kernel_;
  std::vector<std::unique_ptr<Object>> objects_;
  std::vector<Mem> subBuffers_;
  std::vector<Sampler> samplers_;
};

} // namespace bench
