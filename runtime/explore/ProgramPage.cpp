#include "runtime/explore/ProgramPage.h"
#include "base/explorer/Page.h"
#include "base/support/FileSizeLimit.h"
#include "base/support/Json.h"
#include "base/support/Log.h"
#include "base/support/Mutex.h"
#include "base/support/Thread.h"
#include "base/support/Trace.h"
#include "runtime/cache/Files.h"
#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>
#include <utility>

namespace kiln::explore {
namespace {

constexpr size_t MaxLaunchKinds = 1000, MaxMachineCode = 10000; // rows of a page's tables

constinit Mutex mutex;                              // of all pages
constinit std::set<ProgramPage *> *pages = nullptr; // leaked: programs may be released while the process ends
constinit unsigned made = 0;                        // number of pages in this process

// Another thread may have held the lock during the fork, and the pages are the parent's.
constinit ForkHandler forget{[] {
  new (&mutex) Mutex;
  pages = nullptr;
  made = 0;
}};

/// Creates an empty file with a new name in the folder, which is created as well. Processes in several containers may
/// write to one folder and have the same id, and ids are used again: a file that exists is another program's page.
/// Returns why it failed.
std::string createFile(unsigned number, std::string &path) {
  const std::filesystem::path folder = options().explore;
  const std::string start = (folder / text("program-", getpid(), "-", number)).string();
  path = start + ".html";
  std::error_code failed;
  if (std::filesystem::create_directories(folder, failed); failed)
    return failed.message();
  for (unsigned attempt = 2;; ++attempt) {
    const int file = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file >= 0) {
      close(file);
      return {};
    }
    if (errno != EEXIST)
      return std::generic_category().message(errno);
    path = text(start, "-", attempt, ".html");
  }
}

unsigned nextNumber() {
  Lock lock(mutex);
  return ++made;
}

std::string describe(const std::array<std::string, 3> &code, const std::vector<CodeNumber> &numbers) {
  std::string list;
  for (const CodeNumber &number : numbers)
    list += text(list.empty() ? "" : ",", "[", explorer::quoted(number.name), ",", number.value, "]");
  return text("{\"kernel\":", explorer::quoted(code[0]), ",\"device\":", explorer::quoted(code[1]),
              ",\"variant\":", explorer::quoted(code[2]), ",\"numbers\":[", list, "]}");
}

std::string describe(const LaunchKind &kind, uint64_t count, uint64_t least, uint64_t most, uint64_t sum) {
  return text("{\"kernel\":", explorer::quoted(kind.kernel), ",\"device\":", explorer::quoted(kind.device),
              ",\"variant\":", explorer::quoted(kind.variant), ",\"global\":", json::list(kind.globalSize),
              ",\"local\":", json::list(kind.localSize), ",\"count\":", count, ",\"least\":", least, ",\"most\":", most,
              ",\"sum\":", sum, "}");
}

/// Writes a new file and renames it, so that a browser never reads half a page. Returns why it failed.
std::string writeFile(const std::filesystem::path &path, const std::string &content) {
  std::error_code failed;
  const std::string temporary = path.string() + ".new";
  FileSizeLimit noSignal;
  errno = 0;
  std::ofstream out(temporary, std::ios::binary);
  out.write(content.data(), std::streamsize(content.size()));
  out.close();
  if (!out)
    failed = std::error_code(errno ? errno : EIO, std::generic_category());
  else
    std::filesystem::rename(temporary, path, failed);
  std::error_code ignored;
  if (failed)
    std::filesystem::remove(temporary, ignored);
  return failed ? failed.message() : std::string();
}

} // namespace

std::shared_ptr<ProgramPage> ProgramPage::create() { return enabled() ? std::make_shared<ProgramPage>() : nullptr; }

ProgramPage::ProgramPage() : number_(nextNumber()), process_(unsigned(getpid())) {
  Lock lock(mutex);
  static const bool once = (onFork(forget), std::atexit(writeAll), true);
  (void)once;
  if (!pages)
    pages = new std::set<ProgramPage *>;
  pages->insert(this);
}

ProgramPage::~ProgramPage() {
  if (process_ != unsigned(getpid()))
    return;
  {
    Lock lock(mutex);
    pages->erase(this);
  }
  trace::ignoringBadAlloc([&] { write(); }); // without the lock, for which ended launches of other programs wait
}

void ProgramPage::addSource(const std::string &source, const std::vector<std::string> &included,
                            const std::vector<protocol::Header> &headers) {
  Lock lock(mutex);
  files_[protocol::SourceName] = source;
  for (const protocol::Header &header : headers)
    files_[header.name] = header.text;
  for (const std::string &path : included)
    if (std::optional<wire::Bytes> bytes = files::read(path, protocol::LargestInclude))
      files_[path].assign(bytes->begin(), bytes->end());
}

void ProgramPage::addVariant(const std::string &name, std::string variant) {
  if (variant.empty())
    return;
  Lock lock(mutex);
  auto old = std::ranges::find(variantNames_, name);
  if (old != variantNames_.end()) {
    variants_[size_t(old - variantNames_.begin())] = std::move(variant);
  } else {
    variantNames_.reserve(variantNames_.size() + 1);
    variants_.push_back(std::move(variant));
    variantNames_.push_back(name);
  }
  changed_ = true;
}

void ProgramPage::addMachineCode(const std::string &kernel, const std::string &device, const std::string &variant,
                                 const std::vector<CodeNumber> &numbers) {
  Lock lock(mutex);
  if (numbers.empty() || machineCode_.size() >= MaxMachineCode)
    return;
  machineCode_[{kernel, device, variant}] = numbers;
  changed_ = true;
}

void ProgramPage::addLaunch(LaunchKind kind, uint64_t start, uint64_t end) {
  Lock lock(mutex);
  changed_ = true;
  if (launches_.size() == MaxLaunchKinds && !launches_.contains(kind)) {
    ++launchesLeftOut_;
    return;
  }
  Times &times = launches_[std::move(kind)];
  const uint64_t time = end - start;
  ++times.count, times.sum += time;
  times.least = std::min(times.least, time), times.most = std::max(times.most, time);
}

void ProgramPage::write() {
  if (!changed_ || variants_.empty())
    return;
  changed_ = false;
  std::vector<explorer::File> files;
  for (const auto &[name, content] : files_)
    files.push_back({name, content});
  std::vector<std::string> launches;
  for (const auto &[kind, times] : launches_)
    launches.push_back(describe(kind, times.count, times.least, times.most, times.sum));
  std::error_code ignored;
  if (launchesLeftOut_)
    KILN_LOG(Warn, Program, "page ", number_, " leaves out ", launchesLeftOut_, " launches: the limit is ",
             MaxLaunchKinds, " kinds of launches");
  std::vector<std::string> machineCode;
  for (const auto &[code, numbers] : machineCode_)
    machineCode.push_back(describe(code, numbers));
  std::string why = path_.empty() ? createFile(number_, path_) : std::string();
  const std::string title = std::filesystem::path(path_).stem().string();
  if (why.empty()) {
    why = writeFile(path_, explorer::page(explorer::describe(title, files, variants_, launches, machineCode)));
    if (!why.empty() && std::filesystem::is_empty(path_, ignored)) // the name is taken, and there is no page
      std::filesystem::remove(path_, ignored);
  }
  if (!why.empty())
    KILN_LOG(Error, Program, "page ", std::exchange(path_, {}), " cannot be written: ", why);
  else
    KILN_LOG(Info, Program, "the explorer's page is ", path_);
}

// At the end of the process, for programs that the application does not release.
void ProgramPage::writeAll() {
  trace::ignoringBadAlloc([] {
    Lock lock(mutex);
    if (pages)
      for (ProgramPage *page : *pages)
        page->write();
  });
}

} // namespace kiln::explore
