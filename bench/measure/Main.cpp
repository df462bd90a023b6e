// The installed kiln-bench: kernels of the user and bundles. Kiln's own benchmarks are not in it, because their native
// loops are compiled for the machine that built them.
#include "bench/measure/Measure.h"
#include "bench/opencl/CacheFolder.h"
#include <cstdio>
#include <cstring>

int main(int count, char **arguments) {
  if (count == 2 && std::strcmp(arguments[1], "--help") == 0) {
    fputs(bench::RequestUsage, stdout);
    return 0;
  }
  try {
    if (!bench::isRequest(count, arguments))
      throw std::runtime_error("neither --source nor a bundle is given; see kiln-bench --help. Kiln's own benchmarks "
                               "run in a clone of its sources, with ./kiln bench");
    const bench::Request request = bench::parseRequest(count, arguments);
    bench::CacheFolder caches;
    return bench::measureRequest(request, arguments[0]);
  } catch (const std::exception &error) {
    fprintf(stderr, "kiln-bench: %s\n", error.what());
    return 1;
  }
}
