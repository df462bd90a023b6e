#include "runtime/program/BuildRun.h"
#include "runtime/support/Thread.h"

namespace kiln {

template <typename Answer> template <typename Ask> Answer BuildRun::Once<Answer>::get(wire::Bytes question, Ask ask) {
  Entry *entry; // entries stay where they are
  bool first;
  {
    Lock lock(mutex_);
    auto [found, inserted] = entries_.try_emplace(std::move(question));
    entry = &found->second;
    first = inserted;
  }
  if (first) {
    Answer answer;
    bool noMemory = false;
    try {
      answer = ask();
    } catch (const std::bad_alloc &) {
      noMemory = true; // the others must not wait for ever
    }
    Lock lock(mutex_);
    entry->answer = std::move(answer);
    entry->noMemory = noMemory;
    entry->known = true;
    answered_.notifyAll();
  }
  Lock lock(mutex_);
  answered_.wait(lock, [&]() KILN_REQUIRES(mutex_) { return entry->known; });
  if (entry->noMemory)
    throw std::bad_alloc();
  return entry->answer;
}

SourceResult BuildRun::compile(const protocol::CompileRequest &request) {
  return compiled_.get(wire::pack(request), [&] { return Compiler::get().compile(request); });
}

SourceResult BuildRun::link(const std::vector<wire::Bytes> &modules, const std::string &mathOptions, bool library) {
  protocol::BuildRequest question;
  question.modules = modules;
  question.options = mathOptions; // `library` is the same for all devices of a run
  return linked_.get(wire::pack(question), [&] { return Compiler::get().link(modules, mathOptions, library); });
}

CodeResult BuildRun::build(const protocol::BuildRequest &request, const wire::Bytes &sealed) {
  return built_.get(wire::pack(request), [&] { return Compiler::get().build(request, sealed); });
}

void BuildRun::work() noexcept {
  for (;;) {
    size_t mine = taken_.fetch_add(1, std::memory_order_relaxed);
    if (mine >= count_)
      return;
    Row &row = rows_[mine];
    try {
      step_(*this, *row.device, row.state);
    } catch (const std::bad_alloc &) {
      row.state.status = CL_BUILD_ERROR;
      row.state.shortage = CL_OUT_OF_HOST_MEMORY; // this may be a thread that nobody would catch it on
    }
    Lock lock(mutex_);
    ++done_;
    rowDone_.notifyAll();
  }
}

std::vector<BuildRun::Row> BuildRun::all(std::vector<Row> rows, Step step) {
  auto run = std::make_shared<BuildRun>(std::move(rows), std::move(step));
  // A helper that comes late finds nothing to take, so this waits only for those that are at work.
  for (size_t i = 1; i < run->count_; ++i)
    if (!buildThreads().runFunction([run] { run->work(); }))
      break; // this thread does them all
  run->work();
  Lock lock(run->mutex_);
  run->rowDone_.wait(lock, [&]() KILN_REQUIRES(run->mutex_) { return run->done_ == run->count_; });
  return std::move(run->rows_);
}

} // namespace kiln
