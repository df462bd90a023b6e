#include "runtime/queue/Placement.h"
#include "runtime/queue/Event.h"
#include "runtime/queue/Queue.h"
#include "runtime/support/Log.h"
#include "runtime/support/Trace.h"
#include <algorithm>

namespace kiln {
namespace {

enum class Access : uint8_t {
  Read,
  ReadWrite,
  Overwrite, // every byte
  Claim,     // says that it is so already: the host has written through a map
};

/// One range of a root that a command uses in one place.
struct Use {
  Buffer &buffer;
  size_t begin, end; // in the root
  Place place;
  Access access;
  ReadBuffer *read = nullptr;       // reads the range from wherever it is
  const Buffer::Map *map = nullptr; // a claim of the rows alone, not of the gaps between them
};

/// Calls `visit` with each Use. `own` is the place of the command's device.
template <typename Visit> struct VisitUses {
  const Place own;
  Visit visit;

  /// What is at one address everywhere is nobody's to move.
  void moved(const Use &use) {
    if (!use.buffer.residency().allocation())
      visit(use);
  }
  void box(Buffer &buffer, Place place, const Layout &layout, const Extent &extent, Access access,
           ReadBuffer *read = nullptr) {
    if (!extent[0] || !extent[1] || !extent[2])
      return;
    const Rows rows(layout, extent);
    if (access == Access::Overwrite && !rows.flat())
      access = Access::ReadWrite; // the gaps survive
    moved(Use{buffer, buffer.offset() + rows.begin, buffer.offset() + rows.end(), place, access, read});
  }
  void whole(MemObject &object, Place place, Access access) {
    Buffer &buffer = object.storage();
    moved(Use{buffer, buffer.offset(), buffer.offset() + buffer.size(), place, access});
  }

  void operator()(ReadBuffer &c) { box(*c.buffer, own, c.from, c.extent, Access::Read, &c); }
  void operator()(WriteBuffer &c) { box(*c.buffer, own, c.to, c.extent, Access::Overwrite); }
  void operator()(FillBuffer &c) { box(*c.buffer, own, c.to, c.extent, Access::Overwrite); }
  void operator()(CopyBuffer &c) {
    box(*c.source, own, c.from, c.extent, Access::Read);
    box(*c.destination, own, c.to, c.extent, Access::Overwrite);
  }
  void operator()(MapBuffer &c) {
    // From here on the bytes are the host's alone, though it writes later: nobody else may use them until the unmap.
    Access access = c.flags & CL_MAP_WRITE_INVALIDATE_REGION ? Access::Overwrite
                    : c.flags & CL_MAP_WRITE                 ? Access::ReadWrite
                                                             : Access::Read;
    box(*c.buffer, HostPlace, c.at, c.extent, access);
  }
  void operator()(UnmapMem &c) {
    if (!c.map.writes)
      return;
    const Rows rows(c.map.at, c.map.extent);
    moved(Use{*c.buffer, rows.begin, rows.end(), HostPlace, Access::Claim, nullptr, rows.flat() ? nullptr : &c.map});
  }
  void operator()(NDRange &c) {
    if (std::ranges::any_of(c.launch.launch.globalSize, [](uint64_t size) { return size == 0; }))
      return;
    for (const KernelUse &use : c.launch.uses)
      if (use.reads || use.writes)
        whole(*use.object, own, use.writes ? Access::ReadWrite : Access::Read);
  }
  void operator()(Migrate &c) {
    Place place = c.flags & CL_MIGRATE_MEM_OBJECT_HOST ? HostPlace : own;
    Access access = c.flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED ? Access::Overwrite : Access::Read;
    for (const Ref<MemObject> &object : c.objects)
      whole(*object, place, access);
  }
  void operator()(RareCommand &c) {
    if (auto *native = std::get_if<NativeKernel>(&c.command))
      (*this)(*native);
  }
  void operator()(NativeKernel &c) {
    for (const Ref<MemObject> &object : c.objects)
      whole(*object, HostPlace, Access::ReadWrite);
  }
  void operator()(Transfer &c) {
    for (const NodeRange &range : c.ranges)
      moved(Use{*c.root, range.begin, range.end, c.to, Access::Overwrite});
  }
  void operator()(Marker &) {}
};

template <typename Visit> void visitUses(Command &command, Place own, Visit visit) {
  std::visit(VisitUses<Visit &>{own, visit}, command);
}

std::string placeName(const Context &context, Place place) {
  return place == HostPlace ? "host" : text("device ", context.memories()[place - 1]->label());
}

} // namespace

/// One decision about one event. `check` finds what must come first and changes nothing but by pushes. When all uses
/// passed, `prepare` makes the fetches and room in the book, and `claim` writes there what will hold, for which there
/// is memory then. So the book is true wherever memory runs out: the transfers in it are on their way, and the event,
/// which fails, changes nothing.
class Placement::Decision {
public:
  Decision(Placement &placement, Event &event, LockedStream &stream, PlacementPlan &plan)
      : placement_(placement), context_(placement.context_), event_(event), stream_(stream), plan_(plan),
        device_(stream.device()), own_(context_.placeOf(device_)) {}

  Status run() {
    Status status;
    visitUses(event_.command_, own_, [&](const Use &use) {
      if (status.ok())
        status = check(use);
    });
    if (!status.ok() || !plan_.decided())
      return status;
    visitUses(event_.command_, own_, [&](const Use &use) { cut(use); });
    visitUses(event_.command_, own_, [&](const Use &use) { prepare(use); });
    visitUses(event_.command_, own_, [&](const Use &use) { claim(use); });
    visitUses(event_.command_, own_, [&](const Use &use) { use.buffer.residency().join(use.begin, use.end); });
    return status;
  }

private:
  using Spans = Residency::Spans;
  using Span = Residency::Span;
  using PendingWrite = Residency::PendingWrite;

  Status check(const Use &use);
  void cut(const Use &use);
  void prepare(const Use &use);
  void claim(const Use &use) noexcept;
  void claimRange(Residency &residency, size_t begin, size_t end, Place place) noexcept;
  /// The bytes of a span are not in the place: where to get them from.
  Status checkSource(Residency &residency, Spans::iterator span, const Use &use, Place to);
  Status push(Residency &residency, Spans::iterator span, const Use &use, Place from);
  void fetch(const Use &use, Place from, Place to, size_t begin, size_t end, Span &span);
  Ref<Event> transfer(const Use &use, Place from, Place to, LockedStream &stream);

  Access accessOf(const Use &use) const {
    return use.access == Access::Overwrite && event_.mayBeSkipped_ ? Access::ReadWrite : use.access;
  }
  static bool fetches(Access access) { return access == Access::Read || access == Access::ReadWrite; }
  /// Whether no other place has bytes of the range.
  static bool alone(Residency &residency, size_t begin, size_t end, Place place) noexcept {
    for (auto span = residency.spanAt(begin); span != residency.spans_.end() && span->first < end; ++span)
      if (span->second.current != placeBit(place))
        return false;
    return true;
  }
  Place placeFor(Residency &residency, const Span &span, const Use &use) const;
  std::optional<Place> directSource(const Span &span, Place to) const;
  void waitFor(Event &other);
  static void add(std::vector<Ref<Event>> &list, Event &other) {
    if (std::ranges::find(list, &other, &Ref<Event>::get) == list.end())
      list.emplace_back(&other);
  }
  static bool quiet(const Span &span, Place place) {
    return std::ranges::find(span.pendingWrites, place, &PendingWrite::place) == span.pendingWrites.end();
  }
  void waitForAll(const Span &span, Place place) {
    for (const PendingWrite &write : span.pendingWrites)
      if (write.place == place)
        waitFor(*write.event);
  }

  Placement &placement_;
  const Context &context_;
  Event &event_;
  LockedStream &stream_;
  PlacementPlan &plan_;
  DeviceObject &device_;
  const Place own_;
  std::optional<Place> readPlace_; // of a read that takes all from one place
};

void Placement::Decision::waitFor(Event &other) {
  if (other.isComplete() || (other.stream_ == &stream_ && !other.outlastsStream_))
    return; // over, or ahead on the same stream
  // Inside a device that orders its streams, what is remembered is marked when this event goes to its stream.
  if (!event_.isFencedBehind(other))
    add(plan_.waits, other);
}

Place Placement::Decision::placeFor(Residency &residency, const Span &span, const Use &use) const {
  if (!use.read)
    return use.place;
  if (readPlace_)
    return *readPlace_;
  return span.current & placeBit(own_) && residency.has(own_) ? own_ : HostPlace;
}

std::optional<Place> Placement::Decision::directSource(const Span &span, Place to) const {
  std::optional<Place> found;
  auto offer = [&](Place place) {
    if (place != to && span.current & placeBit(place) && (!found || (!quiet(span, *found) && quiet(span, place))))
      found = place;
  };
  if (to == HostPlace) {
    offer(own_);
    return found;
  }
  // The way between devices that reach one another is no longer than that through the host.
  for (size_t i = 0; i < context_.memories().size(); ++i)
    if (DeviceObject *peer = context_.memories()[i]; &peer->root() != &device_.root() &&
                                                     !peer->info().sharesHostMemory &&
                                                     device_.device().canAccessPeer(peer->device()))
      offer(Place(i + 1));
  offer(HostPlace);
  return found;
}

Status Placement::Decision::check(const Use &use) {
  Residency &residency = use.buffer.residency();
  const Access access = accessOf(use);
  if (use.read) {
    readPlace_.reset();
    if (!isFlat(use.read->from, use.read->extent) || !isFlat(use.read->to, use.read->extent)) {
      bool here = residency.has(own_);
      for (auto span = residency.spanAt(use.begin); here && span != residency.spans_.end() && span->first < use.end;
           ++span)
        here = span->second.current & placeBit(own_);
      readPlace_ = here ? own_ : HostPlace;
    }
  }
  for (auto span = residency.spanAt(use.begin); span != residency.spans_.end() && span->first < use.end; ++span) {
    Span &bytes = span->second;
    const Place place = placeFor(residency, bytes, use);
    const bool needed = fetches(access) && !(bytes.current & placeBit(place));
    for (const PendingWrite &write : bytes.pendingWrites)
      if (write.place == place && (write.isTransfer || needed))
        waitFor(*write.event);
    if (needed)
      KILN_TRY(checkSource(residency, span, use, place));
    else if (use.read)
      KILN_TRY(residency.reserve(place)); // bytes that nobody has written yet may have no storage at all
  }
  return {};
}

Status Placement::Decision::checkSource(Residency &residency, Spans::iterator span, const Use &use, Place to) {
  Span &bytes = span->second;
  KILN_TRY(residency.reserve(to));
  if (std::optional<Place> from = directSource(bytes, to)) {
    waitForAll(bytes, *from);
    return {};
  }
  std::optional<Place> from;
  for (Place place = 1; place <= context_.memories().size(); ++place)
    if (bytes.current & placeBit(place) && (!from || (!quiet(bytes, *from) && quiet(bytes, place))))
      from = place;
  KILN_TRY(residency.reserve(HostPlace));
  if (quiet(bytes, *from) && quiet(bytes, HostPlace))
    return push(residency, span, use, *from);
  // A push goes to a stream of its own, so what is ahead on this one must have ended as well.
  for (const PendingWrite &write : bytes.pendingWrites)
    if (write.place == *from || write.place == HostPlace)
      add(plan_.ends, *write.event);
  return {};
}

Status Placement::Decision::push(Residency &residency, Spans::iterator span, const Use &use, Place from) {
  size_t begin = std::max(span->first, use.begin), end = std::min(span->second.end, use.end);
  residency.cut(begin);
  residency.cut(end);
  Span &bytes = residency.spanAt(begin)->second;
  auto same = std::ranges::find_if(plan_.pushes, [&](const Ref<Event> &made) {
    auto &transfer = std::get<Transfer>(made->command_);
    return transfer.root.get() == &use.buffer.root() && transfer.from == from;
  });
  if (same == plan_.pushes.end()) {
    placement_.assertHeld();
    LockedStream *stream = KILN_TRY(placement_.pusher(from));
    plan_.pushes.push_back(transfer(use, from, HostPlace, *stream));
    plan_.ends.push_back(plan_.pushes.back());
    same = std::prev(plan_.pushes.end());
  }
  bytes.pendingWrites.reserve(bytes.pendingWrites.size() + 1);
  std::get<Transfer>((*same)->command_).ranges.push_back({from, begin, end});
  bytes.pendingWrites.emplace_back(HostPlace, true, **same);
  bytes.current |= placeBit(HostPlace);
  return {};
}

void Placement::Decision::cut(const Use &use) {
  Residency &residency = use.buffer.residency();
  residency.cut(use.begin);
  residency.cut(use.end);
  if (!use.map || alone(residency, use.begin, use.end, use.place))
    return;
  forEachRow(use.map->at, use.map->extent, [&](size_t begin, size_t end) {
    if (alone(residency, begin, end, use.place))
      return;
    residency.cut(begin);
    residency.cut(end);
  });
}

void Placement::Decision::prepare(const Use &use) {
  Residency &residency = use.buffer.residency();
  const Access access = accessOf(use);
  if (use.read)
    use.read->ranges.clear();
  for (auto span = residency.spanAt(use.begin); span != residency.spans_.end() && span->first < use.end; ++span) {
    Span &bytes = span->second;
    const Place place = placeFor(residency, bytes, use);
    bytes.pendingWrites.reserve(bytes.pendingWrites.size() + 2); // of a fetch, and of the event
    if (fetches(access) && !(bytes.current & placeBit(place)))
      fetch(use, *directSource(bytes, place), place, span->first, bytes.end, bytes);
    if (use.read) {
      std::vector<NodeRange> &ranges = use.read->ranges;
      if (!ranges.empty() && ranges.back().node == place)
        ranges.back().end = bytes.end;
      else
        ranges.push_back({place, span->first, bytes.end});
    }
  }
}

void Placement::Decision::claim(const Use &use) noexcept {
  if (accessOf(use) == Access::Read)
    return;
  Residency &residency = use.buffer.residency();
  if (!use.map || alone(residency, use.begin, use.end, use.place))
    return claimRange(residency, use.begin, use.end, use.place);
  forEachRow(use.map->at, use.map->extent, [&](size_t begin, size_t end) {
    if (!alone(residency, begin, end, use.place))
      claimRange(residency, begin, end, use.place);
  });
}

void Placement::Decision::claimRange(Residency &residency, size_t begin, size_t end, Place place) noexcept {
  for (auto span = residency.spanAt(begin); span != residency.spans_.end() && span->first < end; ++span) {
    Span &bytes = span->second;
    bytes.current = placeBit(place);
    // One mark a stream is enough: its last writer ends last.
    auto mine = std::ranges::find_if(bytes.pendingWrites, [&](const PendingWrite &write) {
      return write.place == place && !write.isTransfer && write.event->stream_ == &stream_;
    });
    if (mine == bytes.pendingWrites.end())
      bytes.pendingWrites.emplace_back(place, false, event_);
    else
      *mine = PendingWrite(place, false, event_);
  }
}

void Placement::Decision::fetch(const Use &use, Place from, Place to, size_t begin, size_t end, Span &span) {
  auto same = std::ranges::find_if(plan_.fetches, [&](const Ref<Event> &made) {
    auto &transfer = std::get<Transfer>(made->command_);
    return transfer.root.get() == &use.buffer.root() && transfer.from == from && transfer.to == to;
  });
  if (same == plan_.fetches.end()) {
    plan_.fetches.push_back(transfer(use, from, to, stream_));
    plan_.fetches.back()->isWaitable = false; // whoever waits for it waits for the command behind it, most likely
    same = std::prev(plan_.fetches.end());
  }
  std::vector<NodeRange> &ranges = std::get<Transfer>((*same)->command_).ranges;
  if (!ranges.empty() && ranges.back().end == begin)
    ranges.back().end = end;
  else
    ranges.push_back({from, begin, end});
  span.pendingWrites.emplace_back(to, true, **same);
  span.current |= placeBit(to);
}

Ref<Event> Placement::Decision::transfer(const Use &use, Place from, Place to, LockedStream &stream) {
  Ref<Event> made(new Event(event_.context_, event_.queue_, Transfer{&use.buffer.root(), from, to, {}}));
  made->stream_ = &stream;
  made->needsTimes = trace::enabled();
  return made;
}

Placement::Placement(const Context &context) : context_(context), pushers_(context.memories().size()) {}
Placement::~Placement() = default;

Status Placement::reserve(Command &command, const DeviceObject &device) {
  Status status;
  visitUses(command, device.info().sharesHostMemory ? HostPlace : ~Place(0), [&](const Use &use) {
    if (!status.ok() || use.read)
      return;
    Residency &residency = use.buffer.residency();
    status = use.place == HostPlace ? residency.host().status() : residency.on(device).status();
  });
  return status;
}

Status Placement::decide(Event &event, LockedStream &stream, PlacementPlan &plan) {
  if (std::holds_alternative<Marker>(event.command_))
    return {};
  Lock lock(mutex_);
  return Decision(*this, event, stream, plan).run();
}

void Placement::onEventComplete(Event &event, cl_int code, uint64_t start, uint64_t end) noexcept {
  auto *transfer = std::get_if<Transfer>(&event.command_);
  uint64_t bytes = 0;
  if (transfer)
    for (const NodeRange &range : transfer->ranges)
      bytes += range.end - range.begin;
  Moved now;
  {
    Lock lock(mutex_);
    visitUses(event.command_, context_.placeOf(event.stream_->device()), [&](const Use &use) {
      Residency &residency = use.buffer.residency();
      for (auto span = residency.spanAt(use.begin); span != residency.spans_.end() && span->first < use.end; ++span) {
        Residency::Span &known = span->second;
        size_t erased = std::erase_if(
            known.pendingWrites, [&](const Residency::PendingWrite &write) { return write.event.get() == &event; });
        // A place that somebody has overwritten since is current whatever became of this.
        if (erased && transfer && code < 0 && known.current != placeBit(transfer->to))
          known.current &= ~placeBit(transfer->to);
      }
      residency.join(use.begin, use.end);
    });
    if (transfer && code >= 0) {
      ++moved_.transfers;
      moved_.bytes += bytes;
    }
    now = moved_;
  }
  if (!transfer)
    return;
  KILN_LOG(Debug, Memory, "moved ", bytes, " bytes from ", placeName(context_, transfer->from), " to ",
           placeName(context_, transfer->to), code < 0 ? ", in vain" : "");
  if (trace::enabled() && end)
    trace::quietly([&] {
      const DeviceObject &device = event.stream_->device();
      std::string from = placeName(context_, transfer->from), to = placeName(context_, transfer->to);
      trace::span("transfer", text(from, " to ", to), start, end,
                  text("device ", device.label(), ": ", device.info().name),
                  text("\"from\":\"", from, "\",\"to\":\"", to, "\",\"bytes\":", bytes));
      trace::counter(text("bytes moved, context ", static_cast<const void *>(&context_)), end, now.bytes);
    });
}

Placement::Moved Placement::moved() const {
  Lock lock(mutex_);
  return moved_;
}

Result<LockedStream *> Placement::pusher(Place place) {
  std::unique_ptr<LockedStream> &stream = pushers_[place - 1];
  if (!stream)
    stream = KILN_TRY(LockedStream::create(*context_.memories()[place - 1]));
  return stream.get();
}

} // namespace kiln
