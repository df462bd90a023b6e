// A small application that uses OpenCL, and ends in one of many ways (Endings.h).
#pragma once
#include "tests/process/life/OpenClFunctions.h"
#include <string>
#include <vector>

namespace kiln::life {

/// How a process uses OpenCL before it ends.
struct Settings {
  cl_device_type device = CL_DEVICE_TYPE_CPU;
  unsigned kernels = 4; // of each program; each is launched
  unsigned number = 0;  // of the program's source, to have one that no cache contains
};

class Application {
public:
  explicit Application(const Settings &settings) : settings_(settings) {}

  // Each step does those before it, unless they were done. A failing call ends the process with status 3: an ending has
  // not begun yet.
  void load();     // the loader
  void platform(); // platform and device
  void context();  // and a queue
  void source();
  void build();
  void launch(); // every kernel, with a flush
  /// The second launch with the same local size requests a variant.
  void requestVariants();
  void finish();
  void release();
  /// Closes the loader's library.
  void unload();

  /// Calls for threads that go on while the process ends, and for destructors: results do not matter then.
  void use();
  void useBuffers();
  void buildAgain();
  void enqueueBehindUserEvent();
  void readLater();

  /// A program with the number of this process and `more`, not built.
  cl_program newProgram(unsigned more);
  OpenClFunctions cl;
  cl_platform_id kiln = nullptr;
  cl_device_id device = nullptr;
  cl_context usedContext = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
  cl_mem buffer = nullptr, image = nullptr;
  std::vector<cl_kernel> kernels;
  std::vector<int> data = std::vector<int>(1 << 20);

private:
  void check(cl_int code, const char *call) const;
  cl_int launchAll();

  const Settings settings_;
  void *library_ = nullptr;
};

/// Tells the program that supervises this process that its end begins now.
void endBegins();

} // namespace kiln::life
