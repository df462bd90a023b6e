// A GPU's driver over host memory, for tests of Kiln's drivers on machines without a GPU. Both fake libraries are this
// core under the names of a vendor's functions. It is stricter than the real ones: it works later and on another
// thread, keeps device memory out of the host's reach, requires a current device, and refuses copies from a device to
// pageable memory, for which the real ones would wait. Its exit handler, which `init` registers, aborts the process if
// a thread is inside of a call, and so do calls after it.
//
// A test finds the Control of a library that it loaded by the symbol `kiln_fake_driver`. For programs that cannot call
// it, environment variables have the same effect: KILN_FAKE_LOSE="NAME NTH CODE" as `loseDevice`, KILN_FAKE_ROOM=BYTES
// limits device memory to less than the device reports, as if other processes used the rest, KILN_FAKE_THREADS=COUNT as
// `limitThreads`, KILN_FAKE_LOAD=MILLISECONDS is the time that loading a module takes, as with an assembler in the
// process, and KILN_FAKE_WORK=MILLISECONDS the time of a launch.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kiln::fake {

struct Launch {
  std::string kernel;
  unsigned grid[3]{}, block[3]{}, localBytes = 0;
  std::vector<std::byte> parameters;
  void *stream = nullptr;
  int device = 0, priority = 0; // of the stream
};

/// A texture object over rows of pixels, with the driver's numbers.
struct Texture {
  uint64_t pixels = 0;
  int element = 0;
  unsigned channels = 0;
  size_t width = 0, height = 0, pitch = 0;
  int addressing[2]{}, filter = 0;
  unsigned flags = 0;
  bool operator==(const Texture &) const = default;
};

class Control {
public:
  virtual ~Control() = default;
  /// Clears launches, counts, failures and `onCall`; kernels and devices stay.
  virtual void reset() = 0;
  /// The nth call of that name from now on, 1 for the next, fails with `code`; an empty `name` means every function.
  virtual void failCall(const std::string &name, unsigned nth, int code) = 0;
  /// The next work that runs ends with this result, which every later call for its device then returns.
  virtual void breakDevice(int code) = 0;
  /// The nth call of that name from now on loses the device that is current: this call and all later ones for the
  /// device return `code`, and its work that has not run is dropped. An empty `name` means every function.
  virtual void loseDevice(const std::string &name, unsigned nth, int code) = 0;
  virtual bool isBroken(int device) = 0;
  /// Resets the driver, as in a new process: allocated memory of broken devices is gone, and work that they have not
  /// run.
  virtual void mend() = 0;
  /// Each later call of that name first calls the function, on the calling thread and with no lock. Until `reset`.
  virtual void onCall(const std::string &name, std::function<void()> function) = 0;
  /// Events that the stream records from now on are off by this time, as if it had a clock that is wrong.
  virtual void shiftEvents(void *stream, double milliseconds) = 0;
  /// While held, issued work does not run.
  virtual void hold(bool held) = 0;
  virtual void setDevices(int count) = 0;
  virtual void setMemory(size_t bytes) = 0; // of a device
  /// Functions of modules that are loaded from now on have room for groups of this many work-items, as if each needed
  /// many registers. Excepted are functions with a bound of the group's size or of the registers.
  virtual void limitThreads(unsigned most) = 0;
  virtual unsigned calls(const std::string &name) = 0;
  virtual std::vector<Launch> launches() = 0;
  /// Implements a kernel of that name; without this, a launch is only recorded.
  virtual void kernel(const std::string &name, std::function<void(const Launch &)> function) = 0;
  /// The host's pointer to device memory.
  virtual void *real(uint64_t address) = 0;
  virtual size_t deviceBytes() = 0;            // allocated now
  virtual std::vector<Texture> textures() = 0; // that exist now
  /// The last target of memPrefetch: a device's number, or -1.
  virtual int pagesAt() = 0;
};

/// Implements the exported functions.
class Core;
Core &core();

using Address = uint64_t;

class Core : public Control {
public:
  /// Counts the call, which is for `device`. Returns an error if the test requested that or the device is broken.
  virtual int begin(const char *name, int device) = 0;
  int begin(const char *name) { return begin(name, current()); }
  /// A thread is inside of a call for a scope.
  struct Call {
    explicit Call(const char *name) { core().enter(name); }
    ~Call() { core().leave(); }
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;
  };
  virtual void enter(const char *name) = 0;
  virtual void leave() = 0;
  /// Runs `body` unless the call fails.
  template <typename Body> int run(const char *name, Body body) {
    const Call call(name);
    int code = begin(name);
    return code ? code : body();
  }
  virtual int init() = 0;
  virtual int deviceCount(int *count) = 0;
  virtual int device(int *device, int ordinal) = 0;
  virtual int deviceName(char *name, int length, int device) = 0;
  virtual int deviceMemory(size_t *bytes, int device) = 0;
  virtual int canReach(int *can, int device, int peer) = 0;
  virtual int pciBusId(char *text, int length, int device) = 0; // as text
  virtual int priorities(int *least, int *greatest) = 0;
  virtual int current() = 0; // the ordinal, or -1
  virtual void setCurrent(int device) = 0;

  virtual int allocate(Address *address, size_t bytes) = 0;
  virtual int free(Address address) = 0;
  virtual int allocateHost(void **host, size_t bytes, unsigned flags) = 0;
  virtual int freeHost(void *host) = 0;
  virtual int registerHost(void *host, size_t bytes, unsigned flags) = 0;
  virtual int unregisterHost(void *host) = 0;
  virtual int hostGetDevicePointer(Address *address, void *host, unsigned flags) = 0;
  /// Memory with the same address on the host and the device.
  virtual int allocManaged(Address *address, size_t bytes, unsigned flags) = 0;
  virtual int memGetInfo(size_t *left, size_t *total) = 0;
  virtual int memPrefetch(Address address, size_t bytes, int device, void *stream) = 0;

  virtual int copyToDevice(Address to, const void *from, size_t bytes, void *stream) = 0;
  virtual int copyToHost(void *to, Address from, size_t bytes, void *stream) = 0;
  virtual int copyOnDevice(Address to, Address from, size_t bytes, void *stream) = 0;
  enum class CopyDirection { ToDevice, ToHost, OnDevice };
  virtual int copyRows(CopyDirection direction, Address to, size_t toPitch, Address from, size_t fromPitch,
                       size_t width, size_t rows, void *stream) = 0;
  virtual int copyPeer(Address to, int toDevice, Address from, int fromDevice, size_t bytes, void *stream) = 0;
  virtual int fill(Address to, uint64_t value, size_t unit, size_t count, void *stream) = 0;

  virtual int createStream(void **stream, unsigned flags) = 0;
  virtual int createStreamWithPriority(void **stream, unsigned flags, int priority) = 0;
  virtual int destroyStream(void *stream) = 0;
  virtual int queryStream(void *stream) = 0;
  virtual int writeWord(void *stream, Address address, uint32_t value, unsigned flags) = 0; // to pinned memory
  virtual int streamWait(void *stream, void *event, unsigned flags) = 0;
  virtual int createEvent(void **event, unsigned flags) = 0;
  virtual int destroyEvent(void *event) = 0;
  virtual int record(void *event, void *stream) = 0;
  virtual int query(void *event) = 0;
  virtual int elapsed(float *milliseconds, void *start, void *end) = 0;

  virtual int createTexture(uint64_t *handle, const Texture &texture) = 0;
  virtual int destroyTexture(uint64_t handle) = 0;

  struct ModuleFunction {
    std::string name;
    unsigned maxThreads = 0; // of a group; 0: as many as the test allows
  };
  virtual int loadModule(void **module, std::vector<ModuleFunction> functions) = 0;
  virtual int unloadModule(void *module) = 0;
  virtual int function(void **function, void *module, const char *name) = 0;
  virtual int functionAttribute(int *value, int attribute, void *function) = 0;
  virtual int launch(void *function, const unsigned (&grid)[3], const unsigned (&block)[3], unsigned localBytes,
                     void *stream, const void *parameters, size_t parameterBytes) = 0;
};

} // namespace kiln::fake

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))
/// An exported call that is one of the core's: FAKE_CALL(cuMemFree_v2, free, (Address a), (a))
#define FAKE_CALL(name, method, parameters, arguments)                                                                 \
  FAKE_EXPORT int name parameters {                                                                                    \
    return kiln::fake::core().run(#name, [&] { return kiln::fake::core().method arguments; });                         \
  }
