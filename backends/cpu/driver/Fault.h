// A fault in a kernel ends its launch, not the process. The event of the launch has an error, and the log and the
// context's callback say what happened:
//
//   kernel blur: SIGSEGV at address 0x7f31c0a01000, 4096 bytes after the end of the buffer of argument 1 (out), which
//   has 1048576 bytes at 0x7f31c0900000; in work-groups 12 to 15
//
// The handlers are installed when the first kernel is loaded, unless KILN_SIGNALS is off. They take a fault only if its
// program counter is in code of a kernel. A kernel holds no lock and owns nothing, so its thread may leave it at any
// instruction: the handler jumps back to where the thread called it (`Running::run`).
//
// A launch that takes too long is ended in the same way, by a signal that Kiln sends to its threads (Report::end). It
// is one of the four, with a mark, so that no other signal is taken from the application.
//
// Every other signal is passed on to the action that was there before, the default one included, with the same context.
// So is a fault of a kernel in memory of a buffer, if the application has a handler: it has protected its own memory,
// and may give the pages when they are accessed. Standard error has the line then. A handler that the application
// installs later replaces Kiln's, and may pass the signal on to it.
//
// A fault is on a thread of the application, which helps to run kernels, or on one of Kiln's pool. The system ends the
// process without calling a handler if the faulting thread blocks the signal, so pool threads unblock these signals
// when they run their first kernel. A signal that is sent to the process (kill, sigqueue) may then reach such a thread.
// The thread blocks it again and sends it on, so that a thread of the application gets it, or it stays pending, as if
// Kiln had no threads.
//
// What a handler reads is in lists whose nodes are never freed, or behind a lock that no thread holds while it runs a
// kernel. Handlers use no thread_local variable, because the first access of a thread may allocate memory.
#pragma once
#include "backends/LaunchFault.h"
#include "backends/cpu/driver/KernelFpScope.h"
#include "base/abi/ProgramInfo.h"
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::cpu::fault {

/// What a handler says about a kernel. Copied from KernelInfo, which the caller may destroy.
class Kernel {
public:
  explicit Kernel(const KernelInfo &info);

  struct Pointer {
    uint32_t index, offset; // in the argument list, in the argument block
    std::string name;       // empty if the module has none
  };
  const std::string name;
  const std::vector<Pointer> pointers; // arguments that are, or begin with, an address
};

/// The executable memory of a loaded code object while this exists. The first one installs the handlers.
class CodeRange {
public:
  /// `handle` is dlopen's.
  explicit CodeRange(void *handle);
  ~CodeRange();
  CodeRange(const CodeRange &) = delete;

private:
  friend class Handler;
  struct Node;
  Node *node_ = nullptr; // null if the code is not known, or Kiln leaves the signals alone
};

/// Memory of a buffer while this exists.
class MemoryRange {
public:
  MemoryRange(const void *begin, size_t size);
  ~MemoryRange();
  MemoryRange(const MemoryRange &) = delete;

private:
  friend class Handler;
  struct List;
  const uintptr_t begin_;
  const size_t size_;
  uint32_t process_ = 0; // List::process: after a fork the parent's ranges are in no list
  MemoryRange *next_ = nullptr, *previous_ = nullptr;
};

/// What the first fault of a launch was.
class Report {
public:
  /// Returns true if there was no fault. Threads of the launch may call it.
  bool empty() const { return !isTaken_.load(std::memory_order_relaxed); }
  // After the threads of the launch have ended:
  std::string_view text() const { return {text_, size_}; }
  const LaunchFault &fault() const { return fault_; }

  /// Ends the launch with this text, unless a fault has ended it: sends a signal to the threads that run its kernel,
  /// and the handler leaves the kernel. A thread that was not in the kernel's code goes on, so the caller repeats this
  /// until the launch has ended. Only one thread calls it.
  void end(std::string_view text) noexcept;

private:
  friend class Handler;
  std::atomic<bool> isTaken_{false}, isEnding_{false};
  LaunchFault fault_;
  size_t size_ = 0;
  char text_[768];
};

/// A kernel with the argument block of a launch.
struct KernelCall {
  const Kernel &kernel;
  const void *arguments;
};

/// The address of the access that a signal is about; 0 if it is about none, or the processor does not say the address:
/// x86 does not for one that no memory can have.
uint64_t accessedAddress(const siginfo_t &info);
/// Returns the words of a report about such an access: its address and what is near.
std::string describeAccess(const KernelCall &call, const siginfo_t &info);

/// The calling thread runs work-groups [first, end) of a kernel while this exists.
class Running {
public:
  Running(const Kernel &kernel, const void *arguments, uint64_t first, uint64_t end, Report &report) noexcept;
  ~Running();
  Running(const Running &) = delete;

  /// Calls the kernel's code, `call`, which must own nothing. A fault ends the call and is in the report.
  template <typename Call> void run(const Call &call) {
    if (sigsetjmp(back_, 0) == 0) // the handler restores the signal mask
      call();
    else
      restoreFloatingPoint();
  }
  static void declareOwnThread() noexcept;
  static bool isOwnThread() noexcept;

private:
  friend class Handler;
  struct Slot;
  void restoreFloatingPoint() const noexcept {
    x87_.restore();
    KernelFpScope::set();
  }
  const KernelCall call_;
  const uint64_t first_, end_;
  Report &report_;
  Slot *const slot_; // null if there is no memory for it
  const X87Control x87_;
  sigjmp_buf back_;
};

/// The calling thread is one of Kiln's: the signals of faults are unblocked when it runs its first kernel.
void declareOwnThread() noexcept;
/// Returns true if the calling thread has declared that.
bool isOwnThread() noexcept;

} // namespace kiln::cpu::fault
