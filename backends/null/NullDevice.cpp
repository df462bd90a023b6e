#include "backends/null/NullDevice.h"
#include "runtime/support/Ref.h"
#include "runtime/support/Trace.h"
#include <cstdlib>

namespace kiln::null {
namespace {

class Storage final : public Memory {
public:
  Storage(void *host, size_t size, bool owned) : Memory(uint64_t(host), host, size), owned_(owned) {}
  ~Storage() override {
    if (owned_)
      std::free(host);
  }

private:
  const bool owned_;
};

class NullFunction final : public Function {};

class NullCode final : public Code {
public:
  Result<Function *> function(const KernelInfo &) override { return &function_; }

private:
  NullFunction function_;
};

} // namespace

/// The list of operations outlives the stream: the thread that ends the last operation may thereby end the queue that
/// owns the stream.
class Line {
public:
  void hold() { count_.fetch_add(1); }
  void drop() {
    if (count_.fetch_sub(1) == 1)
      delete this;
  }
  void push(Operation &operation) {
    Lock lock(mutex_);
    operation.nextInStream = nullptr;
    (last_ ? last_->nextInStream : first_) = &operation;
    last_ = &operation;
  }
  /// For `step`: without becoming the one that runs the line.
  Operation *pop() {
    Lock lock(mutex_);
    return popFirst();
  }
  /// Makes the caller the one that runs the line, until `next` has nothing more.
  bool acquire() {
    Lock lock(mutex_);
    return !owned_ && (owned_ = true);
  }
  Operation *next() {
    Lock lock(mutex_);
    Operation *operation = popFirst();
    owned_ = operation;
    return operation;
  }

private:
  Operation *popFirst() KILN_REQUIRES(mutex_) {
    Operation *operation = first_;
    if (operation && !(first_ = operation->nextInStream))
      last_ = nullptr;
    return operation;
  }
  std::atomic<uint32_t> count_{0};
  Mutex mutex_;
  Operation *first_ KILN_GUARDED_BY(mutex_) = nullptr;
  Operation *last_ KILN_GUARDED_BY(mutex_) = nullptr;
  bool owned_ KILN_GUARDED_BY(mutex_) = false;
};

class NullStream final : public Stream {
public:
  explicit NullStream(NullDevice &device) : device_(device), line_(new Line) {
    Lock lock(device_.mutex_);
    device_.streams_.push_back(this);
  }
  ~NullStream() override {
    Lock lock(device_.mutex_);
    std::erase(device_.streams_, this);
  }

  void submit(Operation &operation) override { line_->push(operation); }
  void flush() override {
    if (!device_.held())
      drain();
  }
  void help(Done) override { flush(); }

  bool step(cl_int code) {
    Operation *operation = line_->pop();
    if (operation)
      run(*operation, code);
    return operation;
  }

  Status copy(const Region &, const Region &) override { return note(Asked::Copy); }
  Status fill(const Region &, std::span<const std::byte>) override { return note(Asked::Fill); }
  Status launch(const Launch &) override { return note(Asked::Launch); }

private:
  Status note(Asked what) {
    Lock lock(device_.mutex_);
    device_.asked_.push_back(what);
    return {};
  }
  void run(Operation &operation, cl_int code) {
    uint64_t start = operation.timed ? nowNanoseconds() : 0;
    Status status = operation.issue(*this);
    uint64_t end = operation.timed ? nowNanoseconds() : 0;
    operation.ended(status.ok() ? code : status.code(), start, end);
  }
  void drain() {
    Ref<Line> line = line_;
    if (line->acquire())
      while (Operation *operation = line->next())
        run(*operation, CL_SUCCESS); // the last one may end this stream
  }

  NullDevice &device_;
  const Ref<Line> line_;
};

NullDevice::NullDevice() {
  info_.type = CL_DEVICE_TYPE_CUSTOM;
  info_.name = "null";
  info_.vendor = "Kiln";
  info_.driverVersion = "1";
  info_.target = "cpu";
  info_.hostQueueProperties = CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  info_.maxWorkGroupSize = 1024;
  info_.maxWorkItemSizes = {1024, 1024, 1024};
  info_.globalMemSize = 1ull << 32;
  info_.maxAllocSize = 1ull << 30;
  info_.localMemSize = 64 << 10;
  info_.maxConstantBufferSize = 64 << 10;
  info_.maxConstantArgs = 8;
  info_.hostUnifiedMemory = info_.sharesHostMemory = true;
}

Result<std::unique_ptr<Memory>> NullDevice::allocate(size_t bytes) {
  void *host = std::aligned_alloc(128, (bytes + 127) / 128 * 128);
  if (!host)
    return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "no memory for ", bytes, " bytes");
  return std::unique_ptr<Memory>(new Storage(host, bytes, true));
}

Result<std::unique_ptr<Memory>> NullDevice::import(void *host, size_t bytes) {
  return std::unique_ptr<Memory>(new Storage(host, bytes, false));
}

Result<std::unique_ptr<Code>> NullDevice::load(const std::string &, const ProgramInfo &, std::string &) {
  return std::unique_ptr<Code>(new NullCode);
}

Result<std::unique_ptr<Stream>> NullDevice::createStream() { return std::unique_ptr<Stream>(new NullStream(*this)); }

bool NullDevice::step(cl_int code) {
  std::vector<NullStream *> streams;
  {
    Lock lock(mutex_);
    streams = streams_;
  }
  for (NullStream *stream : streams)
    if (stream->step(code))
      return true;
  return false;
}

std::vector<Asked> NullDevice::asked() const {
  Lock lock(mutex_);
  return asked_;
}

std::vector<std::unique_ptr<Device>> discover() {
  std::vector<std::unique_ptr<Device>> devices;
  devices.push_back(std::make_unique<NullDevice>());
  return devices;
}

} // namespace kiln::null
