#include "runtime/enqueue/Child.h"
#include "runtime/support/Log.h"

namespace kiln {
namespace {

// Of records that the host does not see, so many bytes come back with the launch, and the rest when it turns out to be
// needed.
constexpr size_t FirstRecords = 4096;

} // namespace

Children::~Children() {
  if (arena_)
    scheduler_.giveArena(std::move(arena_));
}

Status Children::begin(Stream &stream, uint64_t &address) {
  const auto &blocks = program_->blocks();
  const size_t table = sizeof(abi::EnqueueArena);
  records_ = table + blocks.size() * sizeof(abi::BlockInfo);
  arena_ = KILN_TRY(scheduler_.takeArena(records_));
  const uint64_t most = scheduler_.device_.info().maxWorkGroupSize;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const Plan &plan = blocks[i]->info.plan;
    arena_.at<abi::BlockInfo>(table)[i] = {.maxWorkGroupSize =
                                               plan.maxWorkGroupSize ? std::min(plan.maxWorkGroupSize, most) : most,
                                           .preferredMultiple = plan.preferredMultiple,
                                           .subGroupSize = plan.subGroupSize};
  }
  Ref<DeviceQueue> queue = scheduler_.defaultQueue();
  *arena_.at<abi::EnqueueArena>() = {.used = 0,
                                     .capacity = arena_.size() - records_,
                                     .records = arena_.address() + records_,
                                     .defaultQueue = queue ? queue->address() : 0,
                                     .events = scheduler_.eventsAddress(),
                                     .blocks = arena_.address() + table,
                                     .detailed = rules_.detailed,
                                     .uniform = rules_.uniform};
  address = arena_.address();
  return arena_.publish(stream, 0, records_);
}

Status Children::end(Stream &stream) {
  if (!arena_.isCopied())
    return {};
  KILN_TRY(arena_.fetch(stream, 0, std::min(arena_.size(), records_ + FirstRecords)));
  return scheduler_.fetchEvents(stream, arena_.host() + arena_.size());
}

/// The records that did not come back with the launch.
class Children::Rest final : public Operation {
public:
  Rest(Children &of, Children &root, Family &family) : of_(of), root_(root), family_(family) {}
  Status issue(Stream &stream) override {
    const auto &head = *of_.arena_.at<abi::EnqueueArena>();
    const size_t begin = of_.records_ + FirstRecords;
    return of_.arena_.fetch(stream, begin, std::min<uint64_t>(of_.records_ + head.used, of_.arena_.size()) - begin);
  }
  void onEnded(cl_int code, uint64_t, uint64_t) noexcept override {
    Children &of = of_, &root = root_;
    Family &family = family_;
    delete this;
    of.scheduler_.launchEnded(of, root, family, code);
  }

private:
  Children &of_, &root_;
  Family &family_;
};

void Children::collect(Children &root, Family &family, cl_int code) noexcept {
  if (code < 0 || !arena_.isCopied() || arena_.at<abi::EnqueueArena>()->used <= FirstRecords)
    return scheduler_.launchEnded(*this, root, family, code);
  auto *rest = new (std::nothrow) Rest(*this, root, family);
  if (!rest)
    return scheduler_.launchEnded(*this, root, family, CL_OUT_OF_HOST_MEMORY);
  LockedStream &stream = *root.home_;
  stream.submit(*rest);
  stream->flush();
}

void Children::adopt(Ancestor &ancestor, LockedStream &stream) noexcept {
  home_ = &stream;
  root_.ancestor = &ancestor;
  collect(*this, root_, CL_SUCCESS);
}

} // namespace kiln
