#include "runtime/queue/Issue.h"
#include "runtime/enqueue/DeviceScheduler.h"
#include <algorithm>

namespace kiln {
namespace {

Region box(Region start, const Layout &layout, const Extent &extent) {
  start.offset = layout.offset;
  start.extent = extent;
  start.rowPitch = layout.rowPitch ? layout.rowPitch : extent[0];
  start.slicePitch = layout.slicePitch ? layout.slicePitch : start.rowPitch * extent[1];
  return start;
}

Region hostRegion(const void *host, const Layout &layout, const Extent &extent) {
  Region region;
  region.host = static_cast<std::byte *>(const_cast<void *>(host));
  return box(region, layout, extent);
}

Region flat(Region start, size_t offset, size_t size) { return box(start, {offset}, {size, 1, 1}); }

struct Issue {
  Stream &stream;
  const DeviceObject &device;

  Region shifted(Region start, const Buffer &buffer, const Layout &layout, const Extent &extent) {
    Region region = box(start, layout, extent);
    region.offset += buffer.offset();
    return region;
  }
  /// A box of the buffer in the device's storage.
  Result<Region> in(Buffer &buffer, const Layout &layout, const Extent &extent) {
    Region start;
    start.memory = KILN_TRY(buffer.residency().on(device));
    return shifted(start, buffer, layout, extent);
  }
  Status operator()(Marker &) { return {}; }
  Status operator()(ReadBuffer &c) {
    if (c.pieces.empty())
      return stream.copy(hostRegion(c.host, c.to, c.extent), KILN_TRY(in(*c.buffer, c.from, c.extent)));
    Residency &residency = c.buffer->residency();
    if (!isFlat(c.from, c.extent) || !isFlat(c.to, c.extent))
      return stream.copy(hostRegion(c.host, c.to, c.extent),
                         shifted(residency.in(c.pieces[0].place, device), *c.buffer, c.from, c.extent));
    for (const Piece &piece : c.pieces) {
      size_t size = piece.end - piece.begin, at = piece.begin - c.buffer->offset() - c.from.offset;
      KILN_TRY(stream.copy(hostRegion(c.host, {c.to.offset + at}, {size, 1, 1}),
                           flat(residency.in(piece.place, device), piece.begin, size)));
    }
    return {};
  }
  Status operator()(WriteBuffer &c) {
    Region to = KILN_TRY(in(*c.buffer, c.to, c.extent));
    return stream.copy(to, hostRegion(c.host, c.from, c.extent));
  }
  Status operator()(CopyBuffer &c) {
    Region from = KILN_TRY(in(*c.source, c.from, c.extent));
    Region to = KILN_TRY(in(*c.destination, c.to, c.extent));
    return stream.copy(to, from);
  }
  Status operator()(FillBuffer &c) {
    Region to = KILN_TRY(in(*c.buffer, {c.offset}, {c.size, 1, 1}));
    return stream.fill(to, std::span(c.pattern).first(c.patternSize));
  }
  // What is to be moved for these is a matter of Placement, and has been by now.
  Status operator()(MapBuffer &) { return {}; }
  Status operator()(UnmapMem &) { return {}; }
  Status operator()(Migrate &) { return {}; }
  Status operator()(NDRange &c) {
    if (std::ranges::any_of(c.launch.launch.globalSize, [](uint64_t size) { return size == 0; }))
      return {};
    Launch &launch = c.launch.launch;
    if (c.launch.output)
      KILN_TRY(c.launch.output->begin(stream, launch.printfBuffer));
    if (c.launch.children)
      KILN_TRY(c.launch.children->begin(stream, launch.enqueueArena));
    KILN_TRY(stream.launch(launch));
    if (c.launch.children)
      KILN_TRY(c.launch.children->end(stream));
    return c.launch.output ? c.launch.output->end(stream) : Status();
  }
  Status operator()(NativeKernel &c) {
    c.function(c.hasArguments ? c.arguments.data() : nullptr);
    return {};
  }
  Status operator()(Transfer &c) {
    Residency &residency = c.root->residency();
    Region from = residency.in(c.from, device), to = residency.in(c.to, device);
    for (const Piece &piece : c.pieces) {
      size_t size = piece.end - piece.begin;
      KILN_TRY(stream.copy(flat(to, piece.begin, size), flat(from, piece.begin, size)));
    }
    return {};
  }
};

} // namespace

Status issueCommand(Command &command, Stream &stream, const DeviceObject &device) {
  return std::visit(Issue{stream, device}, command);
}

} // namespace kiln
