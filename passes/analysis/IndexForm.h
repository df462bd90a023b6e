// Numbers of a kernel as sums of products of ids, sizes and arguments:
//
//   (group_id(1) * 16 + local_id(1)) * width + global_id(0) + 3
//     = 16 group_id(1) width + local_id(1) width + global_id(0) + 3
//
// A factor may be an id modulo an argument, or divided by it: `i % n`, `i / n`, and `i & (n - 1)` if n is a power of
// two.
//
// A form is equal to the number modulo 2^32, because most indices are computed in 32 bits and then extended.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <map>
#include <optional>
#include <vector>

namespace kiln {

/// A factor of a product: an id or a size of the launch, or an integer argument of the kernel.
struct IndexFactor {
  bool isArgument = false;
  ocl::Query kind = {};
  unsigned number = 0;                                               // of the dimension, or of the argument
  enum class Part : uint8_t { Whole, Low, High } part = Part::Whole; // of an id: all, modulo the divisor, divided by it
  unsigned divisor = 0;                                              // number of the argument
  bool needsPowerOfTwo = false;                                      // the part is right only if the divisor is one

  bool isId() const {
    return !isArgument &&
           (kind == ocl::Query::global_id || kind == ocl::Query::local_id || kind == ocl::Query::group_id);
  }
  auto operator<=>(const IndexFactor &) const = default;
};

struct IndexForm {
  using Product = std::vector<IndexFactor>; // sorted; empty: one
  std::map<Product, int64_t> products;      // and by what each is multiplied, which is not 0

  int64_t constant() const {
    const auto one = products.find({});
    return one == products.end() ? 0 : one->second;
  }
  bool operator==(const IndexForm &) const = default;
};

/// Nothing if the number depends on something else, or if the form is long.
std::optional<IndexForm> indexForm(mlir::Value number);

/// Both give nothing where an operand is nothing or the result is long. Constants stay below 2^30.
std::optional<IndexForm> add(std::optional<IndexForm> a, const std::optional<IndexForm> &b);
std::optional<IndexForm> multiply(const std::optional<IndexForm> &a, const std::optional<IndexForm> &b);
std::optional<IndexForm> constantForm(int64_t number);

} // namespace kiln
