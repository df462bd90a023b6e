// A launch that has been checked, with everything that it needs until it has ended. A launch by the host
// (HostLaunch), one that a kernel enqueued (ChildCommand) and an initializer are all issued by the same steps.
#pragma once
#include "runtime/program/ArgumentBlock.h"
#include "runtime/program/DeviceProgram.h"

namespace kiln {

class DeferredCompletion;
class LockedStream;

/// What the program's build options say about enqueues.
struct EnqueueRules {
  bool detailedErrors = false;    // return specific error codes (-g)
  bool uniformWorkGroups = false; // local sizes must divide global sizes
};

/// The commands that a launch's kernel enqueues. LaunchRecords (runtime/enqueue) is the only implementation.
class ChildLaunches {
public:
  virtual ~ChildLaunches() = default;
  /// Issued before the launch; sets `address` to the value of Launch::enqueueArena.
  virtual Status begin(Issuer &issuer, uint64_t &address) = 0;
  /// Issued after the launch.
  virtual Status end(Issuer &issuer) = 0;
  /// The launch, by the host, has ended with success on `stream`: starts its children. Calls `completion`, possibly
  /// before it returns, when the last descendant is complete; this object must live until then.
  virtual void startChildren(DeferredCompletion &completion, LockedStream &stream) noexcept = 0;
};

struct CheckedLaunch {
  /// Returns true if the launch has no work-items, so that it does not run.
  bool isEmpty() const { return !grid.globalSize[0] || !grid.globalSize[1] || !grid.globalSize[2]; }

  /// Selects the variant of the kernel for the launch's sizes and the `known` arguments. Otherwise as `setCode`. The
  /// function may be null: `issue` waits for the kernel's code, which is being generated.
  void selectCode(DeviceKernel &kernel, const std::shared_ptr<const DeviceProgram> &program,
                  const std::vector<protocol::KnownArgument> &known);
  /// Sets the members that depend on the code. `arguments` and the sizes are set already.
  void setCode(Function *function, const KernelPlan &plan, const std::shared_ptr<const DeviceProgram> &program);
  /// CL_OUT_OF_RESOURCES if the device has less local memory than a work-group needs.
  Status checkLocalBytes(const DeviceInfo &limits, const std::string &kernel) const;

  /// Issues the launch, which `run` does, with what must be issued before and after it.
  template <typename Run> Status issue(Issuer &issuer, Run run) {
    if (isEmpty())
      return {};
    if (!grid.function)
      grid.function = KILN_TRY(awaited->waitForGeneric());
    if (output)
      KILN_TRY(output->begin(issuer, grid.printfBuffer));
    if (children)
      KILN_TRY(children->begin(issuer, grid.enqueueArena));
    if (Status ran = run(); !ran.ok()) {
      if (output)
        (void)output->end(issuer); // what the kernel printed before it failed
      return ran;
    }
    if (children)
      KILN_TRY(children->end(issuer));
    return output ? output->end(issuer) : Status();
  }

  std::shared_ptr<void> variant;          // keeps a variant's code alive
  std::shared_ptr<LaunchUpgrade> upgrade; // null: none
  std::shared_ptr<LaunchTrial> trial;     // null: none
  DeviceKernel *awaited = nullptr;        // whose code `issue` waits for; null if the function is set
  Ref<ArgumentBlock> arguments;
  std::unique_ptr<PrintfOutput> output;    // null unless it prints
  std::unique_ptr<ChildLaunches> children; // null unless it enqueues
  Launch grid;                             // what the driver runs
};

} // namespace kiln
