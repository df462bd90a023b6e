// A bundle's launch on one OpenCL device, of any platform.
#pragma once
#include "bench/bundle/PlacedMemory.h"
#include "bench/bundle/Relocation.h"
#include "bench/opencl/Opencl.h"
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

  /// Returns true if the memory should be at the bundle's addresses: the kernel follows pointers, and the device uses
  /// the host's memory in place. If it is not, pointers are replaced.
  static bool prefersBundleAddresses(const Bundle &bundle, cl_device_id device);

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
  /// Returns the number of words in memory and arguments that were replaced as pointers, because memory is elsewhere
  /// (Relocation.h).
  size_t replacedWords() const { return replacedWords_; }

private:
  struct Object;
  Program build(Input input) const;
  void set(cl_uint index, const Bundle::Argument &argument);
  void setBuffer(cl_uint index, const Bundle::Argument &argument);
  void setImage(cl_uint index, const Bundle::Argument &argument);
  void setPointer(cl_uint index, const Bundle::Argument &argument);
  void setValue(cl_uint index, const Bundle::Argument &argument);
  /// Places memory that only pointers lead to, and replaces pointers where the device places memory elsewhere.
  void placePointedMemory();
  /// Shared virtual memory for these bytes of the bundle, which may contain pointers or be pointed to.
  std::byte *sharedMemory(uint64_t size);
  bool isInObject(const Bundle::Range &range) const;
  /// The bytes of a range before the launch, as the device needs them.
  const std::string &contentOf(const Bundle::Range &range) const;
  /// The buffer of these bytes of the bundle, made on the first call.
  cl_mem rootBuffer(uint64_t address, uint64_t size, cl_uint index);

  const Bundle &bundle_;
  const PlacedMemory &memory_;
  const Session session_;
  bool onHost_, sharesAllMemory_; // the device is a CPU; it reaches all memory of the process
  bool relocates_;                // the kernel follows pointers, and memory is elsewhere
  Relocation relocation_;
  std::map<const Bundle::Range *, std::string> relocated_; // the contents of ranges
  size_t replacedWords_ = 0;
  Program program_;
  Kernel kernel_;
  std::vector<std::unique_ptr<Object>> objects_;
  std::vector<Mem> subBuffers_;
  std::vector<Sampler> samplers_;
};

} // namespace bench
