#include "base/support/Handle.h"
#include <atomic>

namespace kiln {
namespace {
constinit std::atomic<const void *> dispatchTable{nullptr};
} // namespace
const void *icdDispatch() { return dispatchTable.load(std::memory_order_acquire); }
void setIcdDispatch(const void *table) { dispatchTable.store(table, std::memory_order_release); }
} // namespace kiln
