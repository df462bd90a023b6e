#include "runtime/program/Printf.h"
#include "base/abi/KernelAbi.h"
#include "base/support/FileSizeLimit.h"
#include "base/support/Log.h"
#include "runtime/program/DeviceProgram.h"
#include "runtime/program/PrintfFormat.h"
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace kiln {
namespace {

constexpr size_t Bytes = abi::TrapRecordOffset + sizeof(abi::TrapRecord);
constexpr size_t MaxFreeBuffers = 4; // free buffers that the pool keeps
constexpr abi::PrintfBuffer Empty{.used = 0, .capacity = abi::PrintfCapacity};

Region hostRegion(const std::byte *host) {
  Region region;
  region.host = const_cast<std::byte *>(host);
  return region;
}

Region flat(Region region, size_t size) {
  region.rowPitch = region.slicePitch = size;
  region.extent = {size, 1, 1};
  return region;
}

} // namespace

Result<PrintfBuffer> PrintfPool::acquire(Device &device) {
  {
    Lock lock(mutex_);
    if (!free_.empty()) {
      PrintfBuffer buffer = std::move(free_.back());
      free_.pop_back();
      return buffer;
    }
  }
  PrintfBuffer buffer;
  buffer.memory = KILN_TRY(device.allocate(Bytes));
  if (!buffer.memory->host)
    buffer.copy = KILN_TRY(device.allocateHost(Bytes));
  else
    std::memset(buffer.memory->host, 0, Bytes);
  return buffer;
}

void PrintfPool::release(PrintfBuffer buffer) {
  Lock lock(mutex_);
  if (free_.size() < MaxFreeBuffers)
    free_.push_back(std::move(buffer));
}

Status PrintfOutput::begin(Issuer &issuer, uint64_t &address) {
  buffer_ = KILN_TRY(program_->printfPool().acquire(program_->device()));
  address = buffer_.memory->address;
  if (!buffer_.copy) { // all zero except the head
    std::memcpy(buffer_.host(), &Empty, sizeof Empty);
    return {};
  }
  constexpr std::byte Zero{};
  KILN_TRY(issuer.fill(flat({.memory = buffer_.memory.get()}, Bytes), {&Zero, 1}));
  return issuer.copy(flat({.memory = buffer_.memory.get()}, sizeof Empty),
                     flat(hostRegion(reinterpret_cast<const std::byte *>(&Empty)), sizeof Empty));
}

Status PrintfOutput::end(Issuer &issuer) {
  if (!buffer_.copy)
    return {};
  return issuer.copy(flat(hostRegion(buffer_.host()), Bytes), flat({.memory = buffer_.memory.get()}, Bytes));
}

std::optional<Trap> PrintfOutput::print() {
  if (!buffer_.memory) // `begin` has failed, or was not called
    return {};
  Trap trap;
  abi::PrintfBuffer head;
  std::memcpy(&head, buffer_.host(), sizeof head);
  if (head.used) {
    size_t size = std::min(head.used, abi::PrintfCapacity);
    std::byte *records = buffer_.host() + sizeof head;
    FileSizeLimit noSignal;
    flockfile(stdout); // do not mix the output of several launches
    const auto write = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
    size_t printed = formatRecords(program_->info().printf, {records, size}, write, &trap.message);
    std::fflush(stdout);
    funlockfile(stdout);
    if (printed < head.used)
      KILN_LOG(Warn, Program, head.used - printed, " bytes of printf records were lost: the limit of a launch is ",
               abi::PrintfCapacity, " (CL_DEVICE_PRINTF_BUFFER_SIZE)");
    if (!buffer_.copy)
      std::memset(records, 0, size);
  }
  std::memcpy(&trap.record, buffer_.host() + abi::TrapRecordOffset, sizeof trap.record);
  if (!buffer_.copy)
    std::memset(buffer_.host() + abi::TrapRecordOffset, 0, sizeof trap.record);
  program_->printfPool().release(std::move(buffer_));
  return trap.record.count ? std::optional(std::move(trap)) : std::nullopt;
}

} // namespace kiln
