// Runs an application that ends in about 60 ways (Endings.cpp), each in new processes, and says which of them end
// otherwise than they must: by a signal, with another status, too late, or with a process left behind.
//
//   kiln-life --device=gpu                                   each way once
//   kiln-life --device=gpu --processes=1000 --at-once=8 --cold --kernels=40
//   kiln-life --ends=variant,exit-in-build --verbose
//
// OCL_ICD_VENDORS and Kiln's switches are passed on.
#include "tests/process/life/Endings.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace kiln::life;

constexpr double MaxPreparation = 30'000; // milliseconds

constexpr const char *Usage = R"(usage: kiln-life [OPTION...]
  --device=cpu|gpu|all  the device: of this type, or the first one (cpu)
  --ends=NAME,...       only these ways to end; --list prints all
  --processes=N         number of processes, one way after the other (each way once)
  --at-once=N           processes beside each other (2)
  --kernels=N           kernels of a program (4)
  --cold                an empty cache and another program for each process
  --most-ms=N           limit in milliseconds from the beginning of an end to the death of the process (8000)
  --stay-s=N            seconds after which no compiler may be left (75)
  --verbose             a line for each process
  --list                prints the ways to end
)";

struct Options {
  std::string device = "cpu", only, end;
  unsigned processes = 0, atOnce = 2, kernels = 4, mostMs = 8000, staySeconds = 75, number = 0;
  bool cold = false, verbose = false, list = false;
};

bool parse(std::string_view argument, Options &options) {
  const size_t equals = std::min(argument.find('='), argument.size());
  const std::string_view name = argument.substr(0, equals),
                         value = argument.substr(std::min(equals + 1, argument.size()));
  if (argument == "--cold" || argument == "--verbose" || argument == "--list") {
    (argument == "--cold" ? options.cold : argument == "--list" ? options.list : options.verbose) = true;
    return true;
  }
  for (auto [known, text] :
       {std::pair{"--device", &options.device}, {"--ends", &options.only}, {"--end", &options.end}})
    if (name == known) {
      *text = value;
      return !value.empty();
    }
  for (auto [known, number] : {std::pair{"--processes", &options.processes},
                               {"--at-once", &options.atOnce},
                               {"--kernels", &options.kernels},
                               {"--most-ms", &options.mostMs},
                               {"--stay-s", &options.staySeconds},
                               {"--number", &options.number}})
    if (name == known) {
      auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), *number);
      return error == std::errc() && end == value.data() + value.size();
    }
  return false;
}

const Ending *find(std::string_view name) {
  if (name == Preparation)
    return &preparation();
  const auto all = endings();
  const auto found = std::ranges::find(all, name, [](const Ending &ending) { return std::string_view(ending.name); });
  return found == all.end() ? nullptr : &*found;
}

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
}

/// One way to end, in this process.
int endIn(const Ending &ending, const Options &options) {
  alarm(120); // ends one that hangs
  Settings settings;
  settings.device = options.device == "gpu"   ? CL_DEVICE_TYPE_GPU
                    : options.device == "all" ? CL_DEVICE_TYPE_ALL
                                              : CL_DEVICE_TYPE_CPU;
  settings.kernels = options.kernels;
  settings.number = options.number;
  auto &application = *new Application(settings); // destructors use it
  ending.run(application);
  endBegins();
  return 0;
}

struct Process {
  const Ending *ending;
  pid_t id;
  int pipe; // from endBegins
  std::string errors, cache;
};

class Supervisor {
public:
  explicit Supervisor(const Options &options) : options_(options) {}
  int run(const std::vector<const Ending *> &ways) {
    prctl(PR_SET_CHILD_SUBREAPER, 1); // what processes leave behind becomes a child of this one
    char name[] = "/tmp/kiln-life-XXXXXX";
    if (!mkdtemp(name)) {
      std::perror(name);
      return 2;
    }
    folder_ = name;
    const size_t count = options_.processes ? options_.processes : ways.size();
    if (!options_.cold)
      prepare();
    const double begin = now();
    for (size_t started = 0; started < count || !running_.empty();)
      if (started < count && running_.size() < options_.atOnce) {
        start(*ways[started % ways.size()], unsigned(started));
        ++started;
      } else {
        reapOne();
      }
    reapOrphans();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
    report(count, now() - begin);
    return failures_ ? 1 : 0;
  }

private:
  /// Fills the cache with the program and the variants that most processes use.
  void prepare() {
    setenv("KILN_LOG", "info,program", 1);
    start(preparation(), 0);
    unsetenv("KILN_LOG");
    const Process process = running_.back();
    for (const double end = now() + MaxPreparation; now() < end; usleep(10'000)) {
      std::ifstream log(process.errors);
      unsigned ready = 0;
      for (std::string line; std::getline(log, line);)
        ready += line.ends_with(" is ready");
      if (ready >= options_.kernels)
        break;
    }
    kill(process.id, SIGKILL);
    while (!running_.empty())
      reapOne();
  }
  void start(const Ending &ending, unsigned index) {
    Process process{&ending, -1, -1, folder_ + "/" + std::to_string(index) + ".errors", {}};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      return fail(ending, "no pipe");
    const bool isUnique = options_.cold || ending.isUnique;
    process.cache = folder_ + "/cache" + (options_.cold ? std::to_string(index) : "");
    const std::string number = "--number=" + std::to_string(isUnique ? unsigned(getpid()) * 10'000 + index : 7);
    process.id = fork();
    if (process.id == 0) {
      const int inherited = dup(ends[1]);
      setenv("KILN_LIFE_PIPE", std::to_string(inherited).c_str(), 1);
      setenv("KILN_CACHE_DIR", process.cache.c_str(), 1);
      const int file = open(process.errors.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600);
      dup2(file, STDOUT_FILENO);
      dup2(file, STDERR_FILENO);
      close(file);
      const std::string end = std::string("--end=") + ending.name, device = "--device=" + options_.device,
                        kernels = "--kernels=" + std::to_string(options_.kernels);
      execl(program_.c_str(), "kiln-life", end.c_str(), device.c_str(), kernels.c_str(), number.c_str(), nullptr);
      _exit(3);
    }
    close(ends[1]);
    process.pipe = ends[0];
    fcntl(process.pipe, F_SETFL, O_NONBLOCK);
    running_.push_back(std::move(process));
  }

  void reapOne() {
    siginfo_t about{};
    if (waitid(P_ALL, 0, &about, WEXITED | WNOWAIT) != 0)
      return;
    const double ended = now();
    const std::string command = commandOf(about.si_pid);
    int status = 0;
    waitpid(about.si_pid, &status, 0);
    auto found = std::ranges::find(running_, about.si_pid, &Process::id);
    if (found == running_.end())
      return judgeOrphan(command, status);
    const Process process = std::move(*found);
    running_.erase(found);
    timespec begun{};
    const bool hasBegun = read(process.pipe, &begun, sizeof begun) == ssize_t(sizeof begun);
    close(process.pipe);
    const double took = ended - (double(begun.tv_sec) * 1e3 + double(begun.tv_nsec) / 1e6);
    judge(process, status, hasBegun ? std::optional(took) : std::nullopt);
    if (options_.cold) {
      std::error_code ignored; // a compiler that goes on may write there
      std::filesystem::remove_all(process.cache, ignored);
    }
  }

  void judge(const Process &process, int status, std::optional<double> took) {
    const Ending &ending = *process.ending;
    std::string wrong;
    const int wanted = ending.signal;
    if (WIFSIGNALED(status) ? WTERMSIG(status) != wanted : wanted != 0)
      wrong = WIFSIGNALED(status)
                  ? std::string("was ended by ") + strsignal(WTERMSIG(status))
                  : "has ended with status " + std::to_string(WEXITSTATUS(status)) + ", not by a signal";
    else if (WIFEXITED(status) && WEXITSTATUS(status))
      wrong = "has ended with status " + std::to_string(WEXITSTATUS(status));
    else if (took && *took > options_.mostMs)
      wrong = "took " + std::to_string(int(*took)) + " ms to end";
    if (took)
      times_.push_back({*took, ending.name});
    if (options_.verbose)
      std::printf("%-24s %8.1f ms\n", ending.name, took.value_or(0));
    if (!wrong.empty()) {
      fail(ending, wrong);
      std::ifstream errors(process.errors);
      for (std::string line; std::getline(errors, line);)
        std::printf("    %s\n", line.c_str());
    }
    std::fflush(stdout);
    unlink(process.errors.c_str());
  }

  static std::string commandOf(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/comm");
    std::string name;
    std::getline(file, name);
    return name;
  }
  static bool isCompiler(const std::string &command) { return command == "kilnc" || command == "kiln-clc"; }

  /// A process that a process of the list has left. Compilers end their builds with SIGKILL.
  void judgeOrphan(const std::string &command, int status) {
    if (WIFSIGNALED(status) && !isCompiler(command)) {
      ++failures_;
      std::printf("FAILED: a process that was left behind, %s, was ended by %s\n", command.c_str(),
                  strsignal(WTERMSIG(status)));
    }
  }

  void reapOrphans() {
    const double end = now() + options_.staySeconds * 1e3;
    for (;;) {
      siginfo_t about{};
      if (waitid(P_ALL, 0, &about, WEXITED | WNOWAIT | WNOHANG) != 0)
        return; // no child is left
      if (about.si_pid) {
        const std::string command = commandOf(about.si_pid);
        int status = 0;
        waitpid(about.si_pid, &status, 0);
        judgeOrphan(command, status);
      } else if (now() > end) {
        break;
      } else {
        usleep(10'000);
      }
    }
    for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
      pid_t id = 0;
      const std::string name = entry.path().filename();
      if (std::from_chars(name.data(), name.data() + name.size(), id).ec != std::errc())
        continue;
      std::ifstream file(entry.path() / "stat");
      std::string text;
      std::getline(file, text);
      int parent = 0;
      const size_t close = text.rfind(')');
      if (close == std::string::npos || std::sscanf(text.c_str() + close, ") %*c %d", &parent) != 1 ||
          parent != getpid())
        continue;
      ++failures_;
      std::string words;
      std::getline(std::ifstream(entry.path() / "cmdline"), words);
      std::ranges::replace(words, '\0', ' ');
      std::printf("FAILED: %s (%d: %s) was left behind for %u s\n", commandOf(id).c_str(), int(id), words.c_str(),
                  options_.staySeconds);
      kill(id, SIGKILL);
    }
  }

  void fail(const Ending &ending, const std::string &what) {
    ++failures_;
    std::printf("FAILED: %s (%s) %s\n", ending.name, ending.what, what.c_str());
  }

  void report(size_t count, double milliseconds) {
    std::ranges::sort(times_);
    std::printf("%zu processes in %.1f s, %u failures", count, milliseconds / 1e3, failures_);
    if (!times_.empty())
      std::printf("; from the beginning of the end: median %.1f ms, 99%% %.1f ms, at most %.1f ms (%s)",
                  times_[times_.size() / 2].first, times_[times_.size() * 99 / 100].first, times_.back().first,
                  times_.back().second);
    std::printf("\n");
  }

  const Options options_;
  const std::string program_ = std::filesystem::read_symlink("/proc/self/exe");
  std::string folder_;
  std::vector<Process> running_;
  std::vector<std::pair<double, const char *>> times_;
  unsigned failures_ = 0;
};

} // namespace

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i)
    if (!parse(argv[i], options)) {
      std::fputs(Usage, stderr);
      return 2;
    }
  if (!options.end.empty()) {
    const Ending *ending = find(options.end);
    return ending ? endIn(*ending, options) : 2;
  }
  std::vector<const Ending *> ways;
  for (const Ending &ending : endings())
    if (options.only.empty() ||
        ("," + options.only + ",").find("," + std::string(ending.name) + ",") != std::string::npos)
      ways.push_back(&ending);
  if (ways.empty()) {
    std::fprintf(stderr, "no way to end has such a name\n");
    return 2;
  }
  if (options.list) {
    for (const Ending *ending : ways)
      std::printf("%-24s %s\n", ending->name, ending->what);
    return 0;
  }
  return Supervisor(options).run(ways);
}
