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

constexpr time_t TouchAfter = 10; // seconds: the modification time is updated at most this often
constexpr time_t KeepFor = 60;    // seconds: recently used files are not evicted; another process may be loading them
constexpr time_t AbandonedAfter = 600;           // seconds: older temporary files are removed
constexpr time_t SweepAfter = 3600;              // seconds between sweeps at most
constexpr uint64_t MaxEntryBytes = 256ull << 20; // a larger .entry file is a miss: SPIR-V and logs are smaller
constexpr std::chrono::seconds LongestWait(30);  // for another process's build; most builds take less than 1 s

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

std::optional<Cache::Entry> Cache::find(const CacheKey &key) {
  if (!usable())
    return std::nullopt;
  const cache_entry::Place place{folder_, key};
  const std::string path = place.path(cache_entry::Suffix);
  std::optional<wire::Bytes> bytes = files::read(path, MaxEntryBytes);
  if (!bytes || !isTrusted(folderOf(path)))
    return std::nullopt;
  std::optional<cache_entry::File> file = cache_entry::unpack(std::move(*bytes), key);
  Entry entry;
  bool whole = file.has_value();
  const std::string codePath = place.path(cache_entry::CodeSuffix);
  if (whole && file->hasCode) {
    whole = files::digestOf(codePath) == file->code;
    if (whole && executable_) {
      touch(codePath);
      entry.code = CodeFile::existing(codePath, file->code);
    } else if (whole) {
      const std::optional<wire::Bytes> code = files::read(codePath);
      if (!code)
        return std::nullopt;
      auto copy = CodeFile::temporary(*code);
      if (!copy.ok() || (*copy)->digest() != file->code)
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
  entry.data = std::move(file->data);
  return entry;
}

BuildTurn Cache::takeTurn(const CacheKey &key) const {
  return usable() ? BuildTurn(folder_, key, LongestWait) : BuildTurn();
}

void Cache::drop(const CacheKey &key) {
  if (!usable())
    return;
  for (const char *suffix : {cache_entry::Suffix, cache_entry::CodeSuffix})
    unlink(cache_entry::Place{folder_, key}.path(suffix).c_str());
}

std::shared_ptr<const CodeFile> Cache::store(const CacheKey &key, const wire::Bytes &data, const wire::Bytes &code) {
  std::shared_ptr<const CodeFile> file;
  if (usable()) {
    const cache_entry::Place place{folder_, key};
    const std::optional<Sha256::Digest> digest = cache_entry::write(place, data, code);
    if (digest && executable_ && !code.empty())
      file = CodeFile::existing(place.path(cache_entry::CodeSuffix), *digest);
    if (digest)
      sweepSometimes(data.size() + code.size());
    else
      KILN_LOG(Info, Cache, "cannot write ", place.path(cache_entry::Suffix), ": ", strerror(errno));
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
      if (name.find(cache_entry::TemporaryInfix) != std::string::npos) {
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
