// Whose threads do a device's work: those that all CPU devices share, or a sub-device's own. A team outlives forks, its
// pool of threads does not: in the child there is another one as soon as it is needed.
#pragma once
#include "backends/cpu/driver/Pool.h"
#include <memory>

namespace kiln::cpu {

class Team {
public:
  /// What the CPU devices share.
  static const std::shared_ptr<Team> &whole();
  /// A sub-device's own: so many threads, which stay on `processors` unless that is empty.
  Team(unsigned size, std::vector<unsigned> processors) : Team(size, std::move(processors), true) {}
  ~Team();

  Pool &pool();
  /// In which of a family of processes this is: another number in each child of a fork.
  static uint32_t process();
  /// Whether its work must stay on its own threads.
  bool confined() const { return confined_; }

private:
  Team(unsigned size, std::vector<unsigned> processors, bool confined);
  struct Made;

  const unsigned size_;
  const std::vector<unsigned> processors_;
  const bool confined_;
  std::atomic<Made *> made_{nullptr};
};

/// What one operation may use of them.
struct Crew {
  explicit Crew(Team &team) : pool(team.pool()), threads(pool.size()) {}
  Pool &pool;
  unsigned threads; // the caller's among them
};

} // namespace kiln::cpu
