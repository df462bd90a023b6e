// A stream cipher: 32-bit rotations and additions on 16 words per work-item.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Ciphers.h"
#include "bench/suite/native/Threads.h"
#include "bench/suite/reference/Ciphers.h"

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state)
      : blocks(size_t(state.range(0))), text(randomWords(blocks * 16, 1)), key(randomWords(8, 2)),
        nonce(randomWords(3, 3)) {}
  bool isSolvedBy(const std::vector<uint32_t> &got) const {
    for (size_t block = 0; block < blocks; ++block) {
      auto stream = chacha20(key, nonce, uint32_t(block));
      for (size_t i = 0; i < 16; ++i)
        if (got[block * 16 + i] != (text[block * 16 + i] ^ stream[i]))
          return false;
    }
    return true;
  }
  size_t bytes() const { return text.size() * sizeof(uint32_t); }

  const size_t blocks;
  const std::vector<uint32_t> text, key, nonce;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem from = bench.buffer(problem.text), to = bench.buffer(problem.bytes()), key = bench.buffer(problem.key),
      nonce = bench.buffer(problem.nonce);
  cl_kernel kernel = bench.kernelOf("chacha20", "chacha20");
  arguments(kernel, from, to, key, nonce, cl_uint(problem.blocks));
  auto run = [&] {
    bench.launch(kernel, {roundUp(problem.blocks, 128)}, {128});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run,
                   [&] { return problem.isSolvedBy(bench.read<uint32_t>(to, problem.text.size())); });
  countBytes(state, problem.bytes());
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<uint32_t> to(problem.text.size());
  auto run = [&] {
    native::forRange(problem.blocks, 512, [&](native::Range range) {
      native::chacha20(problem.text.data(), to.data(), problem.key.data(), problem.nonce.data(), range);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(to); });
  countBytes(state, problem.bytes());
}

const SuiteKernel registered("chacha20", onDevice, onHost, {{60000}}, {{1 << 22}});

} // namespace
} // namespace bench
