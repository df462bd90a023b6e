#include "backends/null/NullDevice.h"
#include "base/support/Ref.h"
#include "base/support/Trace.h"
#include <cstdlib>
#include <deque>

namespace kiln::null {
namespace {

class NullMemory final : public Memory {
public:
  NullMemory(void *data, size_t size, bool owned, bool shown)
      : Memory(uint64_t(data), shown ? data : nullptr, size), owned_(owned) {}
  ~NullMemory() override {
    if (owned_)
      std::free(reinterpret_cast<void *>(address));
  }

private:
  const bool owned_;
};

class NullFence final : public Fence {};

class NullFunction final : public Function {};

class NullCode final : public Code {
public:
  Result<Function *> function(const KernelInfo &) override { return &function_; }

private:
  NullFunction function_;
};

} // namespace

/// The list of operations. Outlives the stream: the thread that ends the last operation may destroy the queue that owns
/// the stream.
class NullStreamState {
public:
  void incRef() { count_.fetch_add(1); }
  void decRef() {
    if (count_.fetch_sub(1) == 1)
      delete this;
  }
  struct Entry {
    Operation *operation = nullptr;
    cl_int issued = CL_SUCCESS; // result of its issue, if it was issued in submit
  };
  void push(Operation &operation, cl_int issued) {
    Lock lock(mutex_);
    entries_.push_back({&operation, issued});
  }
  /// For `completeOne`: pops without becoming the thread that runs the stream.
  Entry pop() {
    Lock lock(mutex_);
    return popFirst();
  }
  /// Returns true if the caller becomes the thread that runs the stream, until `next` returns no operation.
  bool acquire() {
    Lock lock(mutex_);
    return !isRunning_ && (isRunning_ = true);
  }
  Entry next() {
    Lock lock(mutex_);
    Entry entry = popFirst();
    isRunning_ = entry.operation;
    return entry;
  }
  size_t size() {
    Lock lock(mutex_);
    return entries_.size();
  }

private:
  Entry popFirst() KILN_REQUIRES(mutex_) {
    if (entries_.empty())
      return {};
    Entry first = entries_.front();
    entries_.pop_front();
    return first;
  }
  std::atomic<uint32_t> count_{0};
  Mutex mutex_;
  std::deque<Entry> entries_ KILN_GUARDED_BY(mutex_);
  bool isRunning_ KILN_GUARDED_BY(mutex_) = false;
};

class NullStream final : public Stream, private Issuer {
public:
  explicit NullStream(NullDevice &device) : device_(device), state_(new NullStreamState) {
    Lock lock(device_.mutex_);
    device_.streams_.push_back(this);
  }
  ~NullStream() override {
    Lock lock(device_.mutex_);
    std::erase(device_.streams_, this);
  }

  void submit(Operation &operation) override {
    device_.timed_ += operation.needsTimes;
    if (device_.info_.hasFences)
      state_->push(operation, operation.issue(*this).code());
    else
      state_->push(operation, CL_SUCCESS);
  }
  void flush() override {
    if (!device_.isPaused())
      drain();
  }
  void progressUntil(WaitCondition) override { flush(); }

  bool completeOne(cl_int code) {
    NullStreamState::Entry entry = state_->pop();
    if (entry.operation)
      run(entry, code);
    return entry.operation;
  }
  size_t open() const { return state_->size(); }

  Result<std::shared_ptr<Fence>> recordFence() override {
    KILN_TRY(record(RecordedCall::RecordFence));
    return std::shared_ptr<Fence>(new NullFence);
  }

private:
  Status copy(const Region &, const Region &) override { return record(RecordedCall::Copy); }
  Status fill(const Region &, std::span<const std::byte>) override { return record(RecordedCall::Fill); }
  Status launch(const Launch &) override { return record(RecordedCall::Launch); }
  Result<std::unique_ptr<TimeMark>> markTime() override { return std::make_unique<TimeMark>(nowNanoseconds()); }
  Status waitFence(const Fence &) override { return record(RecordedCall::WaitFence); }

  Status record(RecordedCall what) {
    Lock lock(device_.mutex_);
    device_.recordedCalls_.push_back(what);
    return {};
  }
  void run(NullStreamState::Entry entry, cl_int code) {
    Operation &operation = *entry.operation;
    uint64_t start = operation.needsTimes ? nowNanoseconds() : 0;
    if (!device_.info_.hasFences)
      entry.issued = operation.issue(*this).code();
    uint64_t end = operation.needsTimes ? nowNanoseconds() : 0;
    operation.onEnded(entry.issued ? entry.issued : code, start, end);
  }
  void drain() {
    Ref<NullStreamState> state = state_;
    if (state->acquire())
      for (NullStreamState::Entry entry; (entry = state->next()).operation;)
        run(entry, CL_SUCCESS); // the last one may destroy this stream
  }

  NullDevice &device_;
  const Ref<NullStreamState> state_;
};

NullDevice::NullDevice() {
  info_.type = CL_DEVICE_TYPE_CUSTOM;
  info_.name = "null";
  info_.vendor = "Kiln";
  info_.driverVersion = "1";
  info_.target = "cpu";
  for (unsigned minor : {0, 1, 2})
    info_.openclCVersions.push_back({"OpenCL C", CL_MAKE_VERSION(1, minor, 0)});
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

Result<std::unique_ptr<Memory>> NullDevice::make(size_t bytes, bool shown) {
  void *host = std::aligned_alloc(128, (bytes + 127) / 128 * 128);
  if (!host)
    return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "no memory for ", bytes, " bytes");
  return std::unique_ptr<Memory>(new NullMemory(host, bytes, true, shown));
}

Result<std::unique_ptr<Memory>> NullDevice::import(void *host, size_t bytes) {
  if (!info_.sharesHostMemory)
    return std::unique_ptr<Memory>();
  return std::unique_ptr<Memory>(new NullMemory(host, bytes, false, true));
}

Result<std::unique_ptr<Code>> NullDevice::load(const CodePaths &, const ProgramInfo &, std::string &) {
  return std::unique_ptr<Code>(new NullCode);
}

Result<std::unique_ptr<Stream>> NullDevice::createStream(QueueHints) {
  return std::unique_ptr<Stream>(new NullStream(*this));
}

bool NullDevice::completeOne(cl_int code) {
  std::vector<NullStream *> streams;
  {
    Lock lock(mutex_);
    streams = streams_;
  }
  for (NullStream *stream : streams)
    if (stream->completeOne(code))
      return true;
  return false;
}

size_t NullDevice::open() const {
  Lock lock(mutex_);
  size_t count = 0;
  for (const NullStream *stream : streams_)
    count += stream->open();
  return count;
}

std::vector<RecordedCall> NullDevice::recordedCalls() const {
  Lock lock(mutex_);
  return recordedCalls_;
}

std::vector<std::unique_ptr<Device>> discover() {
  std::vector<std::unique_ptr<Device>> devices;
  devices.push_back(std::make_unique<NullDevice>());
  return devices;
}

} // namespace kiln::null
