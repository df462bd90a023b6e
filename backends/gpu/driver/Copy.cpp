// Copies and fills. Boxes are merged into contiguous ranges where possible; the rest are slices of rows with pitches.
//
// Pinned host memory is copied directly, pageable memory through the stream's staging ring. The driver copies between
// devices of one library.
#include "backends/gpu/driver/GpuMemory.h"
#include "backends/gpu/driver/GpuStream.h"
#include <algorithm>
#include <cstring>

namespace kiln::gpu {

/// One side of a copy.
struct GpuStreamState::Side {
  enum class Kind : uint8_t { Device, Pinned, Host } kind = Kind::Host;
  Address address = 0; // on the device, or the host's
  GpuDevice *owner = nullptr;
  size_t rowPitch = 0, slicePitch = 0;

  std::byte *host() const { return reinterpret_cast<std::byte *>(address); }
};

/// The same number of rows on both sides.
struct GpuStreamState::Rows {
  size_t width = 0, rows = 1;
  size_t toPitch = 0, fromPitch = 0;
};

Result<GpuStreamState::Side> GpuStreamState::side(const Region &region) const {
  Side side;
  side.rowPitch = region.rowPitch;
  side.slicePitch = region.slicePitch;
  if (auto *storage = dynamic_cast<const GpuMemory *>(region.memory);
      storage && &storage->device.driver() == &device_.driver()) {
    const bool managed = storage->isManaged(); // every device of the driver accesses managed memory as its own
    const bool onDevice =
        managed || storage->kind == GpuMemory::Kind::OnDevice || storage->kind == GpuMemory::Kind::External;
    side.kind = onDevice ? Side::Kind::Device : Side::Kind::Pinned;
    side.address = (onDevice ? storage->address : uint64_t(storage->host)) + region.offset;
    side.owner = managed ? &device_ : &storage->device;
    return side;
  }
  auto *base = region.memory ? static_cast<std::byte *>(region.memory->host) : region.host;
  if (!base)
    return fail(CL_INVALID_OPERATION, "device ", device_.info().name, " cannot access the storage");
  side.address = uint64_t(base + region.offset);
  size_t bytes =
      (region.extent[2] - 1) * region.slicePitch + (region.extent[1] - 1) * region.rowPitch + region.extent[0];
  if (device_.driver().pinned.covers(side.host(), bytes))
    side.kind = Side::Kind::Pinned;
  return side;
}

Status GpuStreamState::copy(const Region &toRegion, const Region &fromRegion) {
  issueChain();
  auto [width, rows, slices] = toRegion.extent;
  if (!width || !rows || !slices)
    return {};
  Side to = KILN_TRY(side(toRegion)), from = KILN_TRY(side(fromRegion));
  if (rows == 1) { // treat the slices as rows
    rows = std::exchange(slices, 1);
    to.rowPitch = to.slicePitch;
    from.rowPitch = from.slicePitch;
  } else if (slices > 1 && to.slicePitch == to.rowPitch * rows && from.slicePitch == from.rowPitch * rows) {
    rows *= std::exchange(slices, 1);
  }
  if (rows == 1 || (to.rowPitch == width && from.rowPitch == width)) {
    width *= std::exchange(rows, 1);
    to.rowPitch = from.rowPitch = width;
  }
  for (size_t slice = 0; slice < slices; ++slice) {
    KILN_TRY(copyRows(to, from, {width, rows, to.rowPitch, from.rowPitch}));
    to.address += to.slicePitch;
    from.address += from.slicePitch;
  }
  return {};
}

Status GpuStreamState::copyRows(const Side &to, const Side &from, const Rows &rows) {
  using Kind = Side::Kind;
  using CopyDirection = Driver::CopyDirection;
  if (to.kind == Kind::Device && from.kind == Kind::Device) {
    if (to.owner != &device_ || from.owner != &device_)
      return copyPeers(to, from, rows);
    return copyDirect(CopyDirection::OnDevice, to.address, from.address, rows);
  }
  if (to.kind == Kind::Device)
    return from.kind == Kind::Pinned ? copyDirect(CopyDirection::ToDevice, to.address, from.address, rows)
                                     : write(to.address, from.host(), rows);
  if (from.kind == Kind::Device)
    return to.kind == Kind::Pinned ? copyDirect(CopyDirection::ToHost, to.address, from.address, rows)
                                   : read(to.host(), from.address, rows);
  return copyOnHost(to.host(), from.host(), rows);
}

Status GpuStreamState::copyDirect(Driver::CopyDirection direction, Address to, Address from, const Rows &rows) {
  const Driver &driver = device_.driver();
  const DriverFunctions &calls = driver.calls;
  issued(); // also if a call fails
  if (rows.rows > 1 && rows.toPitch <= device_.maxPitch() && rows.fromPitch <= device_.maxPitch()) {
    int code = driver.copyRows(direction, to, rows.toPitch, from, rows.fromPitch, rows.width, rows.rows, handle_);
    issued();
    return code ? device_.failed(code, "the copy of rows") : Status();
  }
  for (size_t row = 0; row < rows.rows; ++row) {
    switch (direction) {
    case Driver::CopyDirection::ToDevice:
      KILN_TRY(device_.run(calls.copyToDevice, to, reinterpret_cast<const void *>(from), rows.width, handle_));
      break;
    case Driver::CopyDirection::ToHost:
      KILN_TRY(device_.run(calls.copyToHost, reinterpret_cast<void *>(to), from, rows.width, handle_));
      break;
    case Driver::CopyDirection::OnDevice:
      KILN_TRY(device_.run(calls.copyOnDevice, to, from, rows.width, handle_));
      break;
    }
    to += rows.toPitch;
    from += rows.fromPitch;
  }
  issued();
  return {};
}

Status GpuStreamState::copyPeers(const Side &to, const Side &from, const Rows &rows) {
  for (GpuDevice *owner : {to.owner, from.owner}) {
    if (!owner->usable())
      return owner->lostStatus();
    if (owner != &device_)
      device_.connect(*owner);
  }
  for (size_t row = 0; row < rows.rows; ++row) {
    int code =
        device_.driver().copyPeer(to.address + row * rows.toPitch, to.owner->context(),
                                  from.address + row * rows.fromPitch, from.owner->context(), rows.width, handle_);
    issued();
    if (Driver::isFatal(code)) // of either device
      for (GpuDevice *owner : {to.owner, from.owner})
        owner->probe();
    if (code)
      return device_.driver().failed(code, "the copy between devices");
  }
  return {};
}

namespace {

/// Divides rows into chunks of at most `most` bytes: whole rows, or parts of one. Calls body(row, rows, first byte,
/// bytes).
template <typename Body> Status inChunks(size_t width, size_t rows, size_t most, Body body) {
  if (width <= most) {
    size_t each = most / width;
    for (size_t row = 0; row < rows; row += each)
      KILN_TRY(body(row, std::min(each, rows - row), size_t(0), width));
    return {};
  }
  for (size_t row = 0; row < rows; ++row)
    for (size_t first = 0; first < width; first += most)
      KILN_TRY(body(row, size_t(1), first, std::min(most, width - first)));
  return {};
}

size_t spanOf(size_t pitch, size_t width, size_t rows) { return (rows - 1) * pitch + width; }

} // namespace

Status GpuStreamState::write(Address to, const std::byte *from, const Rows &rows) {
  KILN_TRY(waitHostCopies(from, spanOf(rows.fromPitch, rows.width, rows.rows), true));
  if (rows.rows == 1 && rows.width <= device_.driver().directWriteBytes())
    return copyDirect(Driver::CopyDirection::ToDevice, to, Address(from), rows);
  return inChunks(
      rows.width, rows.rows, Staging::ChunkBytes, [&](size_t row, size_t count, size_t first, size_t bytes) {
        std::byte *room = KILN_TRY(staging_->reserve(bytes * count));
        gather(room, {const_cast<std::byte *>(from) + row * rows.fromPitch + first, rows.fromPitch, bytes, count});
        KILN_TRY(copyDirect(Driver::CopyDirection::ToDevice, to + row * rows.toPitch + first, Address(room),
                            {bytes, count, rows.toPitch, bytes}));
        return staging_->push({});
      });
}

Status GpuStreamState::read(std::byte *to, Address from, const Rows &rows) {
  KILN_TRY(waitHostCopies(to, spanOf(rows.toPitch, rows.width, rows.rows),
                          false)); // this stream's own copies arrive in order
  return inChunks(rows.width, rows.rows, Staging::ChunkBytes,
                  [&](size_t row, size_t count, size_t first, size_t bytes) {
                    std::byte *room = KILN_TRY(staging_->reserve(bytes * count));
                    KILN_TRY(copyDirect(Driver::CopyDirection::ToHost, Address(room),
                                        from + row * rows.fromPitch + first, {bytes, count, bytes, rows.fromPitch}));
                    KILN_TRY(staging_->push({to + row * rows.toPitch + first, rows.toPitch, bytes, count}));
                    // The chunk arrives after everything that was issued before it, so a batch that waits for the
                    // chunk needs no event. `closeOpen` reads this before the number of chunks.
                    issuedSinceEvent_.store(false, std::memory_order_release);
                    return Status();
                  });
}

Status GpuStreamState::copyOnHost(std::byte *to, const std::byte *from, const Rows &rows) {
  // The driver has no operation for this, so the thread waits for the stream and then copies.
  KILN_TRY(synchronize());
  KILN_TRY(waitHostCopies(from, spanOf(rows.fromPitch, rows.width, rows.rows), true));
  KILN_TRY(waitHostCopies(to, spanOf(rows.toPitch, rows.width, rows.rows), true));
  for (size_t row = 0; row < rows.rows; ++row)
    std::memmove(to + row * rows.toPitch, from + row * rows.fromPitch, rows.width);
  return {};
}

Status GpuStreamState::waitHostCopies(const std::byte *host, size_t bytes, bool own) {
  if (own)
    if (uint64_t last = staging_->lastInto(host, bytes))
      KILN_TRY(staging_->waitArrived(last));
  for (const PendingHostCopy &copy : pendingHostCopies_)
    if (uint64_t last = copy.staging->lastInto(host, bytes))
      KILN_TRY(copy.staging->waitArrived(std::min(last, copy.arrival)));
  return {};
}

Status GpuStreamState::synchronize() {
  if (!busy() && !issuedSinceEvent_.load(std::memory_order_relaxed))
    return {};
  PooledEvent event = KILN_TRY(recorded(EventKind::Plain));
  const int code = device_.wait(event.get());
  return code ? device_.failed(code, device_.driver().calls.query.name) : Status();
}

Status GpuStreamState::fill(const Region &to, std::span<const std::byte> pattern) {
  issueChain();
  auto [width, rows, slices] = to.extent;
  if (!width || !rows || !slices)
    return {};
  Side side = KILN_TRY(this->side(to));
  if (rows == 1 || side.rowPitch == width) { // treat the slices as rows
    width *= rows;
    rows = std::exchange(slices, 1);
    side.rowPitch = side.slicePitch;
  } else if (slices > 1 && side.slicePitch == side.rowPitch * rows) {
    rows *= std::exchange(slices, 1);
  }
  if (slices == 1 && (rows == 1 || side.rowPitch == width))
    width *= std::exchange(rows, 1);
  if (side.kind != Side::Kind::Device) {
    KILN_TRY(synchronize());
    KILN_TRY(waitHostCopies(side.host(), (slices - 1) * side.slicePitch + spanOf(side.rowPitch, width, rows), true));
    for (size_t slice = 0; slice < slices; ++slice)
      for (size_t row = 0; row < rows; ++row)
        for (size_t i = 0; i < width; i += pattern.size())
          std::memcpy(side.host() + slice * side.slicePitch + row * side.rowPitch + i, pattern.data(), pattern.size());
    return {};
  }
  // Fills one row, then copies the filled rows repeatedly, twice as many each time.
  const auto copyRows = [&](Address to, size_t count) {
    return copyDirect(Driver::CopyDirection::OnDevice, to, side.address, {width, count, side.rowPitch, side.rowPitch});
  };
  KILN_TRY(fillFlat(side.address, width, pattern));
  for (size_t ready = 1; ready < rows; ready *= 2)
    KILN_TRY(copyRows(side.address + ready * side.rowPitch, std::min(ready, rows - ready)));
  for (size_t slice = 1; slice < slices; ++slice)
    KILN_TRY(copyRows(side.address + slice * side.slicePitch, rows));
  return {};
}

Status GpuStreamState::fillFlat(Address to, size_t bytes, std::span<const std::byte> pattern) {
  // Finds the smallest unit that repeats: the driver fills units of 1, 2 and 4 bytes.
  size_t unit = pattern.size();
  auto repeats = [&](size_t half) {
    return std::equal(pattern.begin(), pattern.begin() + ptrdiff_t(half), pattern.begin() + ptrdiff_t(half),
                      pattern.begin() + ptrdiff_t(half * 2));
  };
  while (unit > 1 && unit % 2 == 0 && repeats(unit / 2))
    unit /= 2;
  if (unit == 3 || unit > 4 || to % unit || bytes % unit)
    return fillLarge(to, bytes, pattern);
  const DriverFunctions &calls = device_.driver().calls;
  issued();
  uint32_t value = 0;
  std::memcpy(&value, pattern.data(), unit);
  Status status = unit == 1   ? device_.run(calls.fill8, to, static_cast<unsigned char>(value), bytes, handle_)
                  : unit == 2 ? device_.run(calls.fill16, to, static_cast<unsigned short>(value), bytes / 2, handle_)
                              : device_.run(calls.fill32, to, unsigned(value), bytes / 4, handle_);
  issued();
  return status;
}

Status GpuStreamState::prefetch(const Region &region, bool toHost) {
  issueChain();
  auto *storage = dynamic_cast<const GpuMemory *>(region.memory);
  const Driver &driver = device_.driver();
  if (!storage || !storage->isManaged() || !driver.calls.memPrefetch)
    return {};
  issued(); // also if the call fails
  const auto &call = driver.calls.memPrefetch;
  int code =
      call.function(storage->address + region.offset, region.extent[0], toHost ? NoDevice : device_.number(), handle_);
  // It is not an error if the pages stay where they are.
  return code && Driver::isFatal(code) ? device_.failed(code, call.name) : Status();
}

Status GpuStreamState::fillLarge(Address to, size_t bytes, std::span<const std::byte> pattern) {
  // Fills the beginning from the host, then copies the filled bytes repeatedly, twice as many each time.
  size_t ready = std::min<size_t>(bytes, (64 << 10) / pattern.size() * pattern.size());
  std::byte *room = KILN_TRY(staging_->reserve(ready));
  for (size_t i = 0; i < ready; i += pattern.size())
    std::memcpy(room + i, pattern.data(), std::min(pattern.size(), ready - i));
  KILN_TRY(copyDirect(Driver::CopyDirection::ToDevice, to, Address(room), {ready, 1, ready, ready}));
  KILN_TRY(staging_->push({}));
  while (ready < bytes) {
    size_t more = std::min(ready, bytes - ready);
    KILN_TRY(copyDirect(Driver::CopyDirection::OnDevice, to + ready, to, {more, 1, more, more}));
    ready += more;
  }
  return {};
}

} // namespace kiln::gpu
