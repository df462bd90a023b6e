#include "runtime/crosscheck/CrossCheck.h"
#include "base/support/Log.h"
#include "runtime/capture/Bundle.h"
#include "runtime/capture/Turn.h"
#include "runtime/crosscheck/Findings.h"
#include "runtime/crosscheck/Records.h"
#include <algorithm>
#include <fstream>
#include <limits>
#include <unistd.h>

namespace kiln::crosscheck {

using capture::Copies, capture::copyOf, capture::inPlace, capture::Range, capture::Reached, capture::reachedBy,
    capture::Turn;

namespace {

/// Copies below this size are made without checking the available memory.
constexpr uint64_t AlwaysAllowed = 64 << 20;
/// Memory is compared and restored in chunks. Unchanged chunks are not written, because the host may be writing to
/// another part of fine-grained memory.
constexpr size_t ChunkBytes = 64;

/// MemAvailable of /proc/meminfo.
uint64_t availableMemory() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  for (uint64_t kibibytes; file >> word;)
    if (word == "MemAvailable:" && file >> kibibytes)
      return kibibytes << 10;
  return std::numeric_limits<uint64_t>::max();
}

bool mayCopy(uint64_t bytes) {
  if (options().crossCheckMemory)
    return bytes <= options().crossCheckMemory;
  return bytes <= AlwaysAllowed || bytes <= availableMemory() / 2;
}

/// The folder of the next bundle: below KILN_DUMP, or below the folder for temporary files.
std::filesystem::path nextBundle(const std::string &kernel) {
  static std::atomic<unsigned> count{0};
  std::error_code failed;
  std::filesystem::path above = options().dump;
  if (above.empty())
    above = std::filesystem::temp_directory_path(failed) / text("kiln-crosscheck-", geteuid());
  return above / text("crosscheck-", getpid(), "-", count.fetch_add(1, std::memory_order_relaxed), "-",
                      capture::fileNameOf(kernel));
}

void restore(const Range &range, const std::byte *before) {
  for (size_t at = 0; at < range.size; at += ChunkBytes) {
    const size_t size = std::min(ChunkBytes, range.size - at);
    if (std::memcmp(range.begin + at, before + at, size) != 0)
      std::memcpy(range.begin + at, before + at, size);
  }
}

/// The size of an element if memory of this type has floating-point numbers; else 0.
size_t floatSize(std::string_view type) {
  return type.starts_with("half") ? 2 : type.starts_with("float") ? 4 : type.starts_with("double") ? 8 : 0;
}

/// Returns true if the number of `size` bytes is a NaN.
bool isNaN(const std::byte *number, size_t size) {
  uint64_t bits = 0;
  std::memcpy(&bits, number, size); // the devices are little-endian
  const unsigned mantissa = size == 2 ? 10 : size == 4 ? 23 : 52;
  const uint64_t magnitude = bits & ~(uint64_t(1) << (size * 8 - 1));
  const uint64_t infinity = ((uint64_t(1) << (size * 8 - 1)) - 1) >> mantissa << mantissa;
  return magnitude > infinity;
}

/// The differences of two memories that should be equal.
struct Comparison {
  uint64_t bytes = 0; // that differ
  uint64_t nans = 0;  // that differ, in numbers that are NaN in both
  const std::byte *first = nullptr;
  std::byte found[8]{}, expected[8]{}; // the 32-bit word of the first difference
  size_t width = 0;

  /// `number`: size of the floating-point numbers in the memory; 0 for other types.
  void add(const std::byte *memory, const std::byte *wanted, size_t size, size_t number = 0) {
    for (size_t at = 0; at < size; at += ChunkBytes) {
      const size_t end = std::min(at + ChunkBytes, size);
      if (std::memcmp(memory + at, wanted + at, end - at) == 0)
        continue;
      for (size_t i = at; i < end; ++i) {
        if (memory[i] == wanted[i])
          continue;
        if (bothNaN(memory, wanted, i, size, number)) {
          if (!nans++ && !bytes)
            record(memory, wanted, i, size);
        } else if (!bytes++) {
          record(memory, wanted, i, size);
        }
      }
    }
  }

private:
  static bool bothNaN(const std::byte *memory, const std::byte *wanted, size_t at, size_t size, size_t number) {
    if (!number || at / number * number + number > size)
      return false;
    const size_t begin = at / number * number;
    return isNaN(memory + begin, number) && isNaN(wanted + begin, number);
  }

  // Records the 32-bit word at `at`, because most values have 32 bits; a wider value differs in one of its halves.
  void record(const std::byte *memory, const std::byte *wanted, size_t at, size_t size) {
    first = memory + at;
    const size_t begin = at / 4 * 4;
    width = std::min<size_t>(4, size - begin);
    std::memcpy(found, memory + begin, width);
    std::memcpy(expected, wanted + begin, width);
  }
};

std::string hexOf(const std::byte *bytes, size_t width, bool isFloat) {
  std::string digits = "0x";
  for (size_t i = width; i-- > 0;) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", unsigned(bytes[i]));
    digits += two;
  }
  if (!isFloat || width != sizeof(float))
    return digits;
  float value;
  std::memcpy(&value, bytes, sizeof value);
  char decimal[32];
  std::snprintf(decimal, sizeof decimal, " (%.9g)", double(value));
  return digits + decimal;
}

std::string sizesOf(const HostLaunch &launch) {
  std::string words;
  auto add = [&](const char *name, const std::array<uint64_t, 3> &size) {
    words += text(words.empty() ? "" : ", ", name, " ", size[0]);
    for (uint32_t d = 1; d < launch.grid.workDim; ++d)
      words += text("x", size[d]);
  };
  add("global size", launch.grid.globalSize);
  add("local size", launch.requestedLocalSize);
  if (launch.grid.localSize != launch.requestedLocalSize)
    add("run as", launch.grid.localSize);
  add("offset", launch.grid.globalOffset);
  return words;
}

/// A launch that runs in both forms.
class Check {
public:
  Check(Issuer &issuer, HostLaunch &launch, const DeviceObject &device)
      : issuer_(issuer), launch_(launch), device_(device), state_(*launch.kernel->state(device)),
        kernel_(*launch.kernel->on(device)), name_(launch.kernel->name()) {}

  Status run() {
    std::string why;
    const ScalarForm *form = state_.program->scalarForm(why);
    scalar_ = form ? form->kernel(kernel_.info) : nullptr;
    if (!scalar_) {
      KILN_LOG(Info, Program, "cross-check: kernel ", name_,
               " has no scalar form: ", form ? "its arguments differ" : why);
      return skip(Skip::NoScalarForm);
    }
    traits_ = scalar_->info->plan.traits | kernel_.info.plan.traits;
    if (launch_.children || scalar_->info->plan.enqueues)
      return skip(Skip::Enqueues);
    if (traits_ & TraitHostAtomics)
      return skip(Skip::HostAtomics);
    reached_ = reachedBy(launch_, device_, state_, traits_);
    if (reached_.unknown) {
      KILN_LOG(Info, Program, "cross-check: memory of a launch of ", name_, " is unknown: ", reached_.unknown);
      return skip(Skip::UnknownMemory);
    }
    if (const uint64_t bytes = reached_.copyBytes(); !mayCopy(bytes))
      return skip(Skip::TooMuchMemory, bytes);
    return runTwice();
  }

private:
  Status skip(Skip reason, uint64_t bytes = 0) {
    Findings::get().skipped(name_, reason, bytes);
    return issuer_.launch(launch_.grid);
  }

  Status runTwice() {
    Copies afterScalar(reached_.ranges.size());
    try {
      for (const Range &range : reached_.ranges)
        before_.push_back(copyOf(range));
      for (size_t i = 0; i < afterScalar.size(); ++i)
        if (reached_.ranges[i].written)
          afterScalar[i] = std::make_unique_for_overwrite<std::byte[]>(reached_.ranges[i].size);
    } catch (const std::bad_alloc &) {
      return skip(Skip::TooMuchMemory, reached_.copyBytes());
    }
    Launch scalar = launch_.grid;
    scalar.function = scalar_->function;
    scalar.plan = &scalar_->info->plan;
    scalar.repeatable = true;
    const Status failure = issuer_.launch(scalar);
    Records scalarRecords, normalRecords;
    const PrintfTables &tables = state_.program->info().printf;
    auto *printed = reinterpret_cast<std::byte *>(launch_.grid.printfBuffer);
    if (printed)
      scalarRecords = Records::take(printed, tables);
    for (size_t i = 0; i < reached_.ranges.size(); ++i) {
      const Range &range = reached_.ranges[i];
      if (range.written)
        std::memcpy(afterScalar[i].get(), range.begin, range.size);
      else
        wrong_.add(range.begin, before_[i].get(), range.size);
      restore(range, before_[i].get());
    }
    if (!failure.ok()) {
      KILN_LOG(Info, Program, "cross-check: the scalar form of ", name_, " failed: ", failure.message());
      return skip(Skip::ScalarFailed);
    }
    Launch normal = launch_.grid;
    normal.repeatable = true;
    KILN_TRY(issuer_.launch(normal));
    if (printed)
      normalRecords = Records::read(printed, tables);
    Findings::get().compared(name_);
    compareMemory(afterScalar);
    if (printed)
      comparePrinted(normalRecords, scalarRecords);
    return {};
  }

  void compareMemory(const Copies &afterScalar) {
    Comparison all;
    for (size_t i = 0; i < reached_.ranges.size(); ++i) {
      const Range &range = reached_.ranges[i];
      // Memory that no form may write must be unchanged.
      all.add(range.begin, afterScalar[i] ? afterScalar[i].get() : before_[i].get(), range.size,
              floatSize(typeAt(range.begin)));
    }
    // Both forms may have written memory that is marked as not written. Transfers rely on these marks.
    if (!all.bytes && !all.nans && !wrong_.bytes)
      return;
    const bool marked = !all.bytes && wrong_.bytes;
    if (marked)
      all = wrong_;
    const bool isFloat = typeAt(all.first).starts_with("float");
    reportDifference({.kernel = name_,
                      .sizes = sizesOf(launch_),
                      .variant = variant(),
                      .where = nameOf(launch_, state_, reached_, all.first) +
                               (marked ? ", which the scalar form changed and must not write," : ""),
                      .normal = hexOf(all.found, all.width, isFloat),
                      .scalar = hexOf(all.expected, all.width, isFloat),
                      .bytes = all.bytes ? all.bytes : all.nans},
                     all.bytes ? freedom() : Freedom::NaNs);
  }

  /// The type of the argument that the address belongs to; empty without one.
  std::string typeAt(const std::byte *address) const {
    const int index = argumentAt(launch_, reached_, address);
    return index < 0 ? "" : launch_.kernel->info().args[size_t(index)].typeName;
  }

  void comparePrinted(const Records &normal, const Records &scalar) {
    const std::string words = difference(normal, scalar, state_.program->info().printf);
    if (words.empty())
      return;
    const bool lost = normal.overflowed || scalar.overflowed;
    reportDifference(
        {.kernel = name_, .sizes = sizesOf(launch_), .variant = variant(), .where = words, .normal = {}, .scalar = {}},
        lost ? Freedom::Printf : freedom());
  }

  void reportDifference(Difference difference, Freedom freedom) {
    bool bundle = false;
    const bool show = Findings::get().shows(name_ + (freedom == Freedom::None ? "" : "\n"), difference.variant, bundle);
    const std::string values = difference.normal.empty()
                                   ? std::string()
                                   : text(" is ", difference.normal, ", must be ", difference.scalar,
                                          " as in the scalar form; ", difference.bytes, " bytes differ");
    const std::string line = text("cross-check: kernel ", name_, ", ", difference.sizes, ", variant ",
                                  difference.variant, ": ", difference.where, values);
    if (freedom != Freedom::None) {
      if (show)
        KILN_LOG(Info, Program, line, "; not comparable: ", words(freedom));
      return Findings::get().notComparable(name_, freedom);
    }
    if (bundle)
      difference.bundle = writeBundle(nextBundle(name_), launch_, device_, state_, reached_, before_, inPlace(reached_),
                                      {.writer = "KILN_CROSSCHECK", .variant = difference.variant, .traits = traits_});
    if (show)
      KILN_LOG(Error, Program, line, difference.bundle.empty() ? "" : "; bundle ", difference.bundle);
    Findings::get().differs(std::move(difference));
  }

  /// The reason why results may differ although both forms are correct.
  Freedom freedom() const {
    if (std::ranges::any_of(kernel_.info.args, [](const ArgInfo &a) { return a.kind == ArgKind::Pipe; }))
      return Freedom::Pipes;
    if (traits_ & TraitClock)
      return Freedom::Clock;
    if (traits_ & TraitAtomicOrder)
      return Freedom::Atomics;
    return Freedom::None;
  }

  std::string variant() const {
    std::string words = kernel_.variantOf(launch_.grid.function);
    if (state_.module->flags.unoptimised)
      return words + ", not optimised";
    if (kernel_.schedule)
      return words + ", by " + kernel_.schedule->path;
    if (!options().pipelineCpu.empty())
      return words + ", by KILN_PIPELINE_CPU";
    const uint64_t lanes =
        options().cpuMachineWidth ? options().cpuMachineWidth : device_.info().preferredWorkGroupSizeMultiple;
    return text(words, ", at most ", lanes, " lanes");
  }

  Issuer &issuer_;
  HostLaunch &launch_;
  const DeviceObject &device_;
  const BuildState &state_;
  DeviceKernel &kernel_;
  const std::string &name_;
  const ScalarForm::Kernel *scalar_ = nullptr;
  uint32_t traits_ = 0;
  Reached reached_;
  Copies before_;
  Comparison wrong_; // writes of the scalar form to memory that no form may write
};

} // namespace

Status launch(Issuer &issuer, HostLaunch &launch, const DeviceObject &device) {
  if (launch.kernel)
    return Check(issuer, launch, device).run();
  Findings::get().skipped("(by itself)", Skip::ByItself);
  return issuer.launch(launch.grid);
}

Status launchEnqueued(Issuer &issuer, const Launch &launch, const char *kernel) {
  Turn turn;
  Findings::get().skipped(kernel, Skip::Enqueued);
  return issuer.launch(launch);
}

} // namespace kiln::crosscheck
