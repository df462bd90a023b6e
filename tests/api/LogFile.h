// What Kiln logs during a test.
#pragma once
#include <cstdio>
#include <string>
#include <unistd.h>

namespace kiln::test {

/// Captures stderr.
class LogFile {
public:
  LogFile() : file_(std::tmpfile()), old_(dup(STDERR_FILENO)) {
    fflush(stderr);
    dup2(fileno(file_), STDERR_FILENO);
  }
  ~LogFile() {
    dup2(old_, STDERR_FILENO);
    close(old_);
    fclose(file_);
  }
  std::string text() const {
    std::string all;
    char part[4096];
    for (ssize_t got; (got = pread(fileno(file_), part, sizeof part, off_t(all.size()))) > 0;)
      all.append(part, size_t(got));
    return all;
  }

private:
  FILE *file_;
  int old_;
};

inline size_t countOf(const std::string &text, const std::string &what) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size())
    ++count;
  return count;
}

} // namespace kiln::test
