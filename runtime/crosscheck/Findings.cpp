#include "runtime/crosscheck/Findings.h"
#include "base/support/Executable.h"
#include "base/support/FileSizeLimit.h"
#include "base/support/Json.h"
#include "base/support/Log.h"
#include "base/support/Mutex.h"
#include "base/support/Options.h"
#include "base/support/Thread.h"
#include "base/support/Trace.h"
#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <new>
#include <unistd.h>
#include <utility>

namespace kiln::crosscheck {
namespace {

constexpr unsigned LinesPerVariant = 5;  // of differences, for a kernel and variant
constexpr size_t Bundles = 32;           // of a process
constexpr size_t DifferencesKept = 1000; // for the report

#define KILN_WORD(name, word, words) word,
#define KILN_WORDS(name, word, words) words,
constexpr const char *SkipName[] = {KILN_SKIPS(KILN_WORD)}, *SkipWords[] = {KILN_SKIPS(KILN_WORDS)};
constexpr const char *FreedomName[] = {"", KILN_FREEDOMS(KILN_WORD)}, *FreedomWords[] = {"", KILN_FREEDOMS(KILN_WORDS)};
#undef KILN_WORD
#undef KILN_WORDS

constinit Mutex mutex; // of the one Findings
constinit Findings *findings = nullptr;

// Another thread may have held the lock during the fork, and the counts are the parent's.
constinit ForkHandler forget{[] {
  new (&mutex) Mutex;
  findings = nullptr; // leaked: it may be inconsistent
}};

/// The words of the command, separated by spaces.
std::string commandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string words{std::istreambuf_iterator<char>(file), {}};
  std::ranges::replace(words, '\0', ' ');
  if (words.ends_with(' '))
    words.pop_back();
  return words;
}

} // namespace

const char *words(Skip reason) { return SkipWords[size_t(reason)]; }
const char *words(Freedom reason) { return FreedomWords[size_t(reason)]; }

Findings::Findings() = default;

Findings &Findings::get() {
  Lock lock(mutex);
  if (!findings) {
    static const bool once = (onFork(forget), std::atexit(report), true);
    (void)once;
    findings = new Findings; // leaked: launches may run while the process ends
  }
  return *findings;
}

void Findings::compared(const std::string &kernel) {
  Lock lock(mutex);
  for (Counts *counts : {&total_, &kernels_[kernel]})
    ++counts->launches, ++counts->compared;
}

void Findings::skipped(const std::string &kernel, Skip reason, uint64_t bytes) {
  KILN_LOG(Info, Program, "cross-check: a launch of ", kernel, " is skipped: such launches ", words(reason),
           bytes ? text(" (", bytes, " bytes)") : "");
  Lock lock(mutex);
  for (Counts *counts : {&total_, &kernels_[kernel]})
    ++counts->launches, ++counts->skipped;
  ++skips_[size_t(reason)];
  largest_ = std::max(largest_, bytes);
}

void Findings::differs(Difference difference) {
  Lock lock(mutex);
  for (Counts *counts : {&total_, &kernels_[difference.kernel]})
    ++counts->differences;
  if (differences_.size() < DifferencesKept)
    differences_.push_back(std::move(difference));
}

void Findings::notComparable(const std::string &kernel, Freedom reason) {
  Lock lock(mutex);
  for (Counts *counts : {&total_, &kernels_[kernel]})
    ++counts->notComparable;
  ++freedoms_[size_t(reason)];
}

bool Findings::shows(const std::string &kernel, const std::string &variant, bool &bundle) {
  Lock lock(mutex);
  unsigned &count = shown_[kernel + "\n" + variant];
  bundle = !count && shown_.size() <= Bundles;
  return count++ < LinesPerVariant;
}

std::string Findings::summary() const {
  std::string line = text("cross-check: ", total_.launches, " launches of ", kernels_.size(),
                          " kernels: ", total_.compared, " compared, ", total_.differences, " differ, ",
                          total_.notComparable, " differ where they may, ", total_.skipped, " skipped");
  const char *before = " (";
  auto add = [&](uint64_t count, const char *what) {
    if (count)
      line += text(std::exchange(before, "; "), count, " ", what);
  };
  for (size_t i = 0; i < skips_.size(); ++i)
    add(skips_[i], SkipWords[i]);
  if (largest_)
    line += text(", up to ", largest_, " bytes");
  return line + (*before == ';' ? ")" : "");
}

std::string Findings::json(const Findings &all) {
  auto counts = [](const Counts &of) {
    return text("\"launches\":", of.launches, ",\"compared\":", of.compared, ",\"differences\":", of.differences,
                ",\"not_comparable\":", of.notComparable, ",\"skipped\":", of.skipped);
  };
  std::string line = text("{\"program\":", json::quoted(executablePath()), ",\"command\":", json::quoted(commandLine()),
                          ",\"pid\":", getpid(), ",", counts(all.total_));
  line += ",\"skipped_because\":{";
  for (size_t i = 0; i < all.skips_.size(); ++i)
    line += text(i ? "," : "", json::quoted(SkipName[i]), ":", all.skips_[i]);
  line += text("},\"largest_skipped_bytes\":", all.largest_, ",\"not_comparable_because\":{");
  for (size_t i = 1; i < all.freedoms_.size(); ++i)
    line += text(i > 1 ? "," : "", json::quoted(FreedomName[i]), ":", all.freedoms_[i]);
  line += "},\"kernels\":{";
  const char *before = "";
  for (const auto &[name, of] : all.kernels_)
    line += text(std::exchange(before, ","), json::quoted(name), ":{", counts(of), "}");
  line += "},\"found\":[";
  before = "";
  for (const Difference &d : all.differences_)
    line +=
        text(std::exchange(before, ","), "{\"kernel\":", json::quoted(d.kernel), ",\"sizes\":", json::quoted(d.sizes),
             ",\"variant\":", json::quoted(d.variant), ",\"where\":", json::quoted(d.where),
             ",\"usual\":", json::quoted(d.normal), ",\"scalar\":", json::quoted(d.scalar), ",\"bytes\":", d.bytes,
             ",\"bundle\":", json::quoted(d.bundle), "}");
  return line + "]}\n";
}

void Findings::report() {
  trace::ignoringBadAlloc([] {
    Lock lock(mutex);
    if (!findings)
      return; // the child of a fork without a launch
    const Findings &all = *findings;
    for (const auto &[name, counts] : all.kernels_)
      KILN_LOG(Info, Program, "cross-check: kernel ", name, ": ", counts.launches, " launches, ", counts.compared,
               " compared, ", counts.differences, " differ, ", counts.notComparable, " differ where they may, ",
               counts.skipped, " skipped");
    // Not filtered by KILN_LOG, because KILN_CROSSCHECK is set.
    log::write(all.total_.differences ? log::Level::Error : log::Level::Info, log::Group::Program, all.summary());
    const std::string &path = options().crossCheckReport;
    if (path.empty())
      return;
    // One write at the end of the file, so that lines of several processes do not mix.
    const std::string line = json(all);
    int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0666);
    FileSizeLimit noSignal;
    if (file < 0 || ::write(file, line.data(), line.size()) != ssize_t(line.size()))
      KILN_LOG(Error, Program, "KILN_CROSSCHECK_REPORT is ", path, ", which cannot be written");
    if (file >= 0)
      close(file);
  });
}

} // namespace kiln::crosscheck
