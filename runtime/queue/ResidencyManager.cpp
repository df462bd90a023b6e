#include "runtime/queue/ResidencyManager.h"
#include "base/support/Log.h"
#include "base/support/Trace.h"
#include "runtime/queue/Queue.h"
#include <algorithm>

namespace kiln {
namespace {

std::string nodeName(const Context &context, MemoryNode node) {
  return node == HostNode ? "host" : text("device ", context.memoryDevices()[node - 1]->label());
}

} // namespace

/// Plans one command. `check` finds the commands to wait for and changes nothing, except that it creates pushes. When
/// all uses have passed, `prepare` creates the fetches and reserves memory in the map, and `claim`, which cannot fail,
/// records the new state there. So the map is valid wherever memory runs out: its transfers are submitted, and the
/// command, which fails, changes nothing.
class ResidencyManager::Planner {
public:
  Planner(ResidencyManager &manager, CommandNode &node, LockedStream &stream, TransferPlan &plan)
      : manager_(manager), context_(manager.context_), node_(node), stream_(stream), plan_(plan),
        device_(stream.device()), own_(context_.nodeOf(device_)) {}

  Status run() {
    Status status;
    node_.command.forEachUse(own_, [&](const NodeUse &use) {
      if (status.ok())
        status = check(use);
    });
    if (!status.ok() || !plan_.decided())
      return status;
    node_.command.forEachUse(own_, [&](const NodeUse &use) { splitSpans(use); });
    node_.command.forEachUse(own_, [&](const NodeUse &use) { prepare(use); });
    node_.command.forEachUse(own_, [&](const NodeUse &use) { claim(use); });
    node_.command.forEachUse(own_, [&](const NodeUse &use) { use.buffer.residency().coalesce(use.begin, use.end); });
    return status;
  }

private:
  using Spans = Residency::Spans;
  using Span = Residency::Span;
  using PendingWrite = Residency::PendingWrite;

  Status check(const NodeUse &use);
  void splitSpans(const NodeUse &use);
  void prepare(const NodeUse &use);
  void claim(const NodeUse &use) noexcept;
  void claimRange(Residency &residency, size_t begin, size_t end, MemoryNode node) noexcept;
  /// Finds a source for the bytes of a span that are not current on the node `to`.
  Status checkSource(Residency &residency, Spans::iterator span, const NodeUse &use, MemoryNode to);
  Status push(Residency &residency, Spans::iterator span, const NodeUse &use, MemoryNode from);
  void fetch(const NodeUse &use, MemoryNode from, MemoryNode to, size_t begin, size_t end, Span &span);
  Ref<CommandNode> transfer(const NodeUse &use, MemoryNode from, MemoryNode to, LockedStream &stream);

  AccessMode accessOf(const NodeUse &use) const {
    return use.access == AccessMode::Overwrite && node_.mayBeSkipped ? AccessMode::ReadWrite : use.access;
  }
  static bool fetches(AccessMode access) { return access == AccessMode::Read || access == AccessMode::ReadWrite; }
  /// Returns true if no other node is current for a byte of the range.
  static bool isOnlyCopy(Residency &residency, size_t begin, size_t end, MemoryNode node) noexcept {
    for (auto span = residency.spanAt(begin); span != residency.spans_.end() && span->first < end; ++span)
      if (span->second.current != nodeBit(node))
        return false;
    return true;
  }
  MemoryNode nodeFor(Residency &residency, const Span &span, const NodeUse &use) const;
  /// Whether a read takes bytes that are current everywhere from this device. Bytes that were never written may have no
  /// storage at all; the next command will need the device's, so the host's is not allocated for them.
  bool readsHere(const Residency &residency) const { return residency.has(own_) || !residency.has(HostNode); }
  std::optional<MemoryNode> directSource(const Span &span, MemoryNode to) const;
  void waitFor(CommandNode &other);
  static void add(std::vector<Ref<CommandNode>> &list, CommandNode &other) {
    if (std::ranges::find(list, &other, &Ref<CommandNode>::get) == list.end())
      list.emplace_back(&other);
  }
  static bool hasNoPendingWrite(const Span &span, MemoryNode node) {
    return std::ranges::find(span.pendingWrites, node, &PendingWrite::node) == span.pendingWrites.end();
  }
  static CommandNode &nodeOf(const PendingWrite &write) { return static_cast<CommandNode &>(*write.writer); }
  void waitForAll(const Span &span, MemoryNode node) {
    for (const PendingWrite &write : span.pendingWrites)
      if (write.node == node)
        waitFor(nodeOf(write));
  }

  ResidencyManager &manager_;
  const Context &context_;
  CommandNode &node_;
  LockedStream &stream_;
  TransferPlan &plan_;
  DeviceObject &device_;
  const MemoryNode own_;
  std::optional<MemoryNode> readNode_; // of a read that takes all bytes from one node
};

void ResidencyManager::Planner::waitFor(CommandNode &other) {
  if (other.isComplete() || (other.stream == &stream_ && !other.outlastsStream))
    return; // complete, or earlier on the same stream
  // Dependencies inside a device with fences get their fence when this command is submitted.
  if (!node_.isFencedBehind(other))
    add(plan_.waitIssued, other);
}

MemoryNode ResidencyManager::Planner::nodeFor(Residency &residency, const Span &span, const NodeUse &use) const {
  if (!use.read)
    return use.node;
  if (readNode_)
    return *readNode_;
  return span.current & nodeBit(own_) && readsHere(residency) ? own_ : HostNode;
}

std::optional<MemoryNode> ResidencyManager::Planner::directSource(const Span &span, MemoryNode to) const {
  std::optional<MemoryNode> found;
  auto offer = [&](MemoryNode node) {
    if (node != to && span.current & nodeBit(node) &&
        (!found || (!hasNoPendingWrite(span, *found) && hasNoPendingWrite(span, node))))
      found = node;
  };
  if (to == HostNode) {
    offer(own_);
    return found;
  }
  // A copy between peer devices is no longer than one through the host, so peers come first.
  for (size_t i = 0; i < context_.memoryDevices().size(); ++i)
    if (DeviceObject *peer = context_.memoryDevices()[i]; &peer->root() != &device_.root() &&
                                                          !peer->info().sharesHostMemory &&
                                                          device_.device().canAccessPeer(peer->device()))
      offer(MemoryNode(i + 1));
  offer(HostNode);
  return found;
}

Status ResidencyManager::Planner::check(const NodeUse &use) {
  Residency &residency = use.buffer.residency();
  const AccessMode access = accessOf(use);
  if (use.read) {
    readNode_.reset();
    if (!isContiguous(use.read->from, use.read->extent) || !isContiguous(use.read->to, use.read->extent)) {
      bool here = readsHere(residency);
      for (auto span = residency.spanAt(use.begin); here && span != residency.spans_.end() && span->first < use.end;
           ++span)
        here = span->second.current & nodeBit(own_);
      readNode_ = here ? own_ : HostNode;
    }
  }
  for (auto span = residency.spanAt(use.begin); span != residency.spans_.end() && span->first < use.end; ++span) {
    Span &bytes = span->second;
    const MemoryNode node = nodeFor(residency, bytes, use);
    const bool needed = fetches(access) && !(bytes.current & nodeBit(node));
    for (const PendingWrite &write : bytes.pendingWrites)
      if (write.node == node && (write.isTransfer || needed))
        waitFor(nodeOf(write));
    if (needed)
      KILN_TRY(checkSource(residency, span, use, node));
    else if (use.read)
      KILN_TRY(residency.reserve(node)); // bytes that were never written may have no storage
  }
  return {};
}

Status ResidencyManager::Planner::checkSource(Residency &residency, Spans::iterator span, const NodeUse &use,
                                              MemoryNode to) {
  Span &bytes = span->second;
  KILN_TRY(residency.reserve(to));
  if (std::optional<MemoryNode> from = directSource(bytes, to)) {
    waitForAll(bytes, *from);
    return {};
  }
  std::optional<MemoryNode> from;
  for (MemoryNode node = 1; node <= context_.memoryDevices().size(); ++node)
    if (bytes.current & nodeBit(node) &&
        (!from || (!hasNoPendingWrite(bytes, *from) && hasNoPendingWrite(bytes, node))))
      from = node;
  KILN_TRY(residency.reserve(HostNode));
  if (hasNoPendingWrite(bytes, *from) && hasNoPendingWrite(bytes, HostNode))
    return push(residency, span, use, *from);
  // A push runs on a separate stream, so earlier operations of this one must be complete as well.
  for (const PendingWrite &write : bytes.pendingWrites)
    if (write.node == *from || write.node == HostNode)
      add(plan_.waitEnded, nodeOf(write));
  return {};
}

Status ResidencyManager::Planner::push(Residency &residency, Spans::iterator span, const NodeUse &use,
                                       MemoryNode from) {
  size_t begin = std::max(span->first, use.begin), end = std::min(span->second.end, use.end);
  residency.splitAt(begin);
  residency.splitAt(end);
  Span &bytes = residency.spanAt(begin)->second;
  auto same = std::ranges::find_if(plan_.pushes, [&](const Ref<CommandNode> &made) {
    auto &transfer = *made->command.as<Transfer>();
    return transfer.root.get() == &use.buffer.root() && transfer.from == from;
  });
  if (same == plan_.pushes.end()) {
    manager_.assertHeld();
    LockedStream *stream = KILN_TRY(manager_.pushStream(from));
    plan_.pushes.push_back(transfer(use, from, HostNode, *stream));
    plan_.waitEnded.push_back(plan_.pushes.back());
    same = std::prev(plan_.pushes.end());
  }
  bytes.pendingWrites.reserve(bytes.pendingWrites.size() + 1);
  (*same)->command.as<Transfer>()->ranges.push_back({from, begin, end});
  bytes.pendingWrites.emplace_back(HostNode, true, **same);
  bytes.current |= nodeBit(HostNode);
  return {};
}

void ResidencyManager::Planner::splitSpans(const NodeUse &use) {
  Residency &residency = use.buffer.residency();
  residency.splitAt(use.begin);
  residency.splitAt(use.end);
  if (!use.map || isOnlyCopy(residency, use.begin, use.end, use.node))
    return;
  forEachRow(use.map->at, use.map->extent, [&](size_t begin, size_t end) {
    if (isOnlyCopy(residency, begin, end, use.node))
      return;
    residency.splitAt(begin);
    residency.splitAt(end);
  });
}

void ResidencyManager::Planner::prepare(const NodeUse &use) {
  Residency &residency = use.buffer.residency();
  const AccessMode access = accessOf(use);
  if (use.read)
    use.read->ranges.clear();
  for (auto span = residency.spanAt(use.begin); span != residency.spans_.end() && span->first < use.end; ++span) {
    Span &bytes = span->second;
    const MemoryNode node = nodeFor(residency, bytes, use);
    bytes.pendingWrites.reserve(bytes.pendingWrites.size() + 2); // one for a fetch, one for the command
    if (fetches(access) && !(bytes.current & nodeBit(node)))
      fetch(use, *directSource(bytes, node), node, span->first, bytes.end, bytes);
    if (use.read) {
      std::vector<NodeRange> &ranges = use.read->ranges;
      if (!ranges.empty() && ranges.back().node == node)
        ranges.back().end = bytes.end;
      else
        ranges.push_back({node, span->first, bytes.end});
    }
  }
}

void ResidencyManager::Planner::claim(const NodeUse &use) noexcept {
  if (accessOf(use) == AccessMode::Read)
    return;
  Residency &residency = use.buffer.residency();
  if (!use.map || isOnlyCopy(residency, use.begin, use.end, use.node))
    return claimRange(residency, use.begin, use.end, use.node);
  forEachRow(use.map->at, use.map->extent, [&](size_t begin, size_t end) {
    if (!isOnlyCopy(residency, begin, end, use.node))
      claimRange(residency, begin, end, use.node);
  });
}

void ResidencyManager::Planner::claimRange(Residency &residency, size_t begin, size_t end, MemoryNode node) noexcept {
  for (auto span = residency.spanAt(begin); span != residency.spans_.end() && span->first < end; ++span) {
    Span &bytes = span->second;
    bytes.current = nodeBit(node);
    // One pending write per stream is enough: its last writer completes last.
    auto mine = std::ranges::find_if(bytes.pendingWrites, [&](const PendingWrite &write) {
      return write.node == node && !write.isTransfer && nodeOf(write).stream == &stream_;
    });
    if (mine == bytes.pendingWrites.end())
      bytes.pendingWrites.emplace_back(node, false, node_);
    else
      *mine = PendingWrite(node, false, node_);
  }
}

void ResidencyManager::Planner::fetch(const NodeUse &use, MemoryNode from, MemoryNode to, size_t begin, size_t end,
                                      Span &span) {
  auto same = std::ranges::find_if(plan_.fetches, [&](const Ref<CommandNode> &made) {
    auto &transfer = *made->command.as<Transfer>();
    return transfer.root.get() == &use.buffer.root() && transfer.from == from && transfer.to == to;
  });
  if (same == plan_.fetches.end()) {
    plan_.fetches.push_back(transfer(use, from, to, stream_));
    plan_.fetches.back()->isWaitable = false; // a thread waits for the command rather than for its fetch
    same = std::prev(plan_.fetches.end());
  }
  std::vector<NodeRange> &ranges = (*same)->command.as<Transfer>()->ranges;
  if (!ranges.empty() && ranges.back().end == begin)
    ranges.back().end = end;
  else
    ranges.push_back({from, begin, end});
  span.pendingWrites.emplace_back(to, true, **same);
  span.current |= nodeBit(to);
}

Ref<CommandNode> ResidencyManager::Planner::transfer(const NodeUse &use, MemoryNode from, MemoryNode to,
                                                     LockedStream &stream) {
  Ref<CommandNode> made(new CommandNode(&node_.context(), node_.queue(), Transfer{&use.buffer.root(), from, to, {}}));
  made->stream = &stream;
  made->needsTimes = trace::enabled();
  return made;
}

ResidencyManager::ResidencyManager(const Context &context)
    : context_(context), pushStreams_(context.memoryDevices().size()) {}
ResidencyManager::~ResidencyManager() = default;

ResidencyManager *ResidencyManager::of(const Context &context) {
  if (!context.hasSeveralNodes())
    return nullptr;
  return &static_cast<ResidencyManager &>(
      context.part(ContextPartKind::Residency, [&] { return std::make_unique<ResidencyManager>(context); }));
}

Status ResidencyManager::reserve(Command &command, const DeviceObject &device) {
  Status status;
  command.forEachUse(device.info().sharesHostMemory ? HostNode : ~MemoryNode(0), [&](const NodeUse &use) {
    if (!status.ok() || use.read)
      return;
    Residency &residency = use.buffer.residency();
    status = use.node == HostNode ? residency.host().status() : residency.storageFor(device).status();
  });
  return status;
}

Status ResidencyManager::plan(CommandNode &node, LockedStream &stream, TransferPlan &result) {
  if (node.command.as<Marker>())
    return {};
  Lock lock(mutex_);
  return Planner(*this, node, stream, result).run();
}

void ResidencyManager::onCommandComplete(CommandNode &node, cl_int code) noexcept {
  auto *transfer = node.command.as<Transfer>();
  uint64_t bytes = 0;
  if (transfer)
    for (const NodeRange &range : transfer->ranges)
      bytes += range.end - range.begin;
  TransferStats now;
  {
    Lock lock(mutex_);
    node.command.forEachUse(context_.nodeOf(node.stream->device()), [&](const NodeUse &use) {
      Residency &residency = use.buffer.residency();
      for (auto span = residency.spanAt(use.begin); span != residency.spans_.end() && span->first < use.end; ++span) {
        Residency::Span &state = span->second;
        size_t erased = std::erase_if(
            state.pendingWrites, [&](const Residency::PendingWrite &write) { return write.writer.get() == &node; });
        // A node that a later command has overwritten stays current, whatever the result of this transfer.
        if (erased && transfer && code < 0 && state.current != nodeBit(transfer->to))
          state.current &= ~nodeBit(transfer->to);
      }
      residency.coalesce(use.begin, use.end);
    });
    if (transfer && code >= 0) {
      ++stats_.transfers;
      stats_.bytes += bytes;
    }
    now = stats_;
  }
  if (!transfer)
    return;
  KILN_LOG(Debug, Memory, "transfer of ", bytes, " bytes from ", nodeName(context_, transfer->from), " to ",
           nodeName(context_, transfer->to), code < 0 ? " failed" : "");
  if (const uint64_t end = node.times.end.load(std::memory_order_relaxed); trace::enabled() && end)
    trace::ignoringBadAlloc([&] {
      const uint64_t start = node.times.start.load(std::memory_order_relaxed);
      const DeviceObject &device = node.stream->device();
      std::string from = nodeName(context_, transfer->from), to = nodeName(context_, transfer->to);
      trace::span("transfer", text(from, " to ", to), start, end,
                  text("device ", device.label(), ": ", device.info().name),
                  text("\"from\":\"", from, "\",\"to\":\"", to, "\",\"bytes\":", bytes));
      trace::counter(text("bytes moved, context ", static_cast<const void *>(&context_)), end, now.bytes);
    });
}

ResidencyManager::TransferStats ResidencyManager::transferStats() const {
  Lock lock(mutex_);
  return stats_;
}

Result<LockedStream *> ResidencyManager::pushStream(MemoryNode node) {
  std::unique_ptr<LockedStream> &stream = pushStreams_[node - 1];
  if (!stream)
    stream = KILN_TRY(LockedStream::create(*context_.memoryDevices()[node - 1]));
  return stream.get();
}

} // namespace kiln
