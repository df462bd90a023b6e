// The options of clBuildProgram that apply to SPIR-V as well as to source, one member each, named after what is set.
// BuildOptions.cpp has the option of each member. They are a field of the compiler's request, so the cache's key
// contains them.
#pragma once
#include <cstddef>
#include <tuple>
#include <utility>

namespace kiln::protocol {

struct CodeFlags {
  bool debug = false;                // -g: line information, and errors of enqueue_kernel with their reason
  bool unoptimised = false;          // -cl-opt-disable
  bool uniformWorkGroupSize = false; // local sizes divide global sizes
  bool correctlyRounded = false;     // division and square root of floats
  bool denormalsAreZero = false;     // allowed, not required
  bool madEnable = false;            // contraction
  bool noSignedZeros = false;
  bool unsafeMath = false;
  bool finiteMath = false;
  bool relaxedMath = false; // implies unsafeMath and finiteMath, which stay as the application gave them

  bool operator==(const CodeFlags &) const = default;
  auto fields() {
    return std::tie(debug, unoptimised, uniformWorkGroupSize, correctlyRounded, denormalsAreZero, madEnable,
                    noSignedZeros, unsafeMath, finiteMath, relaxedMath);
  }
  /// The flags that both have.
  friend CodeFlags operator&(CodeFlags a, CodeFlags b) {
    return combined(a, b, [](bool x, bool y) { return x && y; });
  }
  /// The flags that one of the two has.
  friend CodeFlags operator|(CodeFlags a, CodeFlags b) {
    return combined(a, b, [](bool x, bool y) { return x || y; });
  }

private:
  template <typename Combine> static CodeFlags combined(CodeFlags a, CodeFlags b, Combine combine) {
    auto into = a.fields();
    const auto other = b.fields();
    [&]<size_t... Index>(std::index_sequence<Index...>) {
      ((std::get<Index>(into) = combine(std::get<Index>(into), std::get<Index>(other))), ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(into)>>());
    return a;
  }
};

} // namespace kiln::protocol
