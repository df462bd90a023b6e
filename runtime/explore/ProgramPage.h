// KILN_EXPLORE: the explorer's page of one program (base/explorer). It is written when the program and all its launches
// are released, or at the end of the process. README.md lists what a page contains.
#pragma once
#include "backends/Device.h"
#include "base/protocol/Protocol.h"
#include "base/support/Options.h"
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace kiln::explore {

inline bool enabled() { return !options().explore.empty(); }

/// What distinguishes launches in the page's table.
struct LaunchKind {
  std::string kernel, device, variant;
  std::array<uint64_t, 3> globalSize{}, localSize{};
  auto operator<=>(const LaunchKind &) const = default;
};

/// Thread-safe.
class ProgramPage {
public:
  /// Returns null unless the switch is set.
  static std::shared_ptr<ProgramPage> create();
  ProgramPage();
  /// Writes the page. A folder that cannot be written is an error of the log.
  ~ProgramPage();
  ProgramPage(const ProgramPage &) = delete;
  ProgramPage &operator=(const ProgramPage &) = delete;

  /// Adds the source, the files on the disk that the front end has read for it, and its embedded headers.
  void addSource(const std::string &source, const std::vector<std::string> &included,
                 const std::vector<protocol::Header> &headers);
  /// Adds kilnc's description of a variant. It replaces one of that name: of an earlier build, or of a device with the
  /// same code.
  void addVariant(const std::string &name, std::string variant);
  /// Adds what the driver says about a kernel's machine code. It replaces what an earlier build had.
  void addMachineCode(const std::string &kernel, const std::string &device, const std::string &variant,
                      const std::vector<CodeNumber> &numbers);
  /// Adds a launch that has ended. Times in nanoseconds.
  void addLaunch(LaunchKind kind, uint64_t start, uint64_t end);

private:
  struct Times {
    uint64_t count = 0, least = UINT64_MAX, most = 0, sum = 0;
  };
  void write();
  static void writeAll();

  std::string path_;                                 // chosen when the page is first written; empty before
  const unsigned number_;                            // among the pages of the process
  const unsigned process_;                           // in the child of a fork nothing is written
  std::vector<std::string> variants_, variantNames_; // in the same order
  std::map<std::string, std::string> files_;         // text by name
  std::map<std::array<std::string, 3>, std::vector<CodeNumber>> machineCode_; // by kernel, device and variant
  std::map<LaunchKind, Times> launches_;
  uint64_t launchesLeftOut_ = 0; // of kinds above the limit
  bool changed_ = false;         // since the page was written
};

} // namespace kiln::explore
