// The heat equation in a box over StarPU-MPI, with halo exchange: the box is cut into slabs in z, whatever the number
// of ranks, and each rank owns consecutive slabs. A step of a slab reads the neighbours' outer planes, which StarPU
// sends between ranks. Every cell's arithmetic is the same at any number of ranks, so the result has the same bits.
//
//   mpirun -n 4 kiln-stencil [--nx=N] [--ny=N] [--nz=N] [--slabs=N] [--steps=N] [--check=0]
//                            [--result=FILE] [--timeline=PREFIX] [--progress=1]
#include "examples/cluster/Heat.h"
#include "examples/cluster/Rank.h"

#include <bit>
#include <cmath>
#include <cstdio>

using namespace cluster;

namespace {

/// The same steps on the host. The kernel's operations are in the same order, and none is fused except fma.
std::vector<float> reference(const Box &box, int steps) {
  std::vector<float> now(box.cells()), next(now);
  auto at = [&](int x, int y, int z) -> float {
    const bool inside = x >= 0 && y >= 0 && z >= 0 && x < box.nx && y < box.ny && z < box.nz;
    return inside ? now[size_t(z) * box.plane() + size_t(y) * size_t(box.nx) + size_t(x)] : 0.0f;
  };
  auto each = [&](auto visit) {
    size_t cell = 0;
    for (int z = 0; z < box.nz; ++z)
      for (int y = 0; y < box.ny; ++y)
        for (int x = 0; x < box.nx; ++x)
          visit(cell++, x, y, z);
  };
  each([&](size_t cell, int x, int y, int z) { now[cell] = initial(box, x, y, z); });
  for (int step = 0; step < steps; ++step) {
    each([&](size_t cell, int x, int y, int z) {
      float sum = ((at(x - 1, y, z) + at(x + 1, y, z)) + (at(x, y - 1, z) + at(x, y + 1, z))) +
                  (at(x, y, z - 1) + at(x, y, z + 1));
      next[cell] = std::fma(Rate, std::fma(-6.0f, now[cell], sum), now[cell]);
    });
    now.swap(next);
  }
  return now;
}

class Stencil {
public:
  Stencil(Rank &rank, const Box &box, int slabs)
      : rank_(rank), box_(box), slab_{box.nx, box.ny, box.nz / slabs}, slabs_(slabs) {
    rank.build("stencil", program_);
    for (int s = 0; s < slabs; ++s)
      for (int phase = 0; phase < 2; ++phase) {
        cells_.push_back(create(owner(s), slab_.cells(), s * slab_.nz, phase == 0));
        bottom_.push_back(create(owner(s), slab_.plane(), s * slab_.nz, phase == 0));
        top_.push_back(create(owner(s), slab_.plane(), (s + 1) * slab_.nz - 1, phase == 0));
      }
    outsideBelow_ = create(0, slab_.plane(), 0, false);
    outsideAbove_ = create(rank.count() - 1, slab_.plane(), 0, false);
  }
  ~Stencil() {
    for (Data &data : all_) {
      starpu_data_unregister(data.handle);
      if (data.memory)
        starpu_free_flags(data.memory, data.bytes, STARPU_MALLOC_PINNED);
    }
    starpu_opencl_unload_opencl(&program_);
  }

  void run(int steps) {
    const Codelet::Launch launch{{size_t(slab_.nx), size_t(slab_.ny), size_t(slab_.nz)}, {}, slab_.nz, Rate};
    for (int step = 0; step < steps; ++step)
      for (int s = 0; s < slabs_; ++s) {
        const size_t from = 2 * size_t(s) + size_t(step % 2), to = 4 * size_t(s) + 1 - from;
        const size_t below = s > 0 ? top_[from - 2] : outsideBelow_;
        const size_t above = s < slabs_ - 1 ? bottom_[from + 2] : outsideAbove_;
        std::vector<starpu_data_handle_t> handles;
        for (size_t data : {cells_[from], below, above, cells_[to], bottom_[to], top_[to]})
          handles.push_back(all_[data].handle);
        const bool atBorder = s > 0 && s < slabs_ - 1 && (owner(s - 1) != owner(s) || owner(s + 1) != owner(s));
        rank_.submit(heat_, launch, handles, owner(s), atBorder ? 1 : 0,
                     "step " + std::to_string(step) + " slab " + std::to_string(s));
      }
  }

  /// Writes this rank's slabs to the result file. Returns the number of cells whose bits differ from `expected`, which
  /// may be empty.
  long writeAndCompare(int steps, const std::vector<float> &expected) {
    long wrong = 0;
    for (int s = 0; s < slabs_; ++s) {
      if (owner(s) != rank_.number())
        continue;
      const Data &data = all_[cells_[2 * size_t(s) + size_t(steps % 2)]];
      const size_t first = size_t(s) * slab_.cells();
      starpu_data_acquire(data.handle, STARPU_R);
      rank_.writeResult(first * sizeof(float), data.memory, data.bytes);
      for (size_t i = 0; i < slab_.cells() && !expected.empty(); ++i)
        wrong += std::bit_cast<uint32_t>(data.memory[i]) != std::bit_cast<uint32_t>(expected[first + i]);
      starpu_data_release(data.handle);
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return wrong;
  }

private:
  struct Data {
    starpu_data_handle_t handle;
    float *memory; // null on other ranks than the owner
    size_t bytes;
  };
  int owner(int slab) const { return slab * rank_.count() / slabs_; }

  /// Creates planes from z on. Returns their index in `all_`. Zeros if not `filled`.
  size_t create(int owner, size_t cells, int z, bool filled) {
    Data data{nullptr, nullptr, cells * sizeof(float)};
    if (owner == rank_.number()) {
      if (starpu_malloc_flags(reinterpret_cast<void **>(&data.memory), data.bytes, STARPU_MALLOC_PINNED))
        rank_.fail("no host memory for " + std::to_string(data.bytes) + " bytes");
      for (size_t i = 0; i < cells; ++i) {
        const size_t inPlane = i % box_.plane();
        data.memory[i] = filled ? initial(box_, int(inPlane % size_t(box_.nx)), int(inPlane / size_t(box_.nx)),
                                          z + int(i / box_.plane()))
                                : 0.0f;
      }
    }
    starpu_vector_data_register(&data.handle, data.memory ? STARPU_MAIN_RAM : -1, uintptr_t(data.memory),
                                uint32_t(cells), sizeof(float));
    starpu_mpi_data_register(data.handle, int(all_.size()), owner);
    all_.push_back(data);
    return all_.size() - 1;
  }

  Rank &rank_;
  const Box box_, slab_;
  const int slabs_;
  starpu_opencl_program program_;
  Codelet heat_{"heat", {STARPU_R, STARPU_R, STARPU_R, STARPU_W, STARPU_W, STARPU_W}, program_};
  std::vector<Data> all_;
  std::vector<size_t> cells_, bottom_, top_; // of slab s: 2 * s and 2 * s + 1, which steps use in turn
  size_t outsideBelow_ = 0, outsideAbove_ = 0;
};

} // namespace

int main(int argc, char **argv) {
  constexpr std::string_view Own[] = {"nx", "ny", "nz", "slabs", "steps", "check"};
  checkOptions(argc, argv, {Own, Rank::Options});
  const Box box{option(argc, argv, "nx", 128, 1, 4096), option(argc, argv, "ny", 128, 1, 4096),
                option(argc, argv, "nz", 128, 1, 1 << 20)};
  const int slabs = option(argc, argv, "slabs", 8, 1, box.nz), steps = option(argc, argv, "steps", 20, 1, 1 << 20);
  const bool check = option(argc, argv, "check", 1, 0, 1);
  if (box.nz % slabs) {
    std::fprintf(stderr, "--nz is %d, must be a multiple of --slabs, which is %d\n", box.nz, slabs);
    return 2;
  }
  const size_t planes = 2 * size_t(box.nz / slabs) + 4;
  Rank rank(argc, argv, "kiln-stencil", planes * box.plane() * sizeof(float));
  if (slabs < rank.count())
    rank.fail("--slabs is " + std::to_string(slabs) + ", must be at least the number of ranks");
  long wrong;
  {
    Stencil stencil(rank, box, slabs);
    stencil.run(steps);
    const double seconds = rank.finish();
    wrong = stencil.writeAndCompare(steps, check ? reference(box, steps) : std::vector<float>());
    const char *outcome = wrong ? "WRONG" : check ? "verified" : "not checked";
    if (rank.number() == 0)
      std::printf("stencil of %d * %d * %d in %d slabs, %d steps, ranks: %d: %.3f s, %.3f Gcells/s, %s\n", box.nx,
                  box.ny, box.nz, slabs, steps, rank.count(), seconds, double(box.cells()) * steps / seconds / 1e9,
                  outcome);
  }
  return wrong ? 1 : 0;
}
