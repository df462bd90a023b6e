// HIP's entries for streams and events.
#include "emulator/api/Runtime.h"

using namespace kiln::emulator;

namespace {

constexpr unsigned DisableTiming = 2; // hipEventDisableTiming

int orBroken(int code) {
  int broken = runtime().broken;
  return broken ? broken : code;
}

} // namespace

HIP_ENTRY hipStreamCreateWithPriority(void **stream, unsigned, int priority) {
  *stream = runtime().createStream(currentDevice(), priority);
  return Success;
}
HIP_ENTRY hipStreamCreateWithFlags(void **stream, unsigned flags) {
  return hipStreamCreateWithPriority(stream, flags, 0);
}
HIP_ENTRY hipStreamDestroy(void *stream) { return runtime().destroyStream(stream); }
HIP_ENTRY hipStreamWaitEvent(void *handle, void *event, unsigned) {
  const std::shared_ptr<Stream> stream = runtime().stream(handle);
  if (!stream || !event)
    return InvalidHandle;
  stream->waitFor(*static_cast<Event *>(event));
  return orBroken(Success);
}

HIP_ENTRY hipEventCreateWithFlags(void **event, unsigned flags) {
  *event = new Event(!(flags & DisableTiming));
  return Success;
}
HIP_ENTRY hipEventDestroy(void *event) {
  if (!event)
    return InvalidHandle;
  delete static_cast<Event *>(event);
  return Success;
}
HIP_ENTRY hipEventRecord(void *event, void *handle) {
  const std::shared_ptr<Stream> stream = runtime().stream(handle);
  if (!stream || !event)
    return InvalidHandle;
  stream->record(*static_cast<Event *>(event));
  return orBroken(Success);
}
HIP_ENTRY hipEventQuery(void *event) {
  if (!event)
    return InvalidHandle;
  return orBroken(isReached(*static_cast<Event *>(event)) ? Success : NotReady);
}
HIP_ENTRY hipEventSynchronize(void *event) {
  if (!event)
    return InvalidHandle;
  waitForEvent(*static_cast<Event *>(event));
  return orBroken(Success);
}
HIP_ENTRY hipEventElapsedTime(float *milliseconds, void *start, void *end) {
  if (!start || !end || !static_cast<Event *>(start)->hasTime || !static_cast<Event *>(end)->hasTime)
    return InvalidHandle;
  return orBroken(elapsed(*static_cast<Event *>(start), *static_cast<Event *>(end), *milliseconds) ? Success
                                                                                                   : NotReady);
}
