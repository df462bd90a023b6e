#include "runtime/queue/Issue.h"
#include "base/support/Trace.h"
#include "runtime/capture/Capture.h"
#include "runtime/capture/Turn.h"
#include "runtime/crosscheck/CrossCheck.h"
#include "runtime/explore/ProgramPage.h"

namespace kiln {
namespace {

Region boxRegion(Region start, const BoxLayout &layout, const Extent &extent) {
  start.offset = layout.offset;
  start.extent = extent;
  start.rowPitch = layout.rowPitch ? layout.rowPitch : extent[0];
  start.slicePitch = layout.slicePitch ? layout.slicePitch : start.rowPitch * extent[1];
  return start;
}

Region hostRegion(const void *host, const BoxLayout &layout, const Extent &extent) {
  Region region;
  region.host = static_cast<std::byte *>(const_cast<void *>(host));
  return boxRegion(region, layout, extent);
}

Region contiguousRegion(Region start, size_t offset, size_t size) { return boxRegion(start, {offset}, {size, 1, 1}); }

struct Issue {
  Issuer &issuer;
  const DeviceObject &device;

  Region shifted(Region start, const Buffer &buffer, const BoxLayout &layout, const Extent &extent) {
    Region region = boxRegion(start, layout, extent);
    region.offset += buffer.offset();
    return region;
  }
  Region range(const PointerOperand &pointed, size_t size) {
    Region start;
    start.memory = pointed.in ? pointed.in->memoryFor(device) : nullptr;
    if (start.memory)
      return contiguousRegion(start, pointed.in->offsetOf(pointed.at), size);
    start.host = pointed.at;
    return contiguousRegion(start, 0, size);
  }
  /// A box of the buffer in the device's storage.
  Result<Region> in(Buffer &buffer, const BoxLayout &layout, const Extent &extent) {
    Region start;
    start.memory = KILN_TRY(buffer.residency().storageFor(device));
    Region region = shifted(start, buffer, layout, extent);
    region.offset += buffer.residency().origin();
    return region;
  }
  Status operator()(Marker &) { return {}; }
  Status operator()(ReadBuffer &c) {
    if (c.ranges.empty())
      return issuer.copy(hostRegion(c.host, c.to, c.extent), KILN_TRY(in(*c.buffer, c.from, c.extent)));
    Residency &residency = c.buffer->residency();
    if (!isContiguous(c.from, c.extent) || !isContiguous(c.to, c.extent))
      return issuer.copy(hostRegion(c.host, c.to, c.extent),
                         shifted(residency.regionIn(c.ranges[0].node, device), *c.buffer, c.from, c.extent));
    for (const NodeRange &range : c.ranges) {
      size_t size = range.end - range.begin, at = range.begin - c.buffer->offset() - c.from.offset;
      KILN_TRY(issuer.copy(hostRegion(c.host, {c.to.offset + at}, {size, 1, 1}),
                           contiguousRegion(residency.regionIn(range.node, device), range.begin, size)));
    }
    return {};
  }
  Status operator()(WriteBuffer &c) {
    Region to = KILN_TRY(in(*c.buffer, c.to, c.extent));
    return issuer.copy(to, hostRegion(c.host, c.from, c.extent));
  }
  Status operator()(CopyBuffer &c) {
    Region from = KILN_TRY(in(*c.source, c.from, c.extent));
    Region to = KILN_TRY(in(*c.destination, c.to, c.extent));
    return issuer.copy(to, from);
  }
  Status operator()(FillBuffer &c) {
    Region to = KILN_TRY(in(*c.buffer, c.to, c.extent));
    return issuer.fill(to, c.pattern.bytes());
  }
  // ResidencyManager has submitted the transfers of these commands.
  Status operator()(MapBuffer &) { return {}; }
  Status operator()(UnmapMem &) { return {}; }
  Status operator()(Migrate &) { return {}; }
  Status operator()(NDRange &c) {
    return c.launch.issue(issuer, [&] {
      auto run = [&] {
        return crosscheck::enabled(device) ? crosscheck::launch(issuer, c.launch, device)
                                           : issuer.launch(c.launch.launch);
      };
      return capture::enabled() ? capture::launch(issuer, c.launch, device, run) : run();
    });
  }
  Status operator()(RareCommand &c) { return std::visit(*this, c.command); }
  Status operator()(CopyMemory &c) {
    return c.size ? issuer.copy(range(c.to, c.size), range(c.from, c.size)) : Status();
  }
  Status operator()(FillMemory &c) { return c.size ? issuer.fill(range(c.to, c.size), c.pattern.bytes()) : Status(); }
  Status operator()(MigrateMemory &c) {
    if (c.flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)
      return {}; // the contents are undefined
    for (const PointerRange &given : c.ranges)
      if (Region region = range(given.pointed, given.size); region.memory)
        KILN_TRY(issuer.prefetch(region, c.flags & CL_MIGRATE_MEM_OBJECT_HOST));
    return {};
  }
  Status operator()(NoOpCommand &) { return {}; }
  Status operator()(RecordedCommands &c) {
    const bool timed = trace::enabled() || explore::enabled();
    for (RecordedCommand &command : c.commands) {
      if (!timed) {
        KILN_TRY(std::visit(*this, command));
        continue;
      }
      RecordedCommands::Times &times = c.times.emplace_back();
      times.start = KILN_TRY(markTime(command));
      KILN_TRY(std::visit(*this, command));
      times.end = KILN_TRY(markTime(command));
    }
    return {};
  }
  /// A mark, if the command is a launch.
  Result<std::unique_ptr<TimeMark>> markTime(const RecordedCommand &command) {
    if (!std::holds_alternative<NDRange>(command))
      return std::unique_ptr<TimeMark>();
    return issuer.markTime();
  }
  Status operator()(FreeMemory &) {
    return {};
  } // the memory is freed when the command is complete: earlier commands may use it
  Status operator()(NativeKernel &c) {
    c.function(c.hasArguments ? c.arguments.data() : nullptr);
    return {};
  }
  Status operator()(Transfer &c) {
    Residency &residency = c.root->residency();
    Region from = residency.regionIn(c.from, device), to = residency.regionIn(c.to, device);
    for (const NodeRange &range : c.ranges) {
      size_t size = range.end - range.begin;
      KILN_TRY(issuer.copy(contiguousRegion(to, range.begin, size), contiguousRegion(from, range.begin, size)));
    }
    return {};
  }
};

/// Returns true for a function of the application, which may wait for other commands.
bool isNativeKernel(const Command &command) {
  auto *rare = std::get_if<RareCommand>(&command);
  return rare && std::holds_alternative<NativeKernel>(rare->command);
}

} // namespace

Status issueCommand(Command &command, Issuer &issuer, const DeviceObject &device) {
  const bool copiesMemory = crosscheck::enabled(device) || (capture::enabled() && device.info().runsInIssue);
  if (copiesMemory && !isNativeKernel(command)) [[unlikely]] {
    capture::Turn turn;
    return std::visit(Issue{issuer, device}, command);
  }
  return std::visit(Issue{issuer, device}, command);
}

} // namespace kiln
