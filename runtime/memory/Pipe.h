// Pipes: memory objects that only kernels access. base/abi/PipeAbi.h defines their contents.
#pragma once
#include "runtime/memory/Buffer.h"

namespace kiln {

class Pipe final : public MemObject {
public:
  /// clCreatePipe with all its rules except those for its properties.
  static Result<Ref<Pipe>> create(Context &context, cl_mem_flags flags, cl_uint packetSize, cl_uint maxPackets);

  cl_uint packetSize() const { return packetSize_; }
  cl_uint maxPackets() const { return maxPackets_; }
  void *hostPointer() const override { return nullptr; }
  cl_uint mapCount() const override { return 0; }
  Buffer &storage() override { return *storage_; }

private:
  Pipe(Context &context, cl_mem_flags flags, Ref<Buffer> storage, cl_uint packetSize, cl_uint maxPackets)
      : MemObject(&context, CL_MEM_OBJECT_PIPE, flags, storage->size(), {}), storage_(std::move(storage)),
        packetSize_(packetSize), maxPackets_(maxPackets) {}

  const Ref<Buffer> storage_;
  const cl_uint packetSize_, maxPackets_;
};

} // namespace kiln
