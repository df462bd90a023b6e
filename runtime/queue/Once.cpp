#include "runtime/queue/Once.h"
#include "runtime/support/Futex.h"

namespace kiln {
namespace {

class Once final : public Operation {
public:
  explicit Once(std::function<Status(Stream &)> issue) : issue_(std::move(issue)) {}

  Status issue(Stream &stream) override { return issue_(stream); }
  // The stream still has this in hands when it wakes the thread that waits.
  void ended(cl_int code, uint64_t, uint64_t) override {
    std::shared_ptr<Once> self = std::move(self_);
    code_ = code;
    ended_.store(1, std::memory_order_seq_cst);
    sleepers_.wake(ended_);
  }

  static Status run(Stream &stream, std::shared_ptr<Once> operation) {
    operation->self_ = operation;
    stream.submit(*operation);
    stream.flush();
    auto done = [](const void *self) { return static_cast<const Once *>(self)->ended_.load() != 0; };
    stream.help({done, operation.get()});
    operation->sleepers_.wait(operation->ended_, [&] { return done(operation.get()); });
    return operation->code_ == CL_SUCCESS ? Status() : fail(operation->code_, "the device does not do what it is to do");
  }

private:
  const std::function<Status(Stream &)> issue_;
  cl_int code_ = CL_SUCCESS;
  std::atomic<uint32_t> ended_{0};
  Sleepers sleepers_;
  std::shared_ptr<Once> self_;
};

} // namespace

Status runOnce(Device &device, std::function<Status(Stream &)> issue) {
  std::unique_ptr<Stream> stream = KILN_TRY(device.createStream());
  return Once::run(*stream, std::make_shared<Once>(std::move(issue)));
}

} // namespace kiln
