#include "runtime/check/Findings.h"
#include "base/abi/Check.h"
#include "base/support/Executable.h"
#include "base/support/FileSizeLimit.h"
#include "base/support/Json.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include "base/support/Thread.h"
#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <fnmatch.h>
#include <fstream>
#include <new>
#include <unistd.h>

namespace kiln::check {
namespace {

constexpr const char *AccessName[] = {"read", "write", "atomic", "barrier", "collective"}; // by Finding::access

std::atomic<Findings *> findings{nullptr}; // leaked: launches may run while the process ends

// Another thread may have held the lock during the fork, and the findings are the parent's.
constinit ForkHandler forget{[] { findings = nullptr; }};

template <typename Place> std::string lineOf(const Place &place) {
  if (!place.line)
    return {};
  return text("\n  line ", place.line, place.source.empty() ? text(" of ", place.file) : ": " + place.source);
}

std::string reportOf(const Finding &finding) {
  std::string report = text("check: kernel ", finding.kernel, " ", finding.what, lineOf(finding));
  if (!finding.item.empty())
    report += "\n  " + finding.item;
  if (finding.address)
    report += text(", address 0x", std::hex, finding.address);
  if (finding.other)
    report += text(lineOf(*finding.other), "\n  ", finding.other->item);
  if (!finding.hint.empty())
    report += "\n  hint: " + finding.hint;
  for (const NamedCall &call : finding.calls)
    report += text("\n  ", call.what, " at ", call.place);
  return report;
}

std::string jsonOf(const OtherAccess &other) {
  return text("{\"file\":", json::quoted(other.file), ",\"line\":", other.line, ",\"column\":", other.column,
              ",\"source\":", json::quoted(other.source), ",\"access\":", json::quoted(AccessName[other.access]),
              ",\"global_id\":", json::list(other.globalId), "}");
}

std::string callsOf(const Finding &finding) {
  std::string calls;
  for (const NamedCall &call : finding.calls)
    calls += text(",", json::quoted(text(call.what, "_at")), ":", json::quoted(call.place));
  return calls;
}

std::string jsonOf(const Finding &finding) {
  return text("{\"check\":", json::quoted(finding.check), ",\"kernel\":", json::quoted(finding.kernel),
              ",\"file\":", json::quoted(finding.file), ",\"line\":", finding.line, ",\"column\":", finding.column,
              ",\"source\":", json::quoted(finding.source), ",\"access\":", json::quoted(AccessName[finding.access]),
              ",\"argument\":", finding.argument, ",\"what\":", json::quoted(finding.what),
              ",\"global_id\":", json::list(finding.globalId), ",\"address\":", finding.address,
              ",\"count\":", finding.count, finding.other ? text(",\"other\":", jsonOf(*finding.other)) : "",
              finding.hint.empty() ? "" : text(",\"hint\":", json::quoted(finding.hint)), callsOf(finding), "}");
}

} // namespace

Findings &Findings::get() {
  if (Findings *known = findings.load(std::memory_order_acquire))
    return *known;
  static const bool once = (onFork(forget), ::on_exit(end, nullptr), true);
  (void)once;
  auto *made = new Findings;
  Findings *expected = nullptr;
  if (findings.compare_exchange_strong(expected, made, std::memory_order_acq_rel))
    return *made;
  delete made;
  return *expected;
}

void Findings::add(Finding finding) {
  Lock lock(mutex_);
  std::pair place{finding.line, finding.access}, other{0u, uint8_t(0)};
  if (finding.other) {
    other = {finding.other->line, finding.other->access};
    if (other < place) // either of the two may be the first
      std::swap(place, other);
  }
  const Key key{finding.check, finding.kernel, finding.file, place.first,
                place.second,  other.first,    other.second, finding.line ? -1 : finding.argument};
  if (auto known = found_.find(key); known != found_.end()) {
    known->second.count += finding.count;
    return;
  }
  if (isSuppressed(finding)) {
    suppressed_[key] += finding.count;
    return;
  }
  // Not filtered by KILN_LOG, because KILN_CHECK is set.
  log::write(log::Level::Error, log::Group::Program, reportOf(finding));
  found_.emplace(key, std::move(finding));
}

bool Findings::isSuppressed(const Finding &finding) {
  if (!suppressionsAreRead_ && !options().checkSuppress.empty()) {
    std::ifstream file(options().checkSuppress);
    if (!file)
      KILN_LOG(Error, Program, "KILN_CHECK_SUPPRESS is ", options().checkSuppress, ", which cannot be read");
    for (std::string line; std::getline(file, line);) {
      line = line.substr(0, line.find('#'));
      line.erase(line.find_last_not_of(" \t\r") + 1);
      if (!line.empty())
        suppressions_.push_back(line);
    }
  }
  suppressionsAreRead_ = true;
  const std::string place = text(finding.kernel, ":", finding.line);
  const std::string other = finding.other ? text(finding.kernel, ":", finding.other->line) : place;
  for (const std::string &pattern : suppressions_)
    for (const std::string &name : {finding.kernel, place, other})
      if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0)
        return true;
  return false;
}

void Findings::writeReport() {
  const std::string &path = options().checkReport;
  if (path.empty())
    return;
  std::string line = text("{\"program\":", json::quoted(executablePath()), ",\"pid\":", getpid(),
                          ",\"suppressed\":", suppressed_.size(), ",\"found\":[");
  const char *before = "";
  for (const auto &[key, finding] : found_)
    line += text(std::exchange(before, ","), jsonOf(finding));
  line += "]}\n";
  // One write at the end of the file, so that lines of several processes do not mix.
  const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0666);
  FileSizeLimit noSignal;
  if (file < 0 || ::write(file, line.data(), line.size()) != ssize_t(line.size()))
    KILN_LOG(Error, Program, "KILN_CHECK_REPORT is ", path, ", which cannot be written");
  if (file >= 0)
    close(file);
}

void Findings::end(int status, void *) {
  Findings *all = findings.load(std::memory_order_acquire);
  if (!all)
    return; // the child of a fork without a launch
  bool hasFound = false;
  try {
    Lock lock(all->mutex_);
    hasFound = !all->found_.empty();
    if (hasFound || !all->suppressed_.empty()) {
      uint64_t times = 0;
      for (const auto &[key, finding] : all->found_)
        times += finding.count;
      log::write(log::Level::Error, log::Group::Program,
                 text("check: ", all->found_.size(), " findings, which occurred ", times, " times; ",
                      all->suppressed_.size(), " suppressed"));
    }
    all->writeReport();
  } catch (const std::bad_alloc &) { // the report is lost
  }
  // glibc goes on with the other handlers, and ends the process with this status.
  if (hasFound && status == 0 && options().checkExit)
    ::exit(int(options().checkExit));
}

} // namespace kiln::check
