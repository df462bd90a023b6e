// Makes and sets the arguments of one kernel, from --arg or by default.
#pragma once
#include "bench/measure/SharedArguments.h"

namespace bench {

struct LaunchSize {
  std::vector<size_t> global, local; // local: empty if the runtime chooses
  size_t items() const;
  size_t groupItems() const; // 0 if the runtime chooses
};

class ArgumentSetter {
public:
  ArgumentSetter(const Session &session, cl_kernel kernel, const LaunchSize &size, SharedArguments &shared)
      : session_(session), kernel_(kernel), size_(size), shared_(shared) {}
  /// Sets all arguments. `given` are the values of --arg, by name, by number or in order. The first kernel of a device
  /// makes the memory. Throws with the argument and the reason.
  void setAll(const std::vector<std::string> &given);

  /// One line for each argument: its type and its value.
  const std::vector<std::string> &description() const { return description_; }
  /// Of buffers and images that the kernel cannot write, and of all others.
  uint64_t readBytes() const { return readBytes_; }
  uint64_t writtenBytes() const { return writtenBytes_; }

private:
  void set(cl_uint index, const std::string &value);
  void setNumber(cl_uint index, const std::string &value);
  void setLocal(cl_uint index, const std::string &value);
  void setBuffer(cl_uint index, const std::string &value);
  void setImage(cl_uint index, const std::string &value);
  void setSampler(cl_uint index, const std::string &value);
  void setPipe(cl_uint index, const std::string &value);
  void setQueue(cl_uint index, const std::string &value);
  void describe(const std::string &value) { description_.push_back(words_ + ": " + value); }

  const Session &session_;
  const cl_kernel kernel_;
  const LaunchSize &size_;
  SharedArguments &shared_;
  std::string type_, words_; // of the argument that is being set
  std::vector<std::string> description_;
  bool isReadOnly_ = false; // the same
  uint64_t readBytes_ = 0, writtenBytes_ = 0;
  unsigned integers_ = 0; // integer arguments so far that have the default
};

} // namespace bench
