#include "bench/measure/CacheFlush.h"
#include "bench/measure/CacheSize.h"

namespace bench {
namespace {

constexpr std::string_view Source = "kernel void flush(global uint4 *lines) { lines[get_global_id(0)] += 1; }";
constexpr size_t Line = 16; // bytes of a work-item

} // namespace

CacheFlush::CacheFlush(const Session &session) : session_(session) {
  cl_ulong most = 0;
  check(clGetDeviceInfo(session.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, nullptr), "clGetDeviceInfo");
  bytes_ = 2 * cacheBytes(session.device) / Line * Line;
  if (bytes_ > most)
    throw std::runtime_error("--cold: twice the size of the cache is " + std::to_string(bytes_) +
                             " bytes, and the largest buffer of the device has " + std::to_string(most));
  program_ = session.build(Source);
  kernel_ = session.kernel(program_, "flush");
  memory_ = session.buffer(bytes_);
  arguments(kernel_, memory_);
  run(); // the first launch also makes the pages
}

void CacheFlush::run() const {
  session_.launch(kernel_, {bytes_ / Line});
  session_.finish();
}

} // namespace bench
