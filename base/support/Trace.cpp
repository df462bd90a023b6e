#include "base/support/Trace.h"
#include "base/support/FileSizeLimit.h"
#include "base/support/Json.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include "base/support/Thread.h"
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <map>
#include <sys/syscall.h>
#include <unistd.h>

namespace kiln {

uint64_t nowNanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return uint64_t(now.tv_sec) * 1'000'000'000u + uint64_t(now.tv_nsec);
}

namespace trace {
namespace detail {
std::atomic<int> state{Unknown};
}

namespace {

/// The open trace file. Never destroyed, because threads may write while the process ends.
class File {
public:
  explicit File(bool forked) : forked_(forked) {}
  bool write(const std::string &event) {
    Lock lock(mutex_);
    if (pid_ != getpid() && !open())
      return false;
    // The closing bracket is overwritten and written again after the event, in one call.
    std::string chunk = (empty_ ? "\n" : ",\n") + event + "\n]\n";
    FileSizeLimit noSignal;
    ssize_t written = pwrite(file_, chunk.data(), chunk.size(), end_);
    if (written != ssize_t(chunk.size()))
      return false;
    end_ += off_t(chunk.size()) - 3; // offset of "\n]\n"
    empty_ = false;
    return true;
  }

  /// In the child of a fork, opens a separate file.
  bool open() KILN_REQUIRES(mutex_) {
    const bool forked = forked_ || pid_ != 0;
    std::string path = options().trace;
    std::string pid = std::to_string(getpid());
    bool named = false;
    for (size_t at; (at = path.find("%p")) != std::string::npos; named = true)
      path.replace(at, 2, pid);
    if (forked && !named)
      path += "." + pid;
    pid_ = getpid();
    tracks_.clear();
    file_ = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    FileSizeLimit noSignal;
    if (file_ < 0 || pwrite(file_, "[\n]\n", 4, 0) != 4) {
      KILN_LOG(Error, Api, "the trace file ", path, " cannot be written");
      return false;
    }
    end_ = 1;
    empty_ = true;
    return true;
  }
  bool openFirst() {
    Lock lock(mutex_);
    return pid_ == getpid() || open();
  }
  /// Returns the id of a track that is not a thread, above every thread id.
  int track(const std::string &name, bool &isNew) {
    Lock lock(mutex_);
    auto [found, inserted] = tracks_.emplace(name, int(0x40000000 + tracks_.size()));
    isNew = inserted;
    return found->second;
  }

private:
  const bool forked_; // this process is the child of one that had a file
  Mutex mutex_;
  int file_ KILN_GUARDED_BY(mutex_) = -1;
  pid_t pid_ KILN_GUARDED_BY(mutex_) = 0;
  off_t end_ KILN_GUARDED_BY(mutex_) = 0;
  bool empty_ KILN_GUARDED_BY(mutex_) = true;
  std::map<std::string, int> tracks_ KILN_GUARDED_BY(mutex_);
};

File &file() {
  alignas(File) static std::byte storage[sizeof(File)];
  // Another thread may have held the lock during the fork.
  static constinit ForkHandler renew{[] { new (storage) File(true); }};
  static File &made = *[] {
    onFork(renew);
    return new (storage) File(false);
  }();
  return made;
}

void emit(const std::string &event) {
  if (!file().write(event))
    detail::state.store(detail::Off, std::memory_order_relaxed);
}

/// The id of the track; the calling thread's without a name.
int trackId(std::string_view track) {
  if (track.empty())
    return int(syscall(SYS_gettid));
  bool isNew = false;
  const int id = file().track(std::string(track), isNew);
  if (isNew)
    emit(text("{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":", getpid(), ",\"tid\":", id,
              ",\"args\":{\"name\":", json::quoted(track), "}}"));
  return id;
}

/// Microseconds, as the format has them.
std::string spell(uint64_t nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", double(nanoseconds) / 1000);
  return text;
}

} // namespace

bool detail::start() noexcept {
  bool on = false;
  ignoringBadAlloc([&] {
    on = !options().trace.empty() && file().openFirst();
    state.store(on ? On : Off, std::memory_order_relaxed);
  });
  return on;
}

void span(std::string_view category, std::string_view name, uint64_t begin, uint64_t end, std::string_view track,
          std::string_view arguments) {
  if (!enabled())
    return;
  const int pid = getpid(), thread = trackId(track);
  emit(text("{\"name\":", json::quoted(name), ",\"cat\":", json::quoted(category),
            ",\"ph\":\"X\",\"ts\":", spell(begin), ",\"dur\":", spell(end > begin ? end - begin : 0), ",\"pid\":", pid,
            ",\"tid\":", thread, arguments.empty() ? "" : ",\"args\":{", arguments, arguments.empty() ? "}" : "}}"));
}

void arrow(Arrow end, std::string_view name, std::string_view id, uint64_t time, std::string_view track) {
  if (enabled())
    emit(text("{\"name\":", json::quoted(name), ",\"cat\":\"arrow\",\"ph\":",
              end == Arrow::Begin ? "\"s\"" : "\"f\",\"bp\":\"e\"", ",\"id\":", json::quoted(id),
              ",\"ts\":", spell(time), ",\"pid\":", getpid(), ",\"tid\":", trackId(track), "}"));
}

void counter(std::string_view name, uint64_t time, uint64_t value) {
  if (!enabled())
    return;
  emit(text("{\"name\":", json::quoted(name), ",\"ph\":\"C\",\"ts\":", spell(time), ",\"pid\":", getpid(),
            ",\"args\":{\"value\":", value, "}}"));
}

} // namespace trace
} // namespace kiln
