// A kernel from a source file with arguments that are made for it.
#pragma once
#include "bench/Opencl.h"
#include "bench/measure/Request.h"
#include <memory>

namespace bench {

/// The buffers of all variants on one device. They are shared, so that no variant has addresses that suit it better.
struct SharedBuffers {
  struct One {
    Mem memory;
    std::string content; // at first
  };
  std::vector<One> all; // by the argument's index; null for other arguments
};

class SourceKernel {
public:
  /// Builds the kernel and sets its arguments. The first kernel makes the buffers. Throws with the reason.
  SourceKernel(const Session &session, const Source &source, const Request &request, SharedBuffers &buffers);

  /// Enqueues launches and waits for them. Returns the seconds.
  double run(unsigned launches) const;
  /// The contents of all buffers after one launch on the contents at first.
  std::string result(const SharedBuffers &buffers) const;
  void restore(const SharedBuffers &buffers) const;
  uint64_t bytes() const { return bytes_; }
  const std::string &name() const { return name_; }
  /// One line for each argument: its type and its value.
  const std::vector<std::string> &description() const { return description_; }

private:
  void set(cl_uint index, const std::string &spec, const Request &request, SharedBuffers &buffers);
  const Session &session_;
  Program program_;
  Kernel kernel_;
  std::string name_;
  std::vector<size_t> global_, local_;
  std::vector<std::string> description_;
  uint64_t bytes_ = 0;
  unsigned numbers_ = 0; // integer arguments so far that have the default
};

} // namespace bench
