// Hashes many messages: chains of 32-bit rotations and additions, with a private array of 64 words.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Ciphers.h"
#include "bench/suite/native/Threads.h"
#include "bench/suite/reference/Ciphers.h"
#include <algorithm>

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state) : count(size_t(state.range(0))), length(size_t(state.range(1))) {
    std::vector<uint8_t> text = randomBytes(count * length, 1);
    for (size_t i = 0; i < count; ++i) {
      std::vector<uint32_t> message = padded({reinterpret_cast<const char *>(&text[i * length]), length});
      messages.insert(messages.end(), message.begin(), message.end());
    }
    blocks = messages.size() / count / 16;
  }
  bool isSolvedBy(const std::vector<uint32_t> &digests) const {
    for (size_t i = 0; i < count; ++i)
      if (auto expected = sha256(&messages[i * blocks * 16], blocks);
          !std::equal(expected.begin(), expected.end(), &digests[i * 8]))
        return false;
    return true;
  }

  const size_t count, length;
  size_t blocks = 0;
  std::vector<uint32_t> messages;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem messages = bench.buffer(problem.messages), digests = bench.buffer(problem.count * 8 * sizeof(uint32_t));
  cl_kernel kernel = bench.kernelOf("sha256", "sha256");
  arguments(kernel, messages, digests, cl_uint(problem.blocks), cl_uint(problem.count));
  auto run = [&] {
    bench.launch(kernel, {roundUp(problem.count, 64)}, {64});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run,
                   [&] { return problem.isSolvedBy(bench.read<uint32_t>(digests, problem.count * 8)); });
  countBytes(state, problem.messages.size() * sizeof(uint32_t));
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<uint32_t> digests(problem.count * 8);
  auto run = [&] {
    native::forRange(problem.count, 64, [&](native::Range range) {
      native::sha256(problem.messages.data(), digests.data(), problem.blocks, range);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(digests); });
  countBytes(state, problem.messages.size() * sizeof(uint32_t));
}

// Arguments: messages, bytes per message.
const SuiteKernel registered("sha256", onDevice, onHost, {{16384, 100}}, {{1 << 20, 100}});

} // namespace
} // namespace bench
