// Forces between atoms in neighbour lists: scattered loads, and a cutoff that not all neighbours pass.
#include "bench/suite/Bench.h"
#include "bench/suite/native/Particles.h"
#include "bench/suite/native/Threads.h"
#include "bench/suite/reference/Sparse.h"
#include <cmath>

namespace bench {
namespace {

constexpr native::Forces Law{4.5f, 1.0f, 1.0f};

struct Problem {
  explicit Problem(const benchmark::State &state)
      : maxNeighbours(size_t(state.range(1))), atoms(liquid(size_t(state.range(0)))),
        neighbours(neighbourLists(size_t(state.range(0)), maxNeighbours)), count(atoms.size()) {}
  bool isSolvedBy(const std::vector<Vector4> &got) const {
    for (size_t i = 0; i < count; i += 11) // a sample, because the host is slow at this
      if (!isForce(i, got[i], Law.cutoff) && !isForce(i, got[i], Law.cutoff * (1 - CutoffError)) &&
          !isForce(i, got[i], Law.cutoff * (1 + CutoffError)))
        return false;
    return true;
  }

  // The force jumps at the cutoff, and rounding decides on which side a pair is whose distance is almost the cutoff.
  static constexpr double CutoffError = 1e-6;
  bool isForce(size_t atom, const Vector4 &got, double cutoff) const {
    Vector4 expected = lennardJones(atoms, neighbours, maxNeighbours, atom, cutoff, Law.a, Law.b);
    float allowed = 1e-3f * (1 + std::hypot(expected.x, expected.y, expected.z));
    return std::hypot(got.x - expected.x, got.y - expected.y, got.z - expected.z) <= allowed;
  }

  const size_t maxNeighbours;
  const std::vector<Vector4> atoms;
  const std::vector<int32_t> neighbours;
  const size_t count;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem atoms = bench.buffer(problem.atoms), neighbours = bench.buffer(problem.neighbours),
      forces = bench.buffer(problem.count * sizeof(Vector4));
  cl_kernel kernel = bench.kernelOf("lennard_jones", "forces");
  arguments(kernel, atoms, neighbours, forces, cl_int(problem.maxNeighbours), Law.cutoff, Law.a, Law.b,
            cl_int(problem.count));
  auto run = [&] {
    bench.launch(kernel, {roundUp(problem.count, 128)}, {128});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<Vector4>(forces, problem.count)); });
  countItems(state, problem.neighbours.size());
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<Vector4> forces(problem.count);
  auto run = [&] {
    native::forRange(problem.count, 512, [&](native::Range range) {
      native::lennardJones(problem.atoms.data(), problem.neighbours.data(), forces.data(), problem.maxNeighbours, Law,
                           problem.count, range);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(forces); });
  countItems(state, problem.neighbours.size());
}

// Arguments: side of the grid of atoms, neighbours per atom.
const SuiteKernel registered("lennard_jones", onDevice, onHost, {{30, 64}}, {{128, 128}});

} // namespace
} // namespace bench
