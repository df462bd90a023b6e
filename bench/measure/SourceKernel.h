// A kernel from a source file with arguments that are made for it.
#pragma once
#include "bench/measure/ArgumentSetter.h"
#include "bench/measure/Request.h"

namespace bench {

class SourceKernel {
public:
  /// Builds the kernel and sets its arguments. The first kernel makes their memory. Throws with the reason.
  SourceKernel(const Session &session, const Source &source, const Request &request, const LaunchSize &size,
               SharedArguments &shared);
  SourceKernel(const SourceKernel &) = delete; // the setter refers to the size

  /// Enqueues launches and waits for them. Returns the seconds.
  double run(unsigned launches) const;
  /// The contents of memory after one launch on the contents at first.
  std::vector<std::string> result(const SharedArguments &shared) const;
  uint64_t readBytes() const { return setter_.readBytes(); }
  uint64_t writtenBytes() const { return setter_.writtenBytes(); }
  const std::string &name() const { return name_; }
  const std::vector<std::string> &description() const { return setter_.description(); }

private:
  struct Built {
    Program program;
    std::string name;
    Kernel kernel;
  };
  static Built build(const Session &session, const Source &source, const Request &request);

  const Session &session_;
  const LaunchSize size_;
  const Built built_;
  const std::string &name_ = built_.name;
  ArgumentSetter setter_;
};

} // namespace bench
