#include "runtime/platform/RunSynchronously.h"
#include "base/support/Futex.h"

namespace kiln {
namespace {

class SynchronousOperation final : public Operation {
public:
  explicit SynchronousOperation(std::function<Status(Issuer &)> issue) : issue_(std::move(issue)) {}

  Status issue(Issuer &issuer) override { return issue_(issuer); }
  // The stream still uses the operation when it wakes the waiting thread.
  void onEnded(cl_int code, uint64_t, uint64_t) override {
    std::shared_ptr<SynchronousOperation> self = std::move(self_);
    code_ = code;
    ended_.store(1, std::memory_order_seq_cst);
    waitQueue_.wake(ended_);
  }

  static Status run(Stream &stream, std::shared_ptr<SynchronousOperation> operation) {
    operation->self_ = operation;
    stream.submit(*operation);
    stream.flush();
    auto done = [](const void *self) { return static_cast<const SynchronousOperation *>(self)->ended_.load() != 0; };
    stream.progressUntil({done, operation.get()});
    operation->waitQueue_.wait(operation->ended_, [&] { return done(operation.get()); });
    return operation->code_ == CL_SUCCESS ? Status()
                                          : fail(operation->code_, "an internal operation of the device failed");
  }

private:
  const std::function<Status(Issuer &)> issue_;
  cl_int code_ = CL_SUCCESS;
  std::atomic<uint32_t> ended_{0};
  WaitQueue waitQueue_;
  std::shared_ptr<SynchronousOperation> self_;
};

} // namespace

Status runSynchronously(Device &device, std::function<Status(Issuer &)> issue) {
  std::unique_ptr<Stream> stream = KILN_TRY(device.createStream());
  return SynchronousOperation::run(*stream, std::make_shared<SynchronousOperation>(std::move(issue)));
}

} // namespace kiln
