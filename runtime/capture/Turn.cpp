#include "runtime/capture/Turn.h"
#include "base/support/Mutex.h"
#include "base/support/Thread.h"
#include <new>

namespace kiln::capture {
namespace {

constinit Mutex turns;
// The child of a fork does not have the thread that held the turn.
constinit ForkHandler freeTurn{[] { new (&turns) Mutex; }};

} // namespace

Turn::Turn() KILN_NO_THREAD_SAFETY {
  onFork(freeTurn);
  turns.lock();
}
Turn::~Turn() KILN_NO_THREAD_SAFETY { turns.unlock(); }

} // namespace kiln::capture
