// All shortest paths of a graph, one launch per node.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Dense.h"
#include "bench/suite/native/Threads.h"
#include <algorithm>

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state)
      : nodes(size_t(state.range(0))), edges(randomWords(nodes * nodes, 1)) {
    for (uint32_t &edge : edges) // 15 of 16 node pairs have no edge
      edge = edge % 16 ? 1u << 30 : 1 + edge / 16 % 1000;
    for (size_t node = 0; node < nodes; ++node)
      edges[node * nodes + node] = 0;
  }
  bool isSolvedBy(const std::vector<uint32_t> &got) const {
    std::vector<uint32_t> distances = edges;
    for (size_t middle = 0; middle < nodes; ++middle)
      for (size_t from = 0; from < nodes; ++from)
        for (size_t to = 0; to < nodes; ++to)
          distances[from * nodes + to] =
              std::min(distances[from * nodes + to], distances[from * nodes + middle] + distances[middle * nodes + to]);
    return got == distances;
  }

  const size_t nodes;
  std::vector<uint32_t> edges;
};

// Each run starts from the edge lengths.
void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  size_t nodes = problem.nodes, bytes = nodes * nodes * sizeof(uint32_t);
  Mem edges = bench.buffer(problem.edges), distances = bench.buffer(bytes);
  cl_kernel kernel = bench.kernelOf("floyd_warshall", "lead_over");
  auto run = [&] {
    check(clEnqueueCopyBuffer(bench.queue, edges, distances, 0, 0, bytes, 0, nullptr, nullptr), "clEnqueueCopyBuffer");
    for (size_t middle = 0; middle < nodes; ++middle) {
      arguments(kernel, distances, cl_uint(nodes), cl_uint(middle));
      bench.launch(kernel, {roundUp(nodes, 16), roundUp(nodes, 16)}, {16, 16});
    }
    bench.finish();
  };
  verifyAndMeasure(bench, state, run,
                   [&] { return problem.isSolvedBy(bench.read<uint32_t>(distances, nodes * nodes)); });
  countItems(state, nodes * nodes * nodes);
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  size_t nodes = problem.nodes;
  std::vector<uint32_t> distances(nodes * nodes);
  auto run = [&] {
    std::copy(problem.edges.begin(), problem.edges.end(), distances.begin());
    for (size_t middle = 0; middle < nodes; ++middle)
      native::forRange(nodes, 64,
                       [&](native::Rows rows) { native::shortenOver(distances.data(), nodes, middle, rows); });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(distances); });
  countItems(state, nodes * nodes * nodes);
}

const SuiteKernel registered("floyd_warshall", onDevice, onHost, {{400}}, {{2048}});

} // namespace
} // namespace bench
