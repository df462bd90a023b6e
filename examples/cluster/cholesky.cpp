// A tiled Cholesky factorisation A = L * L^T over StarPU-MPI. Tiles are distributed in a block-cyclic way. Every tile's
// updates are in one order, that of k, whatever the number of ranks: StarPU keeps the order of submission of the tasks
// that write one tile. So the result has the same bits at any number of ranks.
//
//   mpirun -n 4 kiln-cholesky [--size=N] [--tile=N] [--result=FILE] [--timeline=PREFIX] [--progress=1]
#include "examples/cluster/Rank.h"

#include <cmath>
#include <cstdio>

using namespace cluster;

namespace {

/// Symmetric and positive definite: the diagonal is larger than the sum of the rest of its row.
double element(int row, int column, int size) {
  return row == column ? 2.0 + std::log2(double(size)) * 2 : 1.0 / (1 + std::abs(row - column));
}

class Cholesky {
public:
  Cholesky(Rank &rank, int size, int tile)
      : rank_(rank), size_(size), tile_(tile), tiles_(size / tile),
        bytes_(sizeof(double) * size_t(tile) * size_t(tile)) {
    for (int p = 1; p * p <= rank.count(); ++p) // the most square grid of ranks
      if (rank.count() % p == 0)
        rows_ = p;
    rank.build("cholesky", program_);
    for (int j = 0; j < tiles_; ++j)
      for (int i = j; i < tiles_; ++i)
        create(i, j);
  }
  ~Cholesky() {
    for (starpu_data_handle_t handle : handles_)
      if (handle)
        starpu_data_unregister(handle);
    for (double *tile : memory_)
      if (tile)
        starpu_free_flags(tile, bytes_, STARPU_MALLOC_PINNED);
    starpu_opencl_unload_opencl(&program_);
  }

  void factorise() {
    const size_t n = size_t(tile_);
    const size_t group = std::min<size_t>(n, 64);
    for (int k = 0; k < tiles_; ++k) {
      submit(potrf_, {{group}, {group}, tile_, {}}, {handle(k, k)}, k, k, 3, "potrf", k);
      for (int i = k + 1; i < tiles_; ++i)
        submit(trsm_, {{n}, {}, tile_, {}}, {handle(k, k), handle(i, k)}, i, k, 2, "trsm", k);
      for (int j = k + 1; j < tiles_; ++j)
        for (int i = j; i < tiles_; ++i)
          submit(gemm_, {{n, n / 8}, {}, tile_, {}}, {handle(i, k), handle(j, k), handle(i, j)}, i, j,
                 j == k + 1 ? 1 : 0, "gemm", k);
    }
  }

  /// Compares A * x with L * (L^T * x). Returns the largest difference, relative to the largest element of A * x.
  double residual() {
    std::vector<double> x(size_t(size_), 0), ax(x), y(x), lower(x);
    for (int i = 0; i < size_; ++i)
      x[size_t(i)] = 1.0 + double(i % 7) / 8;
    for (int i = rank_.number(); i < size_; i += rank_.count())
      for (int j = 0; j < size_; ++j)
        ax[size_t(i)] += element(i, j, size_) * x[size_t(j)];
    eachElement([&](int i, int j, double value) { y[size_t(j)] += value * x[size_t(i)]; });
    sum(ax);
    sum(y);
    eachElement([&](int i, int j, double value) { lower[size_t(i)] += value * y[size_t(j)]; });
    sum(lower);
    double worst = 0, largest = 0;
    for (int i = 0; i < size_; ++i) {
      worst = std::fmax(worst, std::fabs(ax[size_t(i)] - lower[size_t(i)]));
      largest = std::fmax(largest, std::fabs(ax[size_t(i)]));
    }
    return worst / largest;
  }

  void write() {
    eachOwnTile(
        [&](int i, int j, const double *tile) { rank_.writeResult(uint64_t(index(i, j)) * bytes_, tile, bytes_); });
  }

private:
  size_t index(int i, int j) const { return size_t(j) * size_t(tiles_) + size_t(i); }
  int owner(int i, int j) const { return i % rows_ * (rank_.count() / rows_) + j % (rank_.count() / rows_); }
  starpu_data_handle_t handle(int i, int j) const { return handles_[index(i, j)]; }

  void create(int i, int j) {
    handles_.resize(size_t(tiles_) * size_t(tiles_));
    memory_.resize(handles_.size());
    double *&tile = memory_[index(i, j)];
    const bool own = owner(i, j) == rank_.number();
    if (own) {
      if (starpu_malloc_flags(reinterpret_cast<void **>(&tile), bytes_, STARPU_MALLOC_PINNED))
        rank_.fail("no host memory for a tile of " + std::to_string(bytes_) + " bytes");
      for (int c = 0; c < tile_; ++c)
        for (int r = 0; r < tile_; ++r)
          tile[c * tile_ + r] = element(i * tile_ + r, j * tile_ + c, size_);
    }
    starpu_vector_data_register(&handles_[index(i, j)], own ? STARPU_MAIN_RAM : -1, uintptr_t(tile),
                                uint32_t(tile_ * tile_), sizeof(double));
    starpu_mpi_data_register(handle(i, j), int(index(i, j)), owner(i, j));
  }

  void submit(Codelet &codelet, const Codelet::Launch &launch, const std::vector<starpu_data_handle_t> &handles, int i,
              int j, int priority, const char *name, int k) {
    rank_.submit(codelet, launch, handles, owner(i, j), priority,
                 std::string(name) + " " + std::to_string(i) + "," + std::to_string(j) + " k=" + std::to_string(k));
  }

  template <typename Visit> void eachOwnTile(Visit visit) {
    for (int j = 0; j < tiles_; ++j)
      for (int i = j; i < tiles_; ++i)
        if (owner(i, j) == rank_.number()) {
          starpu_data_acquire(handle(i, j), STARPU_R);
          visit(i, j, memory_[index(i, j)]);
          starpu_data_release(handle(i, j));
        }
  }
  /// Visits this rank's elements of the lower triangle.
  template <typename Visit> void eachElement(Visit visit) {
    eachOwnTile([&](int i, int j, const double *tile) {
      for (int c = 0; c < tile_; ++c)
        for (int r = i == j ? c : 0; r < tile_; ++r)
          visit(i * tile_ + r, j * tile_ + c, tile[c * tile_ + r]);
    });
  }
  static void sum(std::vector<double> &values) {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), int(values.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }

  Rank &rank_;
  const int size_, tile_, tiles_;
  const size_t bytes_; // of a tile
  int rows_ = 1;       // of the grid of ranks
  starpu_opencl_program program_;
  Codelet potrf_{"potrf", {STARPU_RW}, program_}, trsm_{"trsm", {STARPU_R, STARPU_RW}, program_},
      gemm_{"gemm", {STARPU_R, STARPU_R, STARPU_RW}, program_};
  std::vector<starpu_data_handle_t> handles_;
  std::vector<double *> memory_;
};

} // namespace

int main(int argc, char **argv) {
  constexpr std::string_view Own[] = {"size", "tile"};
  checkOptions(argc, argv, {Own, Rank::Options});
  const int tile = option(argc, argv, "tile", 192, 8, 4096), size = option(argc, argv, "size", 1536, tile, 1 << 20);
  if (tile % 8 || size % tile) {
    std::fprintf(stderr, "--tile is %d, must be a multiple of 8; --size is %d, must be a multiple of --tile\n", tile,
                 size);
    return 2;
  }
  Rank rank(argc, argv, "kiln-cholesky", 3 * sizeof(double) * size_t(tile) * size_t(tile));
  bool right;
  {
    Cholesky cholesky(rank, size, tile);
    cholesky.factorise();
    const double seconds = rank.finish(), residual = cholesky.residual();
    cholesky.write();
    right = residual < 1e-15 * size; // also false for NaN
    if (rank.number() == 0)
      std::printf("cholesky of %d * %d in tiles of %d, ranks: %d: %.3f s, %.2f GFLOP/s, residual %.1e, %s\n", size,
                  size, tile, rank.count(), seconds, double(size) * size * size / 3 / seconds / 1e9, residual,
                  right ? "verified" : "WRONG");
  }
  return right ? 0 : 1;
}
