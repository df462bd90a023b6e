#include "runtime/program/SourceFile.h"
#include "base/protocol/Protocol.h"
#include "base/support/Descriptor.h"
#include "base/support/Files.h"
#include "base/support/Log.h"
#include "base/support/Sha256.h"
#include "runtime/cache/Cache.h"
#include "runtime/cache/Files.h"
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace kiln {
namespace {

namespace fs = std::filesystem;

constexpr size_t MaxNamesLookedAt = 20'000; // files and folders: the current folder may be a large one
constexpr int MaxDepth = 6;                 // of folders

bool isIdentifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Returns true if the folder is a cache of Kiln: files below it come and go.
bool isCache(const fs::path &folder) { return access((folder / "last-sweep").c_str(), F_OK) == 0; }

/// Returns a file with this content below the current folder; empty if none is found.
std::string findFile(const std::string &source, const Sha256::Digest &digest) {
  std::error_code failed;
  const fs::path here = fs::current_path(failed);
  fs::recursive_directory_iterator next(here, fs::directory_options::skip_permission_denied, failed), end;
  for (size_t count = 0; !failed && next != end && count < MaxNamesLookedAt; next.increment(failed), ++count) {
    std::error_code unknown; // a file that another process has removed
    const std::string name = next->path().filename().string();
    if (next->is_directory(unknown)) {
      if (name.starts_with('.') || next.depth() >= MaxDepth || isCache(next->path()))
        next.disable_recursion_pending();
    } else if (next->is_regular_file(unknown) && next->file_size(unknown) == source.size() &&
               files::hasContent(next->path().string(), source.size(), digest)) {
      return next->path().string();
    }
  }
  return {};
}

std::string writeFile(const std::string &source, const Sha256::Digest &digest) {
  const std::string root = Cache::defaultFolder();
  if (root.empty() || !files::makeFolders(root) || files::reasonNotTrusted(root))
    return {};
  const std::string folder = root + "/sources/" + hexadecimal(digest).substr(0, 16);
  std::string path = folder + "/" + firstKernel(source) + ".cl";
  if (files::hasContent(path, source.size(), digest))
    return path;
  // Renamed into place: another process may write the same file.
  std::string written = path + ".XXXXXX";
  if (!files::makeFolders(folder))
    return {};
  Descriptor file(mkostemp(written.data(), O_CLOEXEC));
  if (!file)
    return {};
  if (files::write(file.get(), wire::Bytes(source.begin(), source.end())) &&
      std::rename(written.c_str(), path.c_str()) == 0)
    return path;
  unlink(written.c_str());
  return {};
}

} // namespace

std::string firstKernel(std::string_view source) {
  // The last identifier before the parenthesis of the parameters, after attributes: `kernel` at, `attribute((...))` no.
  for (size_t at = 0; (at = source.find("kernel", at)) != std::string_view::npos; ++at) {
    size_t begin = at, i = at + 6;
    if (begin >= 2 && source.substr(begin - 2, 2) == "__")
      begin -= 2;
    if ((begin && isIdentifier(source[begin - 1])) || i >= source.size() || isIdentifier(source[i]))
      continue;
    std::string_view word;
    bool isAttribute = false;
    for (int depth = 0; i < source.size(); ++i) {
      if (const char c = source[i]; c == '(') {
        isAttribute = !depth && (word == "__attribute__" || word == "__attribute");
        if (!depth && !isAttribute)
          break;
        ++depth;
      } else if (c == ')') {
        --depth;
      } else if (c == ';' || c == '{') {
        word = {};
        break;
      } else if (!depth && isIdentifier(c)) {
        const size_t start = i;
        while (i < source.size() && isIdentifier(source[i]))
          ++i;
        word = source.substr(start, i-- - start);
      }
    }
    if (!word.empty() && i < source.size())
      return std::string(word.substr(0, 100));
  }
  return "program";
}

std::string sourceFile(const std::string &source) {
  const Sha256::Digest digest = Sha256::of(source.data(), source.size());
  std::string path = findFile(source, digest);
  if (path.empty())
    path = writeFile(source, digest);
  if (path.empty())
    KILN_LOG(Warn, Program, "no file for the source of a program, with which tools would show it: KILN_CACHE_DIR is ",
             Cache::defaultFolder(), ", must be a folder that only this user may change");
  return path;
}

std::string sourceFileOption(const std::string &path) {
  return std::string("-fdebug-prefix-map=") + protocol::SourceName + "=" + path;
}

} // namespace kiln
