#include "runtime/memory/Allocations.h"

namespace kiln {

void Allocations::Epoch::decRef() {
  // A loop, not a recursion: the chain may be as long as there are launches.
  for (Epoch *epoch = this; epoch && epoch->count_.fetch_sub(1, std::memory_order_acq_rel) == 1;) {
    Epoch *next = epoch->next_.leak();
    delete epoch;
    epoch = next;
  }
}

Allocations::AllocationMap::const_iterator Allocations::holding(uintptr_t address) const {
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin())
    return allocations_.end();
  --after;
  return address - after->first < after->second.allocation->size() ? after : allocations_.end();
}

Result<void *> Allocations::allocate(const Context &context, const Allocation::Request &request) {
  Ref<Allocation> allocation = KILN_TRY(Allocation::create(context, request));
  const auto begin = uintptr_t(allocation->begin());
  Lock lock(mutex_);
  auto after = allocations_.lower_bound(begin);
  if (holding(begin) != allocations_.end() ||
      (after != allocations_.end() && after->first - begin < allocation->size()))
    return fail(CL_OUT_OF_RESOURCES, "two devices have memory at the same address");
  allocations_.emplace_hint(after, begin, Entry{allocation, Ref<Epoch>(new Epoch)});
  return static_cast<void *>(allocation->begin());
}

Ref<Allocation> Allocations::find(const void *pointer) const {
  Lock lock(mutex_);
  auto found = holding(uintptr_t(pointer));
  return found == allocations_.end() ? nullptr : found->second.allocation;
}

std::vector<Ref<Allocation>> Allocations::all(const Epoch *epoch) const {
  std::vector<Ref<Allocation>> list;
  Lock lock(mutex_);
  for (const auto &[begin, entry] : allocations_)
    list.push_back(entry.allocation);
  for (; epoch; epoch = epoch->next_.get())
    if (epoch->freed_)
      list.push_back(epoch->freed_);
  return list;
}

bool Allocations::free(Allocation &allocation) noexcept {
  Entry taken; // destroyed after the lock is released
  Lock lock(mutex_);
  auto found = allocations_.find(uintptr_t(allocation.begin()));
  if (found == allocations_.end() || found->second.allocation.get() != &allocation)
    return false;
  taken = std::move(found->second);
  allocations_.erase(found);
  if (current_->count_.load(std::memory_order_acquire) > 1) {
    current_->freed_ = taken.allocation;
    current_->next_ = taken.next;
    std::swap(current_, taken.next); // only its launches hold an epoch that has ended
  }
  return true;
}

} // namespace kiln
