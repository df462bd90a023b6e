#include "tests/differential/Supervise.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kiln::differential {
namespace {

constexpr unsigned MaxSeconds = 120; // per build, and per run

/// The progress of a child process, in memory shared with its parent.
struct Progress {
  uint64_t next;     // the first seed without a finding
  uint64_t building; // number of programs being built; 0 if `next` is running
  uint64_t wrong, skipped;
  Outcome last;
};

Progress *shareProgress() {
  void *memory = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    fail("mmap of shared memory failed");
  return new (memory) Progress();
}

/// Runs `body` in a child process. Returns the signal that ended it, or 0. The parent must not use OpenCL.
template <typename Body> int inChild(Body body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0)
    fail("fork failed");
  if (child == 0) {
    body();
    std::fflush(nullptr);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return WTERMSIG(status);
  if (WEXITSTATUS(status) != 0)
    std::exit(WEXITSTATUS(status)); // the child has printed an error
  return 0;
}

void report(uint64_t seed, const std::string &text) {
  std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), text.c_str());
  std::fflush(stdout);
}
std::string crashText(int signal) {
  return signal == SIGALRM ? "takes more than " + std::to_string(MaxSeconds) + " s"
                           : std::string("crashes: ") + strsignal(signal);
}

/// Runs the seeds [progress.next, end). SIGALRM ends the child if a step takes too long.
void compareInChild(const Settings &settings, Progress &progress, uint64_t end, uint64_t batch) {
  Runner runner(settings);
  while (progress.next < end) {
    std::vector<Program> programs;
    for (uint64_t seed = progress.next; seed < std::min(progress.next + batch, end); ++seed)
      programs.push_back(generate(settings.style, seed));
    runner.run(
        programs,
        [&](size_t count) {
          progress.building = count;
          alarm(MaxSeconds);
        },
        [&](const Program &program, const Finding &finding) {
          if (isWrong(finding.outcome))
            report(program.seed, finding.text);
          progress.last = finding.outcome;
          progress.wrong += isWrong(finding.outcome);
          progress.skipped += finding.outcome == Outcome::Skipped;
          progress.next = program.seed + 1;
        });
    alarm(0);
  }
}

} // namespace

Totals compareSeeds(const Settings &settings) {
  Progress &progress = *shareProgress();
  progress.next = settings.first;
  uint64_t end = settings.end, batch = settings.batch;
  while (progress.next < settings.end) {
    progress.building = 0;
    const int signal = inChild([&] { compareInChild(settings, progress, end, batch); });
    if (signal && progress.building > 1) { // build them again, each alone
      end = std::min(progress.next + progress.building, settings.end);
      batch = 1;
      continue;
    }
    if (signal) {
      report(progress.next++, crashText(signal));
      ++progress.wrong;
    }
    if (progress.next >= end)
      end = settings.end, batch = settings.batch;
  }
  return {progress.wrong, progress.skipped};
}

Outcome outcomeOf(const Settings &settings, const Program &program) {
  static Progress &progress = *shareProgress();
  const int signal = inChild([&] {
    Runner runner(settings);
    alarm(MaxSeconds);
    runner.run(
        {&program, 1}, [](size_t) {},
        [&](const Program &, const Finding &finding) { progress.last = finding.outcome; });
  });
  return signal ? Outcome::Crashes : progress.last;
}

} // namespace kiln::differential
