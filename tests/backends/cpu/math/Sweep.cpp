// Tests the library's functions on all 2^32 floats, or on random arguments and pairs: compares the scalar instance with
// a reference of wider precision, and every vector instance with the scalar instance bit by bit. RESULTS has a line for
// each finished shard. A run executes missing shards and can be repeated until all are finished.
// `--help` lists the options.
#include "tests/backends/cpu/math/Arrays.h"
#include "tests/backends/cpu/math/References.h"
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

using namespace kiln::math;

namespace {

constexpr uint64_t ShardSize = 1ull << 26, BlockSize = 4096;

struct Options {
  std::string results;
  std::vector<std::string> only;
  double minutes = 9;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  uint64_t pairs = 1'000'000'000, doubles = 1'000'000'000, stride = 1;
  bool check = false;
};

std::string labelOf(const ArrayFunction &function) {
  return std::string(function.name) + (function.isDouble ? " f64" : " f32");
}
bool isExhaustive(const ArrayFunction &function) { return !function.isDouble && function.operands == Operands::One; }

uint64_t mixed(uint64_t x) { // splitmix64: the n-th random number without the ones before it
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

const double Edges[] = {0.0,
                        0.25,
                        0.5,
                        0.75,
                        1,
                        1.5,
                        2,
                        2.5,
                        3,
                        4,
                        5,
                        7,
                        8,
                        10,
                        16,
                        100,
                        127,
                        128,
                        149,
                        150,
                        709,
                        710,
                        1022,
                        1023,
                        1024,
                        1074,
                        1075,
                        16777216,
                        16777217,
                        9007199254740992,
                        0x1p-149,
                        0x1p-126,
                        0x1p-1022,
                        0x1p-1074,
                        0x1p127,
                        0x1p1023,
                        std::numeric_limits<double>::infinity(),
                        std::numeric_limits<double>::quiet_NaN(),
                        3.40282347e38,
                        1.7976931348623157e308,
                        0.99999994,
                        1.00000012};

// One argument of eight is an edge case; half of the others have any magnitude, half are around one. Some pairs are
// close together.
template <typename E, typename U> E randomNumber(uint64_t index, int which) {
  uint64_t r = mixed(index * 2 + uint64_t(which)), kind = mixed(index * 2 + 1'000'000'007 + uint64_t(which));
  if (kind % 8 == 0) {
    E edge = E(Edges[r % std::size(Edges)]);
    return r >> 40 & 1 ? -edge : edge;
  }
  U bits = U(r >> (64 - 8 * sizeof(U)));
  if (kind % 2)
    return std::bit_cast<E>(bits);
  constexpr int fraction = sizeof(U) == 4 ? 23 : 52, bias = sizeof(U) == 4 ? 127 : 1023;
  U exponent = U(bias - 12 + int(kind >> 8 & 0xffff) % 20);
  U sign = bits >> (8 * sizeof(U) - 1) << (8 * sizeof(U) - 1);
  return std::bit_cast<E>(U(sign | exponent << fraction | (bits & ((U(1) << fraction) - 1))));
}
int64_t randomInteger(uint64_t index) {
  uint64_t r = mixed(index * 2 + 1), kind = mixed(index * 2 + 1'000'000'009);
  int32_t whole = int32_t(r);
  return kind % 4 == 0 ? whole : whole % (kind % 4 == 1 ? 2200 : kind % 4 == 2 ? 300 : 20);
}

struct Found {
  double worst = 0;
  std::string at;                    // the arguments of the worst error
  uint64_t tried = 0, different = 0; // arguments at which the bits of a vector instance differ
  std::string firstDifference;
};

template <typename E, typename U> std::string written(E x, bool isInteger) {
  char text[64];
  U bits;
  std::memcpy(&bits, &x, sizeof bits);
  if (isInteger)
    std::snprintf(text, sizeof text, "%lld", (long long)std::make_signed_t<U>(bits));
  else
    std::snprintf(text, sizeof text, "%a", double(x));
  return text;
}

// A cheap filter, since few arguments have a new worst error: returns true if a float's error is at most this many ulp,
// to a relative accuracy of 1e-6. Returns false for zeros, infinities and NaN, which are measured exactly.
bool within(double wanted, float got, double units) {
  int exponent = int(std::bit_cast<uint64_t>(wanted) >> 52 & 0x7ff) - 1023;
  if (wanted == 0 || exponent > 126)
    return false;
  double unit = std::bit_cast<double>(uint64_t(std::max(exponent, -126) - 23 + 1023) << 52);
  return std::fabs(wanted - double(got)) <= 1.000001 * units * unit;
}

template <typename E, typename U>
Found sweep(const ArrayFunction &function, uint64_t first, uint64_t end, uint64_t stride) {
  Reference wanted = reference(function);
  ErrorBound bound = errorBound(function);
  Found found;
  alignas(64) static thread_local E x[BlockSize], y[BlockSize], z[4][BlockSize];
  bool isInt = function.operands == Operands::Int, isTwo = function.operands == Operands::Two;
  std::string_view name = function.name;
  for (uint64_t at = first; at < end; at += BlockSize * stride) {
    for (uint64_t i = 0; i < BlockSize; ++i) {
      uint64_t index = at + i * stride;
      x[i] = isExhaustive(function) ? std::bit_cast<E>(U(index)) : randomNumber<E, U>(index, 0);
      if (isTwo)
        y[i] = randomNumber<E, U>(index, 1);
      if (isInt)
        y[i] = std::bit_cast<E>(U(randomInteger(index)));
    }
    int instances = function.instances[1] ? 4 : 1;
    for (int instance = 0; instance < instances; ++instance)
      function.instances[instance](x, y, z[instance], BlockSize);
    for (uint64_t i = 0; i < BlockSize; ++i) {
      ++found.tried;
      U bits = std::bit_cast<U>(z[0][i]);
      for (int instance = 1; instance < instances; ++instance)
        if (std::bit_cast<U>(z[instance][i]) != bits && !(std::isnan(z[0][i]) && std::isnan(z[instance][i]))) {
          if (!found.different++)
            found.firstDifference =
                written<E, U>(x[i], false) + (isTwo || isInt ? "," + written<E, U>(y[i], isInt) : "");
          break;
        }
      if (std::fabs(double(x[i])) > bound.within)
        continue;
      long double value = wanted(&x[i], &y[i]);
      if constexpr (sizeof(E) == 4)
        if (within(double(value), z[0][i], found.worst))
          continue;
      double units = unitsApart(value, z[0][i], function.isDouble);
      if (units > found.worst || (units == found.worst && found.at.empty() && units > 0)) {
        found.worst = units;
        found.at = written<E, U>(x[i], false) + (isTwo || isInt ? "," + written<E, U>(y[i], isInt) : "");
      }
    }
  }
  return found;
}

int printTable(const std::string &results) {
  std::map<std::string, Found> lines;
  std::ifstream in(results);
  std::string text;
  while (std::getline(in, text)) {
    std::istringstream words(text);
    std::string name, type, at, difference;
    uint64_t shard, tried, different;
    double worst;
    std::string worstText;
    if (!(words >> name >> type >> shard >> tried >> worstText >> at >> different >> difference))
      continue;
    worst = std::strtod(worstText.c_str(), nullptr); // which reads inf
    Found &line = lines[name + " " + type];
    line.tried += tried, line.different += different;
    if (worst > line.worst)
      line.worst = worst, line.at = at;
    if (different)
      line.firstDifference = difference;
  }
  for (const ArrayFunction *function = KilnMathArrays; function->name; ++function) {
    auto found = lines.find(labelOf(*function));
    if (found == lines.end())
      continue;
    const Found &all = found->second;
    std::printf("%s allowed %g tried %llu worst %.4g at %s differ %llu\n", found->first.c_str(),
                errorBound(*function).units, (unsigned long long)all.tried, all.worst,
                all.at.empty() ? "-" : all.at.c_str(), (unsigned long long)all.different);
  }
  return 0;
}

int printTimes(const Options &options) {
  constexpr uint64_t count = 4096;
  alignas(64) static double x[count], y[count], z[count];
  for (const ArrayFunction *function = KilnMathArrays; function->name; ++function) {
    if (!options.only.empty() && !std::ranges::count(options.only, function->name))
      continue;
    for (uint64_t i = 0; i < count; ++i) {
      double a = 0.05 + 0.9 * double(mixed(i) >> 11) * 0x1p-53, b = 0.5 + 3 * double(mixed(i + count) >> 11) * 0x1p-53;
      if (std::string_view(function->name).ends_with("acosh"))
        a += 1;
      if (function->isDouble) {
        x[i] = a, y[i] = function->operands == Operands::Int ? std::bit_cast<double>(int64_t(b)) : b;
      } else {
        reinterpret_cast<float *>(x)[i] = float(a);
        reinterpret_cast<float *>(y)[i] = function->operands == Operands::Int ? std::bit_cast<float>(int(b)) : float(b);
      }
    }
    std::printf("%-16s", labelOf(*function).c_str());
    for (OverArray *instance : function->instances) {
      if (!instance)
        continue;
      double best = 1e9;
      for (int round = 0; round < 60; ++round) {
        auto start = std::chrono::steady_clock::now();
        instance(x, y, z, count);
        best =
            std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
      }
      std::printf(" %8.2f", best / count);
    }
    std::printf("\n");
  }
  return 0;
}

struct Shard {
  const ArrayFunction *function;
  uint64_t number;
};

int run(const Options &options) {
  std::set<std::string> done;
  {
    std::ifstream in(options.results);
    std::string name, type, number, rest;
    while (in >> name >> type >> number && std::getline(in, rest))
      done.insert(name + " " + type + " " + number);
  }
  std::vector<Shard> shards;
  for (const ArrayFunction *function = KilnMathArrays; function->name; ++function) {
    if (!options.only.empty() && !std::ranges::count(options.only, function->name))
      continue;
    if (!reference(*function)) {
      std::fprintf(stderr, "no reference for %s\n", function->name);
      return 1;
    }
    uint64_t size = isExhaustive(*function) ? 1ull << 32 : function->isDouble ? options.doubles : options.pairs;
    for (uint64_t number = 0; number * ShardSize < size; ++number)
      if (!done.contains(labelOf(*function) + " " + std::to_string(number)))
        shards.push_back({function, number});
  }
  std::printf("%zu shards to do\n", shards.size());
  auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.minutes * 60);
  std::atomic<size_t> next = 0, finished = 0, broken = 0;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < options.threads; ++t)
    threads.emplace_back([&] {
      for (size_t i; (i = next++) < shards.size() && std::chrono::steady_clock::now() < deadline;) {
        auto [function, number] = shards[i];
        uint64_t first = number * ShardSize, end = first + ShardSize;
        Found found = function->isDouble ? sweep<double, uint64_t>(*function, first, end, options.stride)
                                         : sweep<float, uint32_t>(*function, first, end, options.stride);
        std::lock_guard lock(mutex);
        if (found.different || !(found.worst <= errorBound(*function).units)) {
          ++broken;
          std::printf("%s: %g ulp at %s, %g allowed; instances differ at %llu arguments, first %s\n",
                      labelOf(*function).c_str(), found.worst, found.at.c_str(), errorBound(*function).units,
                      (unsigned long long)found.different, found.firstDifference.c_str());
        }
        if (FILE *out = options.check ? nullptr : std::fopen(options.results.c_str(), "a")) {
          std::fprintf(out, "%s %llu %llu %.6g %s %llu %s\n", labelOf(*function).c_str(), (unsigned long long)number,
                       (unsigned long long)found.tried, found.worst, found.at.empty() ? "-" : found.at.c_str(),
                       (unsigned long long)found.different,
                       found.firstDifference.empty() ? "-" : found.firstDifference.c_str());
          std::fclose(out);
        }
        ++finished;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  std::printf("%zu shards done, %zu left\n", finished.load(), shards.size() - finished.load());
  return broken || (options.check && finished != shards.size()) ? 1 : 0;
}

constexpr const char *Usage = R"(usage: kiln-math-sweep RESULTS [option]...    add the missing lines to the file
       kiln-math-sweep --check [option]...    exit status 1 if a bound is broken or two instances differ
       kiln-math-sweep --table RESULTS        print a summary of the file
       kiln-math-sweep --time                 print the time of each instance

  --only NAME    of this function; may be repeated
  --minutes M    at most this long
  --threads N    on N threads
  --pairs P      random pairs of floats
  --doubles D    random doubles
  --stride S     every S-th float
)";

} // namespace

int main(int argc, char **argv) {
  Options options;
  bool table = false, time = false;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    auto value = [&] { return i + 1 < argc ? argv[++i] : ""; };
    if (word == "--only")
      options.only.push_back(value());
    else if (word == "--minutes")
      options.minutes = std::atof(value());
    else if (word == "--threads")
      options.threads = unsigned(std::atoi(value()));
    else if (word == "--pairs")
      options.pairs = std::strtoull(value(), nullptr, 10);
    else if (word == "--doubles")
      options.doubles = std::strtoull(value(), nullptr, 10);
    else if (word == "--stride")
      options.stride = std::max(1ull, std::strtoull(value(), nullptr, 10));
    else if (word == "--check")
      options.check = true;
    else if (word == "--table")
      table = true;
    else if (word == "--time")
      time = true;
    else if (word == "--help")
      return std::fputs(Usage, stdout) < 0;
    else if (word.starts_with("-"))
      return std::fprintf(stderr, "kiln-math-sweep: unknown option %s\n%s", word.c_str(), Usage), 2;
    else
      options.results = word;
  }
  if (time)
    return printTimes(options);
  if (options.results.empty() && !options.check) {
    std::fprintf(stderr, "kiln-math-sweep: no file for the results\n%s", Usage);
    return 2;
  }
  return table ? printTable(options.results) : run(options);
}
