#include "runtime/cache/Cache.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include "runtime/cache/Files.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace kiln {
namespace {

constexpr char EntrySuffix[] = ".entry", CodeSuffix[] = ".so", TemporaryInfix[] = ".new-";
constexpr time_t TouchAfter = 10; // seconds: the modification time is updated at most this often
constexpr time_t KeepFor = 60;    // seconds: recently used files are not evicted; another process may be loading them
constexpr time_t AbandonedAfter = 600;           // seconds: older temporary files are removed
constexpr time_t SweepAfter = 3600;              // seconds between sweeps at most
constexpr uint64_t MaxEntryBytes = 256ull << 20; // a larger .entry file is a miss: SPIR-V and logs are smaller
constexpr std::chrono::seconds LongestWait(30);  // for another process's build; most builds take less than 1 s
constexpr uint64_t Format = 0x3165686361634b6c;  // start of every entry; changes with its layout

/// The contents of an .entry file, before the checksum.
struct EntryFile {
  uint64_t format = Format;
  CacheKey key{}; // must match the file's name
  wire::Bytes data;
  bool hasCode = false;
  Sha256::Digest code{};
  auto fields() { return std::tie(format, key, data, hasCode, code); }
};

wire::Bytes packEntry(const EntryFile &entry) {
  wire::Bytes bytes = wire::pack(entry);
  Sha256::Digest sum = Sha256::of(bytes.data(), bytes.size());
  bytes.insert(bytes.end(), sum.begin(), sum.end());
  return bytes;
}

bool unpackEntry(wire::Bytes bytes, EntryFile &entry) {
  Sha256::Digest sum;
  if (bytes.size() < sum.size())
    return false;
  std::copy(bytes.end() - sum.size(), bytes.end(), sum.begin());
  bytes.resize(bytes.size() - sum.size());
  return Sha256::of(bytes.data(), bytes.size()) == sum && wire::unpack(bytes, entry) && entry.format == Format;
}

void touch(const std::string &path) {
  struct stat about;
  if (stat(path.c_str(), &about) == 0 && about.st_mtime + TouchAfter < time(nullptr))
    utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
}

std::string folderOf(const std::string &path) { return path.substr(0, path.rfind('/')); }

/// Returns true if a sub-folder belongs to this user alone. Logs the reason if it does not.
bool isTrusted(const std::string &folder) {
  const char *reason = files::reasonNotTrusted(folder);
  if (reason)
    KILN_LOG(Warn, Cache, "not used: ", folder, " ", reason);
  return !reason;
}

/// Calls `visit(name)` for every directory entry but '.' and '..'.
template <typename Visit> void eachName(const std::string &folder, Visit visit) {
  auto close = [](DIR *open) { closedir(open); };
  std::unique_ptr<DIR, decltype(close)> open(opendir(folder.c_str()));
  if (!open)
    return;
  while (dirent *item = readdir(open.get()))
    if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0)
      visit(std::string(item->d_name));
}

} // namespace

std::string Cache::defaultFolder() {
  if (!options().cacheDir.empty())
    return options().cacheDir;
  if (const char *folder = secure_getenv("XDG_CACHE_HOME"); folder && *folder == '/')
    return std::string(folder) + "/kiln";
  if (const char *home = secure_getenv("HOME"); home && *home == '/')
    return std::string(home) + "/.cache/kiln";
  return {};
}

Cache::Cache(std::string folder, uint64_t largestBytes) : largestBytes_(largestBytes) {
  if (folder.empty() || largestBytes == 0)
    return;
  if (folder[0] != '/') {
    std::unique_ptr<char, decltype(&free)> here(getcwd(nullptr, 0), free);
    if (!here)
      return;
    folder = std::string(here.get()) + "/" + folder;
  }
  while (folder.size() > 1 && folder.back() == '/')
    folder.pop_back();
  files::makeFolders(folder);
  if (const char *reason = files::reasonNotTrusted(folder)) {
    KILN_LOG(Warn, Cache, "nothing is cached: ", folder, " ", reason);
    return;
  }
  struct statvfs about;
  executable_ = statvfs(folder.c_str(), &about) == 0 && !(about.f_flag & ST_NOEXEC);
  folder_ = std::move(folder);
}

std::string Cache::pathOf(const CacheKey &key, const char *ending) const {
  std::string name = hexadecimal(key);
  return folder_ + "/" + name.substr(0, 2) + "/" + name.substr(2) + ending;
}

std::optional<Cache::Entry> Cache::find(const CacheKey &key) {
  if (!usable())
    return std::nullopt;
  std::string path = pathOf(key, EntrySuffix);
  std::optional<wire::Bytes> bytes = files::read(path, MaxEntryBytes);
  if (!bytes || !isTrusted(folderOf(path)))
    return std::nullopt;
  EntryFile file;
  Entry entry;
  bool whole = unpackEntry(std::move(*bytes), file) && file.key == key;
  std::string codePath = pathOf(key, CodeSuffix);
  if (whole && file.hasCode) {
    whole = files::digestOf(codePath) == file.code;
    if (whole && executable_) {
      touch(codePath);
      entry.code = CodeFile::existing(codePath, file.code);
    } else if (whole) {
      const std::optional<wire::Bytes> code = files::read(codePath);
      if (!code)
        return std::nullopt;
      auto copy = CodeFile::temporary(*code);
      if (!copy.ok() || (*copy)->digest() != file.code)
        return std::nullopt;
      entry.code = std::move(copy).value();
    }
  }
  if (!whole) {
    KILN_LOG(Warn, Cache, "removing a damaged entry: ", path);
    drop(key);
    return std::nullopt;
  }
  touch(path);
  entry.data = std::move(file.data);
  return entry;
}

BuildTurn Cache::takeTurn(const CacheKey &key) const {
  return usable() ? BuildTurn(folder_, key, LongestWait) : BuildTurn();
}

void Cache::drop(const CacheKey &key) {
  if (!usable())
    return;
  unlink(pathOf(key, EntrySuffix).c_str());
  unlink(pathOf(key, CodeSuffix).c_str());
}

bool Cache::write(const std::string &path, const wire::Bytes &bytes, int mode) {
  const std::string inner = folderOf(path);
  if (mkdir(inner.c_str(), 0700) != 0 && errno != EEXIST)
    return false;
  if (!isTrusted(inner)) {
    errno = EPERM;
    return false;
  }
  std::string other = path + TemporaryInfix + "XXXXXX";
  int file = mkostemp(other.data(), O_CLOEXEC);
  if (file < 0)
    return false;
  bool done = files::write(file, bytes) && fchmod(file, static_cast<mode_t>(mode)) == 0;
  done = close(file) == 0 && done && rename(other.c_str(), path.c_str()) == 0;
  if (!done)
    unlink(other.c_str());
  return done;
}

std::shared_ptr<const CodeFile> Cache::store(const CacheKey &key, const wire::Bytes &data, const wire::Bytes &code) {
  std::shared_ptr<const CodeFile> file;
  if (usable()) {
    EntryFile entry;
    entry.key = key, entry.data = data, entry.hasCode = !code.empty();
    entry.code = Sha256::of(code.data(), code.size());
    std::string codePath = pathOf(key, CodeSuffix);
    // Write the code first: an entry without its code would look damaged.
    bool stored =
        (code.empty() || write(codePath, code, 0700)) && write(pathOf(key, EntrySuffix), packEntry(entry), 0600);
    if (stored && executable_ && !code.empty())
      file = CodeFile::existing(codePath, entry.code);
    if (stored)
      sweepSometimes(data.size() + code.size());
    else
      KILN_LOG(Info, Cache, "cannot write ", pathOf(key, EntrySuffix), ": ", strerror(errno));
  }
  if (!file && !code.empty()) {
    auto copy = CodeFile::temporary(code);
    if (copy.ok())
      file = std::move(copy).value();
  }
  return file;
}

void Cache::sweepSometimes(uint64_t stored) {
  const uint64_t sum = storedSinceSweep_ += stored;
  struct stat about;
  bool recently = stat((folder_ + "/last-sweep").c_str(), &about) == 0 && about.st_mtime + SweepAfter > time(nullptr);
  if (recently && sum < largestBytes_ / 16)
    return;
  storedSinceSweep_ = 0;
  sweep();
}

void Cache::sweep() {
  std::string stamp = folder_ + "/last-sweep";
  Descriptor lock(open(stamp.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  if (!lock || flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return; // another process is sweeping
  futimens(lock.get(), nullptr);

  struct Item {
    std::string path;
    time_t used;
    uint64_t bytes;
  };
  std::vector<Item> items;
  uint64_t total = 0;
  time_t now = time(nullptr);
  eachName(folder_, [&](const std::string &name) {
    if (name.size() != 2)
      return;
    std::string inner = folder_ + "/" + name;
    if (!isTrusted(inner))
      return;
    eachName(inner, [&](const std::string &name) {
      std::string path = inner + "/" + name;
      struct stat about;
      if (lstat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode))
        return;
      if (name.find(TemporaryInfix) != std::string::npos) {
        if (about.st_mtime + AbandonedAfter < now)
          unlink(path.c_str());
        return;
      }
      uint64_t bytes = (static_cast<uint64_t>(about.st_size) + 4095) / 4096 * 4096;
      total += bytes;
      items.push_back({std::move(path), about.st_mtime, bytes});
    });
  });
  if (total > largestBytes_) {
    std::sort(items.begin(), items.end(), [](const Item &a, const Item &b) { return a.used < b.used; });
    // Frees down to 7/8, so that the next entries do not sweep again. An entry without code, or code without an entry,
    // is harmless: the former is removed on lookup, the latter is evicted.
    for (const Item &item : items) {
      if (total <= largestBytes_ / 8 * 7 || item.used + KeepFor > now)
        break;
      if (unlink(item.path.c_str()) == 0)
        total -= item.bytes;
    }
  }
}

} // namespace kiln
