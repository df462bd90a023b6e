#include "runtime/program/ParallelBuild.h"
#include "base/support/Thread.h"

namespace kiln {

template <typename Reply>
template <typename Send>
Reply ParallelBuild::RequestMemo<Reply>::get(wire::Bytes request, Send send) {
  Entry *entry; // map nodes are stable
  bool first;
  {
    Lock lock(mutex_);
    auto [found, inserted] = entries_.try_emplace(std::move(request));
    entry = &found->second;
    first = inserted;
  }
  if (first) {
    Reply reply;
    bool outOfMemory = false;
    try {
      reply = send();
    } catch (const std::bad_alloc &) {
      outOfMemory = true; // release the waiting threads first
    }
    Lock lock(mutex_);
    entry->reply = std::move(reply);
    entry->outOfMemory = outOfMemory;
    entry->isDone = true;
    requestDone_.notifyAll();
  }
  Lock lock(mutex_);
  requestDone_.wait(lock, [&]() KILN_REQUIRES(mutex_) { return entry->isDone; });
  if (entry->outOfMemory)
    throw std::bad_alloc();
  return entry->reply;
}

SourceResult ParallelBuild::compile(const protocol::CompileRequest &request) {
  return compiled_.get(wire::pack(request), [&] { return Compiler::get().compile(request); });
}

SourceResult ParallelBuild::link(const std::vector<wire::Bytes> &modules, bool library) {
  protocol::BuildRequest request;
  request.modules = modules;
  request.library = library;
  return linked_.get(wire::pack(request), [&] { return Compiler::get().link(modules, library); });
}

CodeResult ParallelBuild::build(const protocol::BuildRequest &request, const wire::Bytes &binaryCode) {
  return built_.get(wire::pack(request), [&] { return Compiler::get().build(request, binaryCode); });
}

void ParallelBuild::work() noexcept {
  for (;;) {
    size_t index = claimed_.fetch_add(1, std::memory_order_relaxed);
    if (index >= count_)
      return;
    DeviceBuild &build = builds_[index];
    try {
      step_(*this, *build.device, build.state);
    } catch (const std::bad_alloc &) {
      build.state.status = CL_BUILD_ERROR;
      build.state.resourceError = CL_OUT_OF_HOST_MEMORY; // this thread has no caller that would catch it
    }
    Lock lock(mutex_);
    ++done_;
    buildDone_.notifyAll();
  }
}

std::vector<ParallelBuild::DeviceBuild> ParallelBuild::all(std::vector<DeviceBuild> builds, Step step) {
  auto run = std::make_shared<ParallelBuild>(std::move(builds), std::move(step));
  // A helper that starts late finds nothing to claim, so this waits only for builds in progress.
  for (size_t i = 1; i < run->count_; ++i)
    if (!buildThreads().runFunction([run] { run->work(); }))
      break; // this thread runs the rest
  run->work();
  Lock lock(run->mutex_);
  run->buildDone_.wait(lock, [&]() KILN_REQUIRES(run->mutex_) { return run->done_ == run->count_; });
  return std::move(run->builds_);
}

} // namespace kiln
