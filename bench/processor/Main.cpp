// kiln-processor: what differs between x86 processors and decides how kernels are vectorized, as a table in Markdown.
// A row has nanoseconds of one step and, in parentheses, how many vector additions take as long. The steps are those
// that the vectoriser chooses between (passes/target/CpuTargetInfo.cpp); docs/measurements/processors.md has the
// results.
//
// Each number is the smallest of many short runs on one thread: noise only adds time.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <immintrin.h>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#define AVX2 [[gnu::target("avx2,fma")]]
#define AVX512 [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]]

namespace {

constexpr size_t Steps = 4096; // of one run
constexpr unsigned Lanes256 = 8, Lanes512 = 16;

/// The memory of a measurement: `words` elements, a power of two, and as many indices in random order.
struct Data {
  explicit Data(size_t words) : mask(unsigned(words - 1)), values(words + 64), order(words) {
    std::iota(values.begin(), values.end(), 1.0f);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, std::mt19937(1));
  }
  const unsigned mask;
  std::vector<float> values;
  std::vector<int> order;
  size_t start = 0; // of the next run, for what a processor would learn by heart
  float sink = 0;
};

using Body = void (*)(Data &);
/// Nanoseconds of a step.
double timeOf(Data &data, Body body) {
  double best = 1e18;
  for (int run = 0; run < 60; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    body(data);
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    best = std::min(best, taken.count() / Steps);
  }
  return best;
}

/// The compiler may not compute the value in another way, nor leave it out. In a function, its target would be another.
#define KEEP(value) asm volatile("" : "+v"(value))
/// It may not keep memory in registers.
void keepMemory() { asm volatile("" ::: "memory"); }

// ---- simple operations
// ------------------------------------------------------------------------------------------------

AVX2 void add256(Data &data) {
  for (size_t step = 0; step < Steps; ++step) {
    __m256 sum = _mm256_add_ps(_mm256_set1_ps(1), _mm256_loadu_ps(&data.values[step * 8 & data.mask]));
    KEEP(sum);
  }
}
AVX512 void add512(Data &data) {
  for (size_t step = 0; step < Steps; ++step) {
    __m512 sum = _mm512_add_ps(_mm512_set1_ps(1), _mm512_loadu_ps(&data.values[step * 16 & data.mask]));
    KEEP(sum);
  }
}

// ---- one element from an address for each lane
// ------------------------------------------------------------------------

AVX2 inline __m256i indices256(const Data &data, size_t step) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(&data.order[step * 8 & data.mask]));
}
AVX512 inline __m512i indices512(const Data &data, size_t step) {
  return _mm512_loadu_si512(&data.order[step * 16 & data.mask]);
}
AVX2 void gather256(Data &data) {
  for (size_t step = 0; step < Steps; ++step) {
    __m256 value = _mm256_i32gather_ps(data.values.data(), indices256(data, step), 4);
    KEEP(value);
  }
}
AVX512 void gather512(Data &data) {
  for (size_t step = 0; step < Steps; ++step) {
    __m512 value = _mm512_i32gather_ps(indices512(data, step), data.values.data(), 4);
    KEEP(value);
  }
}
// The addresses go from the vector to scalar registers through the stack, and the elements back by insertions.
AVX2 void scalarLoads256(Data &data) {
  for (size_t step = 0; step < Steps; ++step) {
    alignas(32) int index[Lanes256];
    _mm256_store_si256(reinterpret_cast<__m256i *>(index), indices256(data, step));
    keepMemory();
    const float *at = data.values.data();
    __m256 value = _mm256_setr_ps(at[index[0]], at[index[1]], at[index[2]], at[index[3]], at[index[4]], at[index[5]],
                                  at[index[6]], at[index[7]]);
    KEEP(value);
  }
}
AVX512 void scalarLoads512(Data &data) {
  for (size_t step = 0; step < Steps; ++step) {
    alignas(64) int index[Lanes512];
    _mm512_store_si512(index, indices512(data, step));
    keepMemory();
    const float *at = data.values.data();
    __m512 value = _mm512_setr_ps(at[index[0]], at[index[1]], at[index[2]], at[index[3]], at[index[4]], at[index[5]],
                                  at[index[6]], at[index[7]], at[index[8]], at[index[9]], at[index[10]], at[index[11]],
                                  at[index[12]], at[index[13]], at[index[14]], at[index[15]]);
    KEEP(value);
  }
}
AVX512 void scatter512(Data &data) {
  const __m512 value = _mm512_set1_ps(1);
  for (size_t step = 0; step < Steps; ++step)
    _mm512_i32scatter_ps(data.values.data(), indices512(data, step), value, 4);
}
AVX512 void scalarStores512(Data &data) {
  for (size_t step = 0; step < Steps; ++step) {
    alignas(64) int index[Lanes512];
    alignas(64) float value[Lanes512];
    _mm512_store_si512(index, indices512(data, step));
    _mm512_store_ps(value, _mm512_set1_ps(float(step)));
    keepMemory();
    for (unsigned lane = 0; lane < Lanes512; ++lane)
      data.values[size_t(index[lane])] = value[lane];
  }
}

// ---- masks
// ------------------------------------------------------------------------------------------------------------

AVX2 inline __m256i mask256(const Data &data, size_t step) { return _mm256_slli_epi32(indices256(data, step), 31); }
AVX512 inline __mmask16 mask512(const Data &data, size_t step) {
  return _mm512_movepi32_mask(_mm512_slli_epi32(indices512(data, step), 31));
}

AVX2 void maskedLoad256(Data &data) {
  for (size_t step = 0; step < Steps; ++step) {
    __m256 value = _mm256_maskload_ps(&data.values[step * 8 & data.mask], mask256(data, step));
    KEEP(value);
  }
}
AVX512 void maskedLoad512(Data &data) {
  for (size_t step = 0; step < Steps; ++step) {
    __m512 value = _mm512_maskz_loadu_ps(mask512(data, step), &data.values[step * 16 & data.mask]);
    KEEP(value);
  }
}
AVX2 void maskedStore256(Data &data) {
  for (size_t step = 0; step < Steps; ++step)
    _mm256_maskstore_ps(&data.values[step * 8 & data.mask], mask256(data, step), _mm256_set1_ps(1));
}
AVX512 void maskedStore512(Data &data) {
  for (size_t step = 0; step < Steps; ++step)
    _mm512_mask_storeu_ps(&data.values[step * 16 & data.mask], mask512(data, step), _mm512_set1_ps(1));
}
AVX2 void store256(Data &data) {
  for (size_t step = 0; step < Steps; ++step) {
    _mm256_storeu_ps(&data.values[step * 8 & data.mask], _mm256_set1_ps(float(step)));
    keepMemory();
  }
}
AVX512 void store512(Data &data) {
  for (size_t step = 0; step < Steps; ++step) {
    _mm512_storeu_ps(&data.values[step * 16 & data.mask], _mm512_set1_ps(float(step)));
    keepMemory();
  }
}
// Compaction: the active lanes, one behind the other.
AVX512 void compressToMemory(Data &data) {
  size_t end = 0;
  for (size_t step = 0; step < Steps; ++step) {
    const __mmask16 mask = mask512(data, step);
    _mm512_mask_compressstoreu_ps(&data.values[end & data.mask], mask, _mm512_set1_ps(1));
    end += size_t(__builtin_popcount(mask));
  }
}
AVX512 void compressInRegister(Data &data) {
  size_t end = 0;
  for (size_t step = 0; step < Steps; ++step) {
    const __mmask16 mask = mask512(data, step);
    _mm512_storeu_ps(&data.values[end & data.mask], _mm512_maskz_compress_ps(mask, _mm512_set1_ps(1)));
    end += size_t(__builtin_popcount(mask));
  }
}

// ---- lanes, stores and loads
// ------------------------------------------------------------------------------------------

// A vector load that waits for the scalar stores of its elements: the processor cannot forward them.
AVX2 void lanesThroughStack256(Data &data) {
  for (size_t step = 0; step < Steps; ++step) {
    alignas(32) volatile float lanes[Lanes256];
    for (unsigned lane = 0; lane < Lanes256; ++lane)
      lanes[lane] = data.values[lane];
    __m256 value = _mm256_load_ps(const_cast<const float *>(lanes));
    KEEP(value);
  }
}
AVX2 void lanesInserted256(Data &data) {
  for (size_t step = 0; step < Steps; ++step) {
    const volatile float *at = data.values.data();
    __m256 value = _mm256_setr_ps(at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7]);
    KEEP(value);
  }
}

// ---- division and branches
// --------------------------------------------------------------------------------------------

AVX2 void divideFloats256(Data &data) {
  const __m256 one = _mm256_set1_ps(1);
  for (size_t step = 0; step < Steps; ++step) {
    __m256 quotient = _mm256_div_ps(one, _mm256_loadu_ps(&data.values[step * 8 & data.mask]));
    KEEP(quotient);
  }
}
AVX512 void divideFloats512(Data &data) {
  const __m512 one = _mm512_set1_ps(1);
  for (size_t step = 0; step < Steps; ++step) {
    __m512 quotient = _mm512_div_ps(one, _mm512_loadu_ps(&data.values[step * 16 & data.mask]));
    KEEP(quotient);
  }
}
AVX2 void divideDoubles256(Data &data) {
  const __m256d one = _mm256_set1_pd(1);
  for (size_t step = 0; step < Steps; ++step) {
    __m256d quotient = _mm256_div_pd(one, _mm256_cvtps_pd(_mm_loadu_ps(&data.values[step * 8 & data.mask])));
    KEEP(quotient);
  }
}
template <typename Integer> void divideIntegers(Data &data) {
  Integer sum = 0;
  for (size_t step = 0; step < Steps; ++step)
    sum += Integer(0x12345678) / Integer(data.order[step & data.mask] + 1);
  data.sink += float(sum);
}
// Half of the branches go either way at random.
void branches(Data &data) {
  unsigned sum = 0;
  for (size_t step = 0; step < Steps; ++step) {
    if (data.order[(data.start + step) & data.mask] & 1) {
      sum += 3;
      asm volatile("" : "+r"(sum));
    }
  }
  data.start += Steps;
  data.sink += float(sum);
}
void noBranches(Data &data) {
  unsigned sum = 0;
  for (size_t step = 0; step < Steps; ++step) {
    sum += 3u * unsigned(data.order[(data.start + step) & data.mask] & 1);
    asm volatile("" : "+r"(sum));
  }
  data.start += Steps;
  data.sink += float(sum);
}

// ---- the table
// --------------------------------------------------------------------------------------------------------

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  std::string line, family, model, name;
  while (std::getline(file, line) && !line.empty()) {
    const std::string value = line.substr(std::min(line.size(), line.find(':') + 2));
    if (line.starts_with("model name"))
      name = value;
    else if (line.starts_with("cpu family"))
      family = value;
    else if (line.starts_with("model"))
      model = value;
  }
  return name + " (family " + family + ", model " + model + ")";
}

struct Row {
  const char *what;
  Body narrow, wide; // null: there is none
};

void print(const Row &row, Data &data, double additions[2]) {
  std::printf("| %s |", row.what);
  const Body bodies[] = {row.narrow, row.wide};
  for (int width = 0; width < 2; ++width)
    if (bodies[width] && additions[width] > 0) {
      const double time = timeOf(data, bodies[width]);
      std::printf(" %.2f (%.1f) |", time, time / additions[width]);
    } else {
      std::printf(" |");
    }
  std::printf("\n");
}

} // namespace

int main() {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    std::puts("kiln-processor: the processor has no AVX2");
    return 1;
  }
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  Data first(4096), second(1 << 17), memory(1 << 25);
  double additions[2] = {timeOf(first, add256), wide ? timeOf(first, add512) : 0};
  std::printf("%s; ns, and in parentheses vector additions\n\n", processorName().c_str());
  std::printf("| one step | 8 lanes, AVX2 | 16 lanes, AVX-512 |\n|---|---|---|\n");
  const Row rows[] = {
      {"addition of a vector from memory", add256, add512},
      {"store of a vector", store256, store512},
      {"load under a mask, with the mask", maskedLoad256, maskedLoad512},
      {"store under a mask, with the mask", maskedStore256, maskedStore512},
      {"compaction by a store to memory", nullptr, compressToMemory},
      {"compaction in a register, and a whole store", nullptr, compressInRegister},
      {"scatter", nullptr, scatter512},
      {"scalar stores instead", nullptr, scalarStores512},
      {"gather, L1", gather256, gather512},
      {"scalar loads instead, L1", scalarLoads256, scalarLoads512},
      {"lanes to a vector through memory", lanesThroughStack256, nullptr},
      {"lanes to a vector by insertions", lanesInserted256, nullptr},
      {"division of floats", divideFloats256, divideFloats512},
      {"division of 4 doubles", divideDoubles256, nullptr},
      {"division of 32-bit integers, one", divideIntegers<int>, nullptr},
      {"division of 64-bit integers, one", divideIntegers<long>, nullptr},
  };
  for (const Row &row : rows)
    print(row, first, additions);
  print({"random branch", branches, nullptr}, second, additions);
  print({"the same without a branch", noBranches, nullptr}, second, additions);
  const Row far[] = {{"gather", gather256, gather512}, {"scalar loads instead", scalarLoads256, scalarLoads512}};
  for (auto [where, data] : {std::pair<const char *, Data *>{"L2", &second}, {"memory", &memory}})
    for (const Row &row : far)
      print({(std::string(row.what) + ", " + where).c_str(), row.narrow, row.wide}, *data, additions);
}
