#include "runtime/queue/Command.h"
#include "base/support/Trace.h"
#include "runtime/capture/Capture.h"
#include "runtime/capture/Turn.h"
#include "runtime/check/Check.h"
#include "runtime/crosscheck/CrossCheck.h"
#include "runtime/explore/ProgramPage.h"
#include "runtime/program/DebuggedLaunch.h"
#include "runtime/program/FaultReplay.h"
#include "runtime/queue/DeviceIssuer.h"
#include <cstring>

namespace kiln {

Pattern::Pattern(const void *bytes, size_t size) : size_(size) { std::memcpy(bytes_.data(), bytes, size); }

// ---- the work of each kind -----------------------------------------------------------------------------------------

Status ReadBuffer::issue(const DeviceIssuer &on) {
  if (ranges.empty())
    return on.issuer.copy(hostRegion(host, to, extent), KILN_TRY(on.in(*buffer, from, extent)));
  Residency &residency = buffer->residency();
  if (!isContiguous(from, extent) || !isContiguous(to, extent))
    return on.issuer.copy(hostRegion(host, to, extent), on.inNode(ranges[0].node, *buffer, from, extent));
  for (const NodeRange &range : ranges) {
    size_t size = range.end - range.begin, at = range.begin - buffer->offset() - from.offset;
    KILN_TRY(on.issuer.copy(hostRegion(host, {to.offset + at}, {size, 1, 1}),
                            contiguousRegion(residency.regionIn(range.node, on.device), range.begin, size)));
  }
  return {};
}

Status WriteBuffer::issue(const DeviceIssuer &on) {
  Region target = KILN_TRY(on.in(*buffer, to, extent));
  return on.issuer.copy(target, hostRegion(host, from, extent));
}

Status CopyBuffer::issue(const DeviceIssuer &on) {
  Region read = KILN_TRY(on.in(*source, from, extent));
  Region written = KILN_TRY(on.in(*destination, to, extent));
  return on.issuer.copy(written, read);
}

Status FillBuffer::issue(const DeviceIssuer &on) {
  Region target = KILN_TRY(on.in(*buffer, to, extent));
  return on.issuer.fill(target, pattern.bytes());
}

Status MapBuffer::issue(const DeviceIssuer &) {
  const BoxRows rows(at, extent);
  if (IssuedMaps *maps = buffer->issuedMaps())
    maps->add({pointer, buffer->offset() + rows.begin, buffer->offset() + rows.end(), mapsForWriting(flags), mappedAt});
  return {};
}

Status UnmapMem::issue(const DeviceIssuer &) {
  if (IssuedMaps *maps = buffer->issuedMaps())
    maps->remove(map.pointer);
  return {};
}

Status MapMemory::issue(const DeviceIssuer &) {
  IssuedMaps *maps = pointed.in ? pointed.in->issuedMaps() : nullptr;
  if (maps && type == CL_COMMAND_SVM_UNMAP)
    maps->remove(pointed.at);
  else if (maps && !(pointed.in->flags() & CL_MEM_SVM_FINE_GRAIN_BUFFER)) {
    const size_t begin = pointed.in->offsetOf(pointed.at);
    maps->add({pointed.at, begin, begin + size, mapsForWriting(flags), mappedAt});
  }
  return {};
}

Status NDRange::issue(const DeviceIssuer &on) {
  return launch.issue(on.issuer, [&] {
    auto usual = [&] { return faults::launch(on.issuer, launch, on.device); };
    auto run = [&] {
      return crosscheck::enabled(on.device) ? crosscheck::launch(on.issuer, launch, on.device)
             : debugger::isSelected(launch) ? debugger::launch(launch, on.device, usual)
                                            : usual();
    };
    auto issue = [&] { return capture::enabled() ? capture::launch(on.issuer, launch, on.device, run) : run(); };
    if (!launch.kernel) // an initializer or a finalizer
      return issue();
    if (check::GpuLaunchCheck::isFor(launch, on.device)) [[unlikely]]
      return check::launchOnGpu(on.issuer, launch, on.device, issue);
    return check::enabled(on.device)
               ? check::launch(launch.grid, check::CheckTarget::of(launch, on.device), on.device, issue)
               : issue();
  });
}

Status NativeKernel::issue(const DeviceIssuer &) {
  function(hasArguments ? arguments.data() : nullptr);
  return {};
}

Status CopyMemory::issue(const DeviceIssuer &on) {
  return size ? on.issuer.copy(on.range(to, size), on.range(from, size)) : Status();
}

Status FillMemory::issue(const DeviceIssuer &on) {
  return size ? on.issuer.fill(on.range(to, size), pattern.bytes()) : Status();
}

Status MigrateMemory::issue(const DeviceIssuer &on) {
  if (flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)
    return {}; // the contents are undefined
  for (const PointerRange &given : ranges)
    if (Region region = on.range(given.pointed, given.size); region.memory)
      KILN_TRY(on.issuer.prefetch(region, flags & CL_MIGRATE_MEM_OBJECT_HOST));
  return {};
}

uint64_t RecordedCommands::expectedNanoseconds() const {
  uint64_t sum = 0;
  for (const RecordedCommand &command : commands)
    sum += std::visit([](const auto &kind) { return kind.expectedNanoseconds(); }, command);
  return sum;
}

Status RecordedCommands::issue(const DeviceIssuer &on) {
  const bool timesLaunches = trace::enabled() || explore::enabled();
  for (RecordedCommand &command : commands) {
    Times *timed = timesLaunches ? &times.emplace_back() : nullptr;
    const bool isTimed = timed && std::holds_alternative<NDRange>(command);
    if (isTimed)
      timed->start = KILN_TRY(on.issuer.markTime());
    KILN_TRY(std::visit([&](auto &kind) { return kind.issue(on); }, command));
    if (isTimed)
      timed->end = KILN_TRY(on.issuer.markTime());
  }
  return {};
}

Status Transfer::issue(const DeviceIssuer &on) {
  Residency &residency = root->residency();
  Region source = residency.regionIn(from, on.device), target = residency.regionIn(to, on.device);
  for (const NodeRange &range : ranges) {
    size_t size = range.end - range.begin;
    KILN_TRY(on.issuer.copy(contiguousRegion(target, range.begin, size), contiguousRegion(source, range.begin, size)));
  }
  return {};
}

// ---- all kinds -----------------------------------------------------------------------------------------------------

cl_command_type Command::commandType() const {
  return visit([](const auto &kind) { return kind.commandType(); });
}

// Not for launches that note the bytes that they write (runtime/check/LaunchCheck), and not for commands that move
// what is there.
static void noteWrites(Command &command, const DeviceObject &device) {
  if ((command.as<NDRange>() && check::enabled(device)) || command.as<Transfer>() || command.as<Migrate>())
    return;
  command.forEachUse(HostNode, [](const NodeUse &use) {
    if (WrittenBytes *written = use.access == AccessMode::Read ? nullptr : use.buffer.written())
      written->set(use.begin, use.end);
  });
}

Status Command::issue(Issuer &issuer, const DeviceObject &device) {
  if (checks().init) [[unlikely]]
    noteWrites(*this, device);
  auto issueKind = [on = DeviceIssuer{issuer, device}](auto &kind) { return kind.issue(on); };
  // A function of the application may wait for other commands, which need the turn.
  if ((crosscheck::enabled(device) || (capture::enabled() && device.info().runsInIssue)) && !as<NativeKernel>())
      [[unlikely]] {
    capture::Turn turn;
    return visit(issueKind);
  }
  return visit(issueKind);
}

const char *commandName(cl_command_type type) {
  switch (type) {
  case CL_COMMAND_MARKER:
    return "marker";
  case CL_COMMAND_BARRIER:
    return "barrier";
  case CL_COMMAND_READ_BUFFER:
    return "read buffer";
  case CL_COMMAND_READ_BUFFER_RECT:
    return "read buffer rect";
  case CL_COMMAND_WRITE_BUFFER:
    return "write buffer";
  case CL_COMMAND_WRITE_BUFFER_RECT:
    return "write buffer rect";
  case CL_COMMAND_COPY_BUFFER:
    return "copy buffer";
  case CL_COMMAND_COPY_BUFFER_RECT:
    return "copy buffer rect";
  case CL_COMMAND_FILL_BUFFER:
    return "fill buffer";
  case CL_COMMAND_MAP_BUFFER:
    return "map buffer";
  case CL_COMMAND_READ_IMAGE:
    return "read image";
  case CL_COMMAND_WRITE_IMAGE:
    return "write image";
  case CL_COMMAND_COPY_IMAGE:
    return "copy image";
  case CL_COMMAND_COPY_IMAGE_TO_BUFFER:
    return "copy image to buffer";
  case CL_COMMAND_COPY_BUFFER_TO_IMAGE:
    return "copy buffer to image";
  case CL_COMMAND_FILL_IMAGE:
    return "fill image";
  case CL_COMMAND_MAP_IMAGE:
    return "map image";
  case CL_COMMAND_UNMAP_MEM_OBJECT:
    return "unmap";
  case CL_COMMAND_NDRANGE_KERNEL:
    return "kernel";
  case CL_COMMAND_TASK:
    return "task";
  case CL_COMMAND_MIGRATE_MEM_OBJECTS:
    return "migrate";
  case CL_COMMAND_NATIVE_KERNEL:
    return "native kernel";
  case CL_COMMAND_SVM_FREE:
    return "free memory";
  case CL_COMMAND_SVM_MEMCPY:
  case CL_COMMAND_MEMCPY_INTEL:
    return "copy memory";
  case CL_COMMAND_SVM_MEMFILL:
  case CL_COMMAND_MEMFILL_INTEL:
    return "fill memory";
  case CL_COMMAND_SVM_MAP:
    return "map memory";
  case CL_COMMAND_SVM_UNMAP:
    return "unmap memory";
  case CL_COMMAND_SVM_MIGRATE_MEM:
  case CL_COMMAND_MIGRATEMEM_INTEL:
    return "migrate memory";
  case CL_COMMAND_MEMADVISE_INTEL:
    return "advise memory";
  case CL_COMMAND_COMMAND_BUFFER_KHR:
    return "command buffer";
  case CL_COMMAND_USER:
    return "user event";
  }
  return "command";
}

} // namespace kiln
