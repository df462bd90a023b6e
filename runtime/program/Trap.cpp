#include "runtime/program/Trap.h"
#include "base/support/Status.h"
#include "runtime/program/WorkItem.h"

namespace kiln {

std::string Trap::describe(const Launch &grid, const std::array<uint64_t, 3> &localSize) const {
  const std::array<uint64_t, 3> item{record.item[0], record.item[1], record.item[2]};
  return text("a failed assertion or a trap", record.line ? text(" in line ", record.line) : "", ": ",
              describeItem(grid, localSize, item), record.count > 1 ? text(", and ", record.count - 1, " others") : "",
              message.empty() ? "" : "; it printed: ", message.substr(0, message.find('\n')));
}

} // namespace kiln
