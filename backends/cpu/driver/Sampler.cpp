#include "backends/cpu/driver/Sampler.h"
#include "backends/cpu/driver/CodeBounds.h"
#include "backends/cpu/driver/Fault.h"
#include "backends/cpu/driver/GrowingList.h"
#include "backends/cpu/driver/LineTable.h"
#include "backends/cpu/driver/SignalContext.h"
#include "base/support/FileSizeLimit.h"
#include "base/support/Json.h"
#include "base/support/Log.h"
#include "base/support/SourceLine.h"
#include "base/support/Thread.h"
#include "base/support/ThreadEnd.h"
#include "base/support/Trace.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace kiln::cpu::sampler {
namespace {

constexpr uint64_t Period = 1'000'000;   // nanoseconds of a thread's processor time
constexpr size_t MaxCounters = 1 << 14;  // program counters of a code object with its kernels
constexpr size_t MaxUnwritten = 1 << 10; // samples of a thread in a launch's chunk that the trace does not have yet
constexpr unsigned AddressBits = 40;     // of a counter's key
constexpr size_t MaxStackWords = 1024;   // that are searched for a return address
constexpr double SmallestPart = 0.005;   // of a kernel's time; lines that took less are not written

struct Name {
  const std::string text;
  const uint32_t number; // from 1 on
  Name *next = nullptr;
};
constinit std::atomic<Name *> names{nullptr};
constinit std::atomic<uint32_t> nameCount{0};

const std::string &nameOf(uint64_t key) {
  static const std::string none = "?";
  for (const Name *name = names.load(std::memory_order_acquire); name; name = name->next)
    if (name->number == key >> AddressBits)
      return name->text;
  return none;
}

/// The time of one program counter in one kernel.
struct Counter {
  std::atomic<uint64_t> key, periods; // key 0: free
};
using Counters = Counter[MaxCounters];

struct Release {
  void operator()(Counters *counters) const { munmap(counters, sizeof(Counters)); }
};

} // namespace

uint32_t numberOf(const std::string &kernel) {
  if (!enabled())
    return 0;
  for (const Name *name = names.load(std::memory_order_acquire); name; name = name->next)
    if (name->text == kernel)
      return name->number;
  auto *name = new Name{kernel, nameCount.fetch_add(1) + 1}; // another thread may add it as well
  push(names, name);
  return name->number;
}

/// A code object; free for another one if `isTaken` is false. Nodes are never freed.
struct SampledCode::Node {
  std::atomic<bool> isTaken{true};
  std::atomic<uintptr_t> begin{0}, end{0}; // begin 0: the handler leaves it alone
  uintptr_t base = 0;
  LineTable lines;
  std::unique_ptr<Counters, Release> counters; // pages that no sample needs use no memory
  Node *next = nullptr;

  static constinit std::atomic<Node *> first;
};
constinit std::atomic<SampledCode::Node *> SampledCode::Node::first{nullptr};

/// A sample that the trace does not have yet.
struct Sample {
  uint64_t time, key;
  uint32_t periods;
};

/// A thread that runs kernels; free for another one if `isTaken` is false.
struct Sampling::Thread {
  std::atomic<bool> isTaken{true};
  std::atomic<uint32_t> kernel{0}; // 0: the thread is in no kernel
  /// The code that the thread runs, which stays loaded meanwhile. Other programs with the same code file have nodes of
  /// the same addresses, which may be released meanwhile.
  std::atomic<SampledCode::Node *> running{nullptr};
  bool hasTimer = false;
  timer_t timer{};
  uint64_t left = Period; // nanoseconds until the next sample
  // Nanoseconds of this thread's processor time: when it began with the code or had its last sample, and those in
  // earlier code for which no sample stands.
  std::atomic<uint64_t> since{0}, owed{0};
  uintptr_t stackEnd = 0; // the kernel's frames are below it
  pid_t id = 0;
  // For the trace: written by the handler, read by the thread.
  std::unique_ptr<Sample[]> unwritten;
  std::atomic<size_t> unwrittenCount{0};
  SampledCode::Node *code = nullptr; // of the unwritten samples
  uint64_t writtenUntil = 0;
  Thread *next = nullptr;

  static constinit std::atomic<Thread *> first;
  static constinit thread_local Thread *mine;

  static Thread *ofThisThread() noexcept { return mine ? mine : make(); }
  /// Starts the timer, or stops it and notes how long it would have run.
  void run(bool on) noexcept;
  /// In the handler: the whole periods since the last sample, for which this one stands.
  uint64_t takePeriods() noexcept {
    const uint64_t now = processorTime(), time = owed.load(std::memory_order_relaxed) + elapsed(now);
    since.store(now, std::memory_order_relaxed);
    owed.store(time % Period, std::memory_order_relaxed);
    return time / Period;
  }
  uint64_t elapsed(uint64_t now) const { return now - since.load(std::memory_order_relaxed); }
  static uint64_t processorTime() noexcept {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec);
  }

private:
  static Thread *make() noexcept;
  static void release(void *);
};
constinit std::atomic<Sampling::Thread *> Sampling::Thread::first{nullptr};
constinit thread_local Sampling::Thread *Sampling::Thread::mine = nullptr;

/// The handler, and what becomes of the samples.
class Sampler {
  using Thread = Sampling::Thread;
  using Node = SampledCode::Node;
  using Place = std::pair<std::string, uint32_t>; // file and line

public:
  static Sampler &get() {
    if (Sampler *known = made.load(std::memory_order_acquire))
      return *known;
    static constinit ForkHandler startAnew{forgetParent};
    static const bool once = (onFork(startAnew), install(), std::atexit([] { get().write(); }), true);
    (void)once;
    auto *fresh = new Sampler;
    Sampler *expected = nullptr;
    if (made.compare_exchange_strong(expected, fresh, std::memory_order_acq_rel))
      return *fresh;
    delete fresh;
    return *expected;
  }

  /// Adds up the counts of a code object that is unloaded, and frees them.
  void release(Node &code) KILN_EXCLUDES(mutex_) {
    Lock lock(mutex_);
    if (code.begin.load(std::memory_order_relaxed))
      trace::ignoringBadAlloc([&]() KILN_NO_THREAD_SAFETY { collect(code); });
    code.begin.store(0, std::memory_order_relaxed);
    code.counters.reset();
    code.lines = LineTable();
    code.isTaken.store(false);
  }

  /// Writes the thread's samples to the trace.
  void trace(Thread &thread) KILN_EXCLUDES(mutex_) {
    const size_t count = std::min(thread.unwrittenCount.load(std::memory_order_acquire), MaxUnwritten);
    for (size_t i = 0; i < count;) {
      const Sample &one = thread.unwritten[i];
      const auto [name, line] = described(*thread.code, one.key);
      const uint64_t begin = std::max(thread.writtenUntil, one.time - one.periods * Period);
      for (; i < count && described(*thread.code, thread.unwritten[i].key).first == name; ++i)
        thread.writtenUntil = thread.unwritten[i].time;
      trace::span("line", name, begin, thread.writtenUntil, text("lines of thread ", thread.id),
                  text("\"kernel\":", json::quoted(nameOf(one.key)), ",\"source\":", json::quoted(line)));
    }
    thread.unwrittenCount.store(0, std::memory_order_relaxed);
  }

  static void onSignal(int signal, siginfo_t *info, void *context) {
    const int error = errno;
    if (Thread *thread = threadOf(*info)) {
      if (const uint32_t kernel = thread->kernel.load(std::memory_order_relaxed))
        count(*thread, kernel, context);
    } else {
      forward(signal, info, context);
    }
    errno = error;
  }

private:
  static uint64_t addressOf(uint64_t key) { return key & ((uint64_t(1) << AddressBits) - 1); }

  // ---- in the handler -----------------------------------------------------------------------------------------------

  static Thread *threadOf(const siginfo_t &info) {
    if (info.si_code == SI_TIMER)
      for (Thread *one = Thread::first.load(std::memory_order_acquire); one; one = one->next)
        if (one == info.si_value.sival_ptr)
          return one;
    return nullptr;
  }

  /// The code that called a function without lines, such as one of the math library, from a function with lines: the
  /// last byte of the call. 0 if it is not found. Such functions keep no frame pointer, so this looks for the first
  /// word on the stack that is the address after a call.
  static uintptr_t callerOf(const Node &code, uintptr_t stack, uintptr_t stackEnd) {
    constexpr uint8_t Call = 0xe8; // of x86, with a distance of four bytes
    const uintptr_t begin = code.begin.load(std::memory_order_relaxed), end = code.end.load(std::memory_order_relaxed);
    for (size_t i = 0; i < MaxStackWords && stack && stack + 8 <= stackEnd; ++i, stack += 8) {
      uintptr_t after = 0;
      std::memcpy(&after, reinterpret_cast<const void *>(stack), sizeof after);
      if (after >= begin + 5 && after < end && *reinterpret_cast<const uint8_t *>(after - 5) == Call &&
          code.lines.find(after - 1 - code.base).line)
        return after - 1;
    }
    return 0;
  }

  static void count(Thread &thread, uint32_t kernel, const void *context) {
    uintptr_t counter = programCounter(context);
    Node *code = thread.running.load(std::memory_order_relaxed);
    const uintptr_t begin = code ? code->begin.load(std::memory_order_relaxed) : 0;
    if (!begin || counter < begin || counter >= code->end.load(std::memory_order_relaxed))
      return;
    if (!code->lines.find(counter - code->base).line)
      if (const uintptr_t caller = callerOf(*code, stackPointer(context), thread.stackEnd))
        counter = caller;
    const uint64_t key = uint64_t(kernel) << AddressBits | (counter - code->base), periods = thread.takePeriods();
    if (!periods)
      return;
    add(*code->counters, key, periods);
    const size_t at = thread.unwrittenCount.load(std::memory_order_relaxed);
    if (thread.unwritten && at < MaxUnwritten && (!at || thread.code == code)) {
      thread.code = code;
      thread.unwritten[at] = {nowNanoseconds(), key, uint32_t(periods)};
      thread.unwrittenCount.store(at + 1, std::memory_order_release);
    }
  }

  static void add(Counters &counters, uint64_t key, uint64_t periods) {
    constexpr uint64_t Mix = 0x9e3779b97f4a7c15; // 2^64 by the golden ratio: spreads consecutive keys
    const size_t home = size_t(key * Mix >> 32);
    for (size_t i = 0; i < MaxCounters; ++i) {
      Counter &counter = counters[(home + i) % MaxCounters];
      uint64_t found = 0;
      if (!counter.key.compare_exchange_strong(found, key, std::memory_order_relaxed) && found != key)
        continue;
      counter.periods.fetch_add(periods, std::memory_order_relaxed);
      return;
    }
  }

  static void forward(int signal, siginfo_t *info, void *context) {
    const struct sigaction &action = previous;
    if (action.sa_flags & SA_SIGINFO) {
      action.sa_sigaction(signal, info, context);
    } else if (action.sa_handler == SIG_DFL) { // ends the process
      ::signal(signal, SIG_DFL);
      syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
    } else if (action.sa_handler != SIG_IGN) {
      action.sa_handler(signal);
    }
  }

  // ---- elsewhere ----------------------------------------------------------------------------------------------------

  static void install() {
    struct sigaction action{};
    action.sa_sigaction = onSignal;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigaction(SIGPROF, nullptr, &previous);
    sigaction(SIGPROF, &action, nullptr);
  }

  /// In the child of a fork: the samples are the parent's, and so are the timers of all threads.
  static void forgetParent() {
    made = nullptr;
    isChild = true;
    for (Thread *one = Thread::first.load(); one; one = one->next) {
      one->hasTimer = false;
      if (one != Thread::mine)
        one->isTaken = false;
    }
    Thread::mine = nullptr; // is made again, with a timer
    for (Node *code = Node::first.load(); code; code = code->next)
      if (code->counters)
        for (Counter &counter : *code->counters)
          counter.periods.store(0, std::memory_order_relaxed);
  }

  std::string sourceOf(const Place &place) KILN_REQUIRES(mutex_) {
    auto [found, isNew] = sources_.try_emplace(place.first);
    if (isNew) {
      std::ifstream file(place.first, std::ios::binary);
      found->second.assign(std::istreambuf_iterator<char>(file), {});
    }
    return sourceLine(found->second, place.second);
  }

  static std::string words(const Place &place) {
    return place.second ? text(place.first.substr(place.first.rfind('/') + 1), ":", place.second) : "?";
  }

  /// The place of a sample and the text of its line.
  std::pair<std::string, std::string> described(const Node &code, uint64_t key) KILN_EXCLUDES(mutex_) {
    Lock lock(mutex_);
    const SourcePlace found = code.lines.find(addressOf(key));
    const Place place(found.file, found.line);
    return {words(place), sourceOf(place)};
  }

  void collect(Node &code) KILN_REQUIRES(mutex_) {
    for (Counter &counter : *code.counters)
      if (const uint64_t key = counter.key.load(std::memory_order_relaxed)) {
        const SourcePlace place = code.lines.find(addressOf(key));
        periods_[nameOf(key)][{std::string(place.file), place.line}] += counter.periods.exchange(0);
      }
  }

  void write() KILN_EXCLUDES(mutex_) {
    try {
      Lock lock(mutex_);
      for (Node *code = Node::first.load(std::memory_order_acquire); code; code = code->next)
        if (code->begin.load(std::memory_order_acquire))
          collect(*code);
      if (!periods_.empty() || !isChild)
        writeFile(report());
    } catch (const std::bad_alloc &) { // the report is lost
    }
  }

  std::string report() KILN_REQUIRES(mutex_) {
    struct Kernel {
      uint64_t periods;
      std::string lines;
    };
    std::vector<Kernel> kernels;
    for (const auto &[name, places] : periods_) {
      uint64_t all = 0;
      std::vector<std::pair<uint64_t, Place>> sorted;
      for (const auto &[place, periods] : places) {
        all += periods;
        sorted.push_back({periods, place});
      }
      if (!all)
        continue;
      std::ranges::sort(sorted, std::greater());
      std::string lines = text("kernel ", name, ": ", all * Period / 1'000'000, " ms\n");
      for (const auto &[periods, place] : sorted)
        if (const double part = double(periods) / double(all); part >= SmallestPart) {
          char percent[32];
          std::snprintf(percent, sizeof percent, "  %5.1f %%  ", 100 * part);
          lines += text(percent, words(place), "  ", sourceOf(place), "\n");
        }
      kernels.push_back({all, std::move(lines)});
    }
    std::ranges::sort(kernels, std::greater(), &Kernel::periods);
    std::string all;
    for (const Kernel &kernel : kernels)
      all += kernel.lines;
    return all.empty() ? "no kernel ran for a millisecond\n" : all;
  }

  static void writeFile(const std::string &all) {
    std::string path = options().hotLines;
    const std::string process = std::to_string(getpid());
    bool isNamed = false;
    for (size_t at; (at = path.find("%p")) != std::string::npos; isNamed = true)
      path.replace(at, 2, process);
    if (isChild && !isNamed && path != "-")
      path += "." + process;
    const int file = path == "-" ? STDERR_FILENO : ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    FileSizeLimit noSignal;
    if (file < 0 || ::write(file, all.data(), all.size()) != ssize_t(all.size()))
      KILN_LOG(Error, Device, "KILN_HOT_LINES is ", path, ", which cannot be written");
    if (file > STDERR_FILENO)
      close(file);
  }

  static constinit std::atomic<Sampler *> made; // leaked: threads may run kernels while the process ends
  static constinit std::atomic<bool> isChild;   // of a fork
  static inline struct sigaction previous{};
  Mutex mutex_;
  std::map<std::string, std::string> sources_ KILN_GUARDED_BY(mutex_);               // contents of files
  std::map<std::string, std::map<Place, uint64_t>> periods_ KILN_GUARDED_BY(mutex_); // by kernel
};
constinit std::atomic<Sampler *> Sampler::made{nullptr};
constinit std::atomic<bool> Sampler::isChild{false};

SampledCode::SampledCode(void *handle, const std::string &path) {
  const CodeBounds bounds = enabled() ? boundsOf(handle) : CodeBounds();
  if (!bounds.begin)
    return;
  Sampler::get();
  for (node_ = Node::first.load(std::memory_order_acquire); node_; node_ = node_->next)
    if (!node_->isTaken.exchange(true))
      break;
  const bool isNew = !node_;
  if (isNew)
    node_ = new Node;
  node_->base = bounds.base;
  node_->lines = LineTable(path);
  void *memory = mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) {
    node_->counters.reset(static_cast<Counters *>(memory));
    node_->end.store(bounds.end, std::memory_order_relaxed);
    node_->begin.store(bounds.begin, std::memory_order_release);
  }
  if (isNew)
    push(Node::first, node_);
}

SampledCode::~SampledCode() {
  if (!node_)
    return;
  Sampler::get().release(*node_);
}

Sampling::Thread *Sampling::Thread::make() noexcept {
  Thread *thread = first.load(std::memory_order_acquire);
  while (thread && thread->isTaken.exchange(true))
    thread = thread->next;
  if (!thread) {
    thread = new (std::nothrow) Thread;
    if (!thread)
      return nullptr;
    push(first, thread);
  }
  thread->id = pid_t(syscall(SYS_gettid));
  thread->left = Period;
  thread->owed.store(0, std::memory_order_relaxed);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event.sigev_value.sival_ptr = thread;
  event._sigev_un._tid = thread->id; // glibc 2.36 has no name for it
  thread->hasTimer = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &thread->timer) == 0;
  if (!thread->hasTimer || !atThreadEnd<release>(thread)) {
    KILN_LOG(Error, Device, "a thread has no timer, and KILN_HOT_LINES no samples of it");
    thread->isTaken.store(false);
    return nullptr;
  }
  if (trace::enabled() && !thread->unwritten)
    thread->unwritten.reset(new (std::nothrow) Sample[MaxUnwritten]);
  if (fault::isOwnThread()) {
    sigset_t profiling;
    sigemptyset(&profiling);
    sigaddset(&profiling, SIGPROF);
    pthread_sigmask(SIG_UNBLOCK, &profiling, nullptr);
  }
  return mine = thread;
}

void Sampling::Thread::release(void *argument) {
  auto *thread = static_cast<Thread *>(argument);
  if (thread->hasTimer)
    timer_delete(thread->timer);
  thread->hasTimer = false;
  mine = nullptr;
  thread->isTaken.store(false, std::memory_order_release);
}

void Sampling::Thread::run(bool on) noexcept {
  if (!hasTimer)
    return;
  itimerspec next{}, before{};
  if (on) {
    next.it_interval.tv_nsec = Period;
    next.it_value.tv_nsec = long(left);
  }
  timer_settime(timer, 0, &next, &before);
  if (!on)
    left = before.it_value.tv_sec || !before.it_value.tv_nsec ? Period : uint64_t(before.it_value.tv_nsec);
}

void Sampling::begin(const SampledCode *code, uint32_t kernel) noexcept {
  thread_ = Thread::ofThisThread();
  if (!thread_)
    return;
  thread_->stackEnd = uintptr_t(this);
  thread_->running.store(code ? code->node_ : nullptr, std::memory_order_relaxed);
  thread_->since.store(Thread::processorTime(), std::memory_order_relaxed);
  thread_->kernel.store(kernel, std::memory_order_relaxed);
  thread_->run(true);
}

void Sampling::end() noexcept {
  thread_->run(false);
  thread_->kernel.store(0, std::memory_order_relaxed);
  const uint64_t time = thread_->elapsed(Thread::processorTime());
  thread_->owed.store(thread_->owed.load(std::memory_order_relaxed) + time, std::memory_order_relaxed);
  if (thread_->unwrittenCount.load(std::memory_order_relaxed)) [[unlikely]]
    trace::ignoringBadAlloc([&] { Sampler::get().trace(*thread_); });
}

} // namespace kiln::cpu::sampler
