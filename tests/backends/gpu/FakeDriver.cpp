#include "tests/backends/gpu/FakeDriver.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <thread>
#include <unistd.h>
#include <utility>

/// ThreadSanitizer's mark of a release, if the program has the sanitizer. This library is compiled without it.
extern "C" __attribute__((weak)) void __tsan_release(void *address); // NOLINT(readability-identifier-naming)

namespace kiln::fake {
namespace {

enum Code : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialised = 3,
  InvalidDevice = 101,
  InvalidContext = 201,
  InvalidHandle = 400,
  NotFound = 500,
  NotReady = 600,
  LaunchOutOfResources = 701,
  AlreadyRegistered = 712,
  NotRegistered = 713
};

constexpr Address Tag = Address(1) << 60; // a bit of device addresses; host pointers do not have it

using Clock = std::chrono::steady_clock;

/// One recording of an event.
struct Mark {
  bool done = false;
  Clock::time_point time;
};
struct Event {
  bool timing;
  std::shared_ptr<Mark> mark;
};
struct Work {
  std::function<void()> body;
  std::shared_ptr<Mark> after; // runs after this is done
  std::shared_ptr<Mark> marks;
};
struct Stream {
  int device;
  std::deque<Work> work;
  int priority;
  Clock::duration eventShift{};
};
constexpr unsigned LargestGroup = 1024;

struct Module {
  std::vector<Core::ModuleFunction> functions; // its elements are the driver's handles
};

thread_local int currentDevice = -1;

class TheCore final : public Core {
public:
  TheCore() {
    if (const char *lose = std::getenv("KILN_FAKE_LOSE")) {
      std::istringstream words(lose);
      Failure loss{"", 0, 0, true};
      if (words >> loss.name >> loss.left >> loss.code)
        failures_.push_back(loss);
    }
    if (const char *room = std::getenv("KILN_FAKE_ROOM"))
      room_ = std::strtoull(room, nullptr, 10);
    if (const char *threads = std::getenv("KILN_FAKE_THREADS"))
      maxThreads_ = unsigned(std::strtoul(threads, nullptr, 10));
    loadTime_ = millisecondsOf("KILN_FAKE_LOAD");
    workTime_ = millisecondsOf("KILN_FAKE_WORK");
    std::thread([this] { loop(); }).detach();
  }

  // ---- Control
  void reset() override {
    std::lock_guard lock(mutex_);
    launches_.clear();
    counts_.clear();
    failures_.clear();
    hooks_.clear();
  }
  void failCall(const std::string &name, unsigned nth, int code) override {
    std::lock_guard lock(mutex_);
    failures_.push_back({name, nth, code});
  }
  void loseDevice(const std::string &name, unsigned nth, int code) override {
    std::lock_guard lock(mutex_);
    failures_.push_back({name, nth, code, true});
  }
  void breakDevice(int code) override {
    std::lock_guard lock(mutex_);
    breakWith_ = code;
  }
  bool isBroken(int device) override {
    std::lock_guard lock(mutex_);
    return resultOf(device);
  }
  void mend() override {
    std::unique_lock lock(mutex_);
    for (const auto &stream : streams_)
      if (broken_.contains(stream->device))
        drop(*stream);
    changed_.notify_all();
    // Copies of other devices may use the memory.
    changed_.wait(lock, [&] { return !running_ && !runnable(); });
    std::erase_if(allocations_, [&](const auto &entry) {
      const Allocation &allocation = entry.second;
      const bool gone = broken_.contains(allocation.device);
      allocatedBytes_ -= gone ? allocation.bytes : 0;
      return gone;
    });
    broken_.clear();
    breakWith_ = 0;
  }
  void onCall(const std::string &name, std::function<void()> function) override {
    std::lock_guard lock(mutex_);
    hooks_[name] = std::move(function);
  }
  void shiftEvents(void *stream, double milliseconds) override {
    std::lock_guard lock(mutex_);
    static_cast<Stream *>(stream)->eventShift =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::milli>(milliseconds));
  }
  void hold(bool held) override {
    std::lock_guard lock(mutex_);
    held_ = held;
    changed_.notify_all();
  }
  void setDevices(int count) override { devices_ = count; }
  void setMemory(size_t bytes) override { memory_ = bytes; }
  void limitThreads(unsigned most) override { maxThreads_ = most; }
  unsigned calls(const std::string &name) override {
    std::lock_guard lock(mutex_);
    return counts_[name];
  }
  std::vector<Launch> launches() override {
    std::lock_guard lock(mutex_);
    return launches_;
  }
  void kernel(const std::string &name, std::function<void(const Launch &)> function) override {
    std::lock_guard lock(mutex_);
    kernels_[name] = std::move(function);
  }
  void *real(uint64_t address) override { return reinterpret_cast<void *>(address & ~Tag); }
  size_t deviceBytes() override {
    std::lock_guard lock(mutex_);
    return allocatedBytes_;
  }
  std::vector<Texture> textures() override {
    std::lock_guard lock(mutex_);
    std::vector<Texture> all;
    for (const auto &[handle, texture] : textures_)
      all.push_back(texture);
    return all;
  }

  // ---- Calls
  int begin(const char *name, int device) override {
    std::unique_lock lock(mutex_);
    if (auto hook = hooks_.find(name); hook != hooks_.end()) {
      const std::function<void()> function = hook->second;
      lock.unlock();
      function();
      lock.lock();
    }
    ++counts_[name];
    for (auto failure = failures_.begin(); failure != failures_.end(); ++failure)
      if ((failure->name.empty() || failure->name == name) && --failure->left == 0) {
        int code = failure->code;
        const bool loses = failure->loses;
        failures_.erase(failure);
        if (loses) { // a lost device runs no work, so that memory may be freed
          broken_[device] = code;
          changed_.wait(lock, [&] { return !running_ || running_->device != device; });
        }
        return code;
      }
    return resultOf(device);
  }
  void enter(const char *name) override {
    inside_.fetch_add(1);
    if (ended_)
      end(name, " is called after the driver's exit handler");
  }
  void leave() override { inside_.fetch_sub(1); }
  int init() override {
    if (!std::exchange(initialised_, true)) {
      process_ = getpid();
      std::atexit([] { static_cast<TheCore &>(core()).atExit(); });
    }
    return Success;
  }
  int deviceCount(int *count) override {
    *count = devices_;
    return devices_ ? initialised_ ? Success : NotInitialised : 100;
  }
  int device(int *device, int ordinal) override {
    if (ordinal < 0 || ordinal >= devices_)
      return InvalidDevice;
    *device = ordinal;
    return Success;
  }
  int deviceName(char *name, int length, int device) override {
    std::snprintf(name, size_t(length), "Fake GPU %d", device);
    return Success;
  }
  int deviceMemory(size_t *bytes, int) override {
    *bytes = memory_;
    return Success;
  }
  int canReach(int *can, int, int) override {
    *can = 1;
    return Success;
  }
  int current() override { return currentDevice; }
  void setCurrent(int device) override { currentDevice = device; }

  int allocate(Address *address, size_t bytes) override {
    std::lock_guard lock(mutex_);
    if (currentDevice < 0)
      return InvalidContext;
    if (!bytes)
      return InvalidValue;
    if (allocatedBytes_ + bytes > std::min(memory_, room_))
      return OutOfMemory;
    std::unique_ptr<void, Free> storage(std::aligned_alloc(512, (bytes + 511) / 512 * 512));
    std::memset(storage.get(), 0xcd, bytes);
    allocatedBytes_ += bytes;
    *address = Address(storage.get()) | Tag;
    allocations_[*address] = {std::move(storage), bytes, currentDevice};
    return Success;
  }
  int allocManaged(Address *address, size_t bytes, unsigned flags) override {
    if (flags != 1)
      return InvalidValue;
    int code = allocate(address, bytes);
    if (code)
      return code;
    std::lock_guard lock(mutex_);
    auto entry = allocations_.extract(*address);
    *address &= ~Tag;
    entry.key() = *address;
    allocations_.insert(std::move(entry));
    return Success;
  }
  int memGetInfo(size_t *left, size_t *total) override {
    std::lock_guard lock(mutex_);
    if (currentDevice < 0)
      return InvalidContext;
    *left = memory_ - allocatedBytes_;
    *total = memory_;
    return Success;
  }
  int createTexture(uint64_t *handle, const Texture &texture) override {
    std::lock_guard lock(mutex_);
    if (currentDevice < 0)
      return InvalidContext;
    if (texture.pixels % 512 || texture.pitch % 32 || !texture.width || !texture.height ||
        !isDevice(texture.pixels, texture.pitch * texture.height))
      return InvalidValue;
    *handle = ++lastTexture_;
    textures_[*handle] = texture;
    return Success;
  }
  int destroyTexture(uint64_t handle) override {
    std::lock_guard lock(mutex_);
    return currentDevice < 0 ? InvalidContext : textures_.erase(handle) ? Success : InvalidValue;
  }
  int memPrefetch(Address address, size_t bytes, int device, void *stream) override {
    std::lock_guard lock(mutex_);
    if ((address & Tag) || !isDevice(address, bytes) || device < -1 || device >= devices_)
      return InvalidValue;
    return push(stream, [this, device] { pagesAt_ = device; });
  }
  int pagesAt() override { return pagesAt_; }
  int free(Address address) override {
    std::lock_guard lock(mutex_);
    auto found = allocations_.find(address);
    if (found == allocations_.end())
      return InvalidValue;
    allocatedBytes_ -= found->second.bytes;
    allocations_.erase(found);
    return Success;
  }
  int allocateHost(void **host, size_t bytes, unsigned) override {
    std::lock_guard lock(mutex_);
    if (currentDevice < 0)
      return InvalidContext;
    *host = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    pinned_[uintptr_t(*host)] = bytes;
    return Success;
  }
  int freeHost(void *host) override {
    std::lock_guard lock(mutex_);
    if (!pinned_.erase(uintptr_t(host)))
      return InvalidValue;
    std::free(host);
    return Success;
  }
  int registerHost(void *host, size_t bytes, unsigned) override {
    std::lock_guard lock(mutex_);
    return pinned_.emplace(uintptr_t(host), bytes).second ? Success : AlreadyRegistered;
  }
  int unregisterHost(void *host) override {
    std::lock_guard lock(mutex_);
    return pinned_.erase(uintptr_t(host)) ? Success : NotRegistered;
  }
  int hostGetDevicePointer(Address *address, void *host, unsigned) override {
    std::lock_guard lock(mutex_);
    if (!isPinned(host, 1))
      return InvalidValue;
    *address = Address(host);
    return Success;
  }

  int copyToDevice(Address to, const void *from, size_t bytes, void *stream) override {
    return copyRows(CopyDirection::ToDevice, to, bytes, Address(from), bytes, bytes, 1, stream);
  }
  int copyToHost(void *to, Address from, size_t bytes, void *stream) override {
    return copyRows(CopyDirection::ToHost, Address(to), bytes, from, bytes, bytes, 1, stream);
  }
  int copyOnDevice(Address to, Address from, size_t bytes, void *stream) override {
    return copyRows(CopyDirection::OnDevice, to, bytes, from, bytes, bytes, 1, stream);
  }
  int copyRows(CopyDirection direction, Address to, size_t toPitch, Address from, size_t fromPitch, size_t width,
               size_t rows, void *stream) override {
    std::lock_guard lock(mutex_);
    if (!rows || !width || toPitch < width || fromPitch < width)
      return InvalidValue;
    size_t toBytes = (rows - 1) * toPitch + width, fromBytes = (rows - 1) * fromPitch + width;
    if (direction != CopyDirection::ToHost ? !isDevice(to, toBytes) : !isPinned(reinterpret_cast<void *>(to), toBytes))
      return InvalidValue;
    if (direction != CopyDirection::ToDevice && !isDevice(from, fromBytes))
      return InvalidValue;
    auto source = static_cast<const std::byte *>(direction == CopyDirection::ToDevice ? reinterpret_cast<void *>(from)
                                                                                      : real(from));
    auto target =
        static_cast<std::byte *>(direction == CopyDirection::ToHost ? reinterpret_cast<void *>(to) : real(to));
    std::vector<std::byte> taken;
    if (direction == CopyDirection::ToDevice && !isPinned(source, fromBytes)) {
      taken.assign(source, source + fromBytes); // pageable: the library copies it before the call returns
    }
    return push(stream, [=, taken = std::move(taken)] {
      const std::byte *start = taken.empty() ? source : taken.data();
      for (size_t row = 0; row < rows; ++row)
        std::memcpy(target + row * toPitch, start + row * fromPitch, width);
    });
  }
  int copyPeer(Address to, int toDevice, Address from, int fromDevice, size_t bytes, void *stream) override {
    if (toDevice < 0 || toDevice >= devices_ || fromDevice < 0 || fromDevice >= devices_)
      return InvalidDevice;
    if (int code = std::max(resultOf(toDevice), resultOf(fromDevice)))
      return code;
    return copyOnDevice(to, from, bytes, stream);
  }
  int fill(Address to, uint64_t value, size_t unit, size_t count, void *stream) override {
    std::lock_guard lock(mutex_);
    if (to % unit || !isDevice(to, unit * count))
      return InvalidValue;
    auto *target = static_cast<std::byte *>(real(to));
    return push(stream, [=] {
      for (size_t i = 0; i < count; ++i)
        std::memcpy(target + i * unit, &value, unit);
    });
  }

  int pciBusId(char *text, int length, int device) override {
    if (device < 0 || device >= devices_)
      return InvalidDevice;
    return std::snprintf(text, size_t(length), "0001:%02x:1f.3", 0xc0 + device) < length ? Success : InvalidValue;
  }
  int priorities(int *least, int *greatest) override {
    std::lock_guard lock(mutex_);
    if (currentDevice < 0)
      return InvalidContext;
    *least = 1;
    *greatest = -5;
    return Success;
  }
  int createStream(void **stream, unsigned flags) override { return createStreamWithPriority(stream, flags, 0); }
  int createStreamWithPriority(void **stream, unsigned flags, int priority) override {
    std::lock_guard lock(mutex_);
    if (currentDevice < 0)
      return InvalidContext;
    if (flags != 1 || priority < -5 || priority > 1)
      return InvalidValue;
    streams_.push_back(std::make_unique<Stream>(Stream{currentDevice, {}, priority}));
    *stream = streams_.back().get();
    return Success;
  }
  int destroyStream(void *stream) override {
    std::unique_lock lock(mutex_);
    auto known = [&] { return std::ranges::find(streams_, stream, &std::unique_ptr<Stream>::get); };
    if (known() == streams_.end())
      return InvalidHandle;
    changed_.wait(lock, [&] { return static_cast<Stream *>(stream)->work.empty() && running_ != stream; });
    streams_.erase(known()); // others were created or destroyed meanwhile
    return Success;
  }
  int queryStream(void *stream) override {
    std::lock_guard lock(mutex_);
    const int code = resultOf(static_cast<Stream *>(stream)->device);
    return code ? code : static_cast<Stream *>(stream)->work.empty() && running_ != stream ? Success : NotReady;
  }
  int writeWord(void *stream, Address address, uint32_t value, unsigned flags) override {
    std::lock_guard lock(mutex_);
    auto *word = reinterpret_cast<uint32_t *>(address);
    if (address % sizeof value || flags || !isPinned(word, sizeof value))
      return InvalidValue;
    return push(stream, [=] {
      if (__tsan_release)
        __tsan_release(word);
      __atomic_store_n(word, value, __ATOMIC_RELEASE);
    });
  }
  int streamWait(void *stream, void *event, unsigned) override {
    std::lock_guard lock(mutex_);
    return push(stream, {}, static_cast<Event *>(event)->mark);
  }
  int createEvent(void **event, unsigned flags) override {
    if (currentDevice < 0)
      return InvalidContext;
    auto made = std::make_unique<Event>(Event{!(flags & 2), {}});
    *event = made.get();
    std::lock_guard lock(mutex_);
    events_[*event] = std::move(made);
    return Success;
  }
  int destroyEvent(void *event) override {
    std::lock_guard lock(mutex_);
    return events_.erase(event) ? Success : InvalidHandle;
  }
  int record(void *event, void *stream) override {
    std::lock_guard lock(mutex_);
    auto mark = std::make_shared<Mark>();
    static_cast<Event *>(event)->mark = mark;
    return push(stream, {}, {}, mark);
  }
  int query(void *event) override {
    std::lock_guard lock(mutex_);
    auto &mark = static_cast<Event *>(event)->mark;
    return !mark || mark->done ? resultOf(currentDevice) : NotReady;
  }
  int elapsed(float *milliseconds, void *start, void *end) override {
    std::lock_guard lock(mutex_);
    auto *a = static_cast<Event *>(start), *b = static_cast<Event *>(end);
    if (!a->timing || !b->timing || !a->mark || !b->mark)
      return InvalidHandle;
    if (!a->mark->done || !b->mark->done)
      return NotReady;
    *milliseconds = std::chrono::duration<float, std::milli>(b->mark->time - a->mark->time).count();
    return Success;
  }

  int loadModule(void **module, std::vector<ModuleFunction> functions) override {
    if (currentDevice < 0)
      return InvalidContext;
    std::this_thread::sleep_for(loadTime_);
    auto made = std::make_unique<Module>(Module{std::move(functions)});
    for (ModuleFunction &function : made->functions)
      if (!function.maxThreads)
        function.maxThreads = maxThreads_;
    *module = made.get();
    std::lock_guard lock(mutex_);
    modules_[*module] = std::move(made);
    return Success;
  }
  int unloadModule(void *module) override {
    std::lock_guard lock(mutex_);
    return modules_.erase(module) ? Success : InvalidHandle;
  }
  int function(void **function, void *module, const char *name) override {
    for (ModuleFunction &known : static_cast<Module *>(module)->functions)
      if (known.name == name) {
        *function = &known;
        return Success;
      }
    return NotFound;
  }
  int functionAttribute(int *value, int attribute, void *function) override {
    constexpr int MaxThreads = 0, BytesPerThread = 3, Registers = 4;
    const int threads = int(static_cast<ModuleFunction *>(function)->maxThreads);
    *value = attribute == MaxThreads ? threads : attribute == BytesPerThread ? 48 : attribute == Registers ? 73 : 0;
    return Success;
  }
  int launch(void *function, const unsigned (&grid)[3], const unsigned (&block)[3], unsigned localBytes, void *stream,
             const void *parameters, size_t parameterBytes) override {
    std::lock_guard lock(mutex_);
    uint64_t threads = 1;
    for (int d = 0; d < 3; ++d) {
      if (!grid[d] || !block[d] || grid[d] > (d ? 65535u : 0x7fffffffu) || block[d] > (d == 2 ? 64u : 1024u))
        return InvalidValue;
      threads *= block[d];
    }
    if (threads > LargestGroup)
      return InvalidValue;
    if (threads > static_cast<ModuleFunction *>(function)->maxThreads)
      return LaunchOutOfResources;
    auto *bytes = static_cast<const std::byte *>(parameters);
    Launch launch{.kernel = static_cast<ModuleFunction *>(function)->name,
                  .localBytes = localBytes,
                  .parameters = {bytes, bytes + parameterBytes},
                  .stream = stream};
    std::copy(grid, grid + 3, launch.grid);
    std::copy(block, block + 3, launch.block);
    launch.device = static_cast<Stream *>(stream)->device;
    launch.priority = static_cast<Stream *>(stream)->priority;
    launches_.push_back(launch);
    auto known = kernels_.find(launch.kernel);
    std::function<void(const Launch &)> body = known == kernels_.end() ? nullptr : known->second;
    return push(stream, [this, launch = std::move(launch), body = std::move(body)] {
      std::this_thread::sleep_for(workTime_);
      if (body)
        body(launch);
    });
  }

private:
  struct Failure {
    std::string name;
    unsigned left;
    int code;
    bool loses = false;
  };
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  /// Kiln keeps unused memory until the process ends. A device address is not a pointer; this is one, so that leak
  /// checkers count such memory as reachable.
  struct Allocation {
    std::unique_ptr<void, Free> storage;
    size_t bytes;
    int device;
  };

  static std::chrono::milliseconds millisecondsOf(const char *variable) {
    const char *value = std::getenv(variable);
    return std::chrono::milliseconds(value ? std::strtoul(value, nullptr, 10) : 0);
  }
  [[noreturn]] static void end(const char *what, const char *why) {
    std::fprintf(stderr, "the fake driver: %s%s\n", what, why);
    std::abort();
  }
  void atExit() {
    if (getpid() != process_) // the child of a fork has the counts of its parent's threads
      return;
    ended_ = true;
    if (inside_)
      end("a thread", " is inside of a call while the driver's exit handler runs");
    std::this_thread::sleep_for(std::chrono::milliseconds(2)); // time for calls that begin meanwhile
  }

  /// What calls for a device return: 0, or the code of its loss.
  int resultOf(int device) const {
    auto found = broken_.find(device);
    return found == broken_.end() ? 0 : found->second;
  }

  bool isDevice(Address address, size_t bytes) {
    auto after = allocations_.upper_bound(address);
    if (after == allocations_.begin())
      return false;
    --after;
    return address - after->first + bytes <= after->second.bytes;
  }
  bool isPinned(const void *host, size_t bytes) {
    auto after = pinned_.upper_bound(uintptr_t(host));
    if (after == pinned_.begin())
      return false;
    --after;
    return uintptr_t(host) - after->first + bytes <= after->second;
  }
  int push(void *stream, std::function<void()> body, std::shared_ptr<Mark> after = {},
           std::shared_ptr<Mark> marks = {}) {
    if (!stream)
      return InvalidHandle;
    static_cast<Stream *>(stream)->work.push_back({std::move(body), std::move(after), std::move(marks)});
    changed_.notify_all();
    return Success;
  }
  /// Removes work without running it. What waits for its end goes on.
  static void drop(Stream &stream) {
    for (Work &work : stream.work)
      if (work.marks)
        *work.marks = {true, Clock::now()};
    stream.work.clear();
  }
  Stream *runnable() {
    if (held_)
      return nullptr;
    for (const auto &stream : streams_)
      if (!stream->work.empty() && (!stream->work.front().after || stream->work.front().after->done))
        return stream.get();
    return nullptr;
  }
  void loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
      Stream *stream = nullptr;
      changed_.wait(lock, [&] { return (stream = runnable()); });
      Work work = std::move(stream->work.front());
      stream->work.pop_front();
      running_ = stream;
      if (work.body && !resultOf(stream->device)) {
        if (breakWith_) {
          broken_[stream->device] = std::exchange(breakWith_, 0);
        } else {
          lock.unlock();
          work.body();
          lock.lock();
        }
      }
      if (work.marks) {
        work.marks->time = Clock::now() + stream->eventShift;
        work.marks->done = true;
      }
      running_ = nullptr;
      changed_.notify_all();
    }
  }

  std::atomic<int> inside_{0}; // calls
  std::atomic<bool> ended_{false};
  pid_t process_ = 0;
  std::chrono::milliseconds loadTime_{0}, workTime_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool initialised_ = false, held_ = false;
  int devices_ = 2, breakWith_ = 0;
  std::map<int, int> broken_; // codes, by device
  std::atomic<int> pagesAt_{-2};
  std::atomic<unsigned> maxThreads_{LargestGroup}; // of functions without a bound
  size_t memory_ = size_t(1) << 30, allocatedBytes_ = 0;
  size_t room_ = SIZE_MAX; // of device memory; what is missing to memory_, others use
  std::vector<Failure> failures_;
  std::map<std::string, unsigned> counts_;
  std::map<std::string, std::function<void()>> hooks_;
  std::vector<Launch> launches_;
  std::map<std::string, std::function<void(const Launch &)>> kernels_;
  std::map<Address, Allocation> allocations_;
  std::map<uint64_t, Texture> textures_;
  uint64_t lastTexture_ = 0;
  std::map<uintptr_t, size_t> pinned_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::map<void *, std::unique_ptr<Event>> events_;
  std::map<void *, std::unique_ptr<Module>> modules_;
  Stream *running_ = nullptr;
};

} // namespace

Core &core() {
  static TheCore *leaked = new TheCore; // never destroyed: its thread runs until the process ends
  return *leaked;
}

} // namespace kiln::fake

// NOLINTNEXTLINE(readability-identifier-naming): tests find it by this name
FAKE_EXPORT kiln::fake::Control *kiln_fake_driver() { return &kiln::fake::core(); }
