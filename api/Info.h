// The common rules of all clGet*Info calls (R3) and of calls that return lists of handles (R4).
#pragma once
#include "backends/DeviceInfo.h"
#include "base/support/Status.h"
#include <algorithm>
#include <concepts>
#include <cstring>
#include <ranges>
#include <string_view>

namespace kiln::api {

/// Writes the result of a clGet*Info call. The type is spelled as in the specification's tables:
///   writer.write<cl_uint>(5);  writer.write<char[]>("text");  writer.write<size_t[]>(sizes);
class InfoWriter {
public:
  InfoWriter(size_t size, void *value, size_t *sizeRet) : size_(size), value_(value), sizeRet_(sizeRet) {}

  template <typename T>
  Status write(const T &value)
    requires(!std::is_array_v<T>)
  {
    return bytes(&value, sizeof(T));
  }
  /// Writes a string with its terminator.
  template <typename T>
    requires std::same_as<T, char[]>
  Status write(std::string_view text) {
    KILN_TRY(checkSize(text.size() + 1));
    if (value_) {
      std::memcpy(value_, text.data(), text.size());
      static_cast<char *>(value_)[text.size()] = 0;
    }
    return report(text.size() + 1);
  }
  /// Writes a list, which may be empty.
  template <typename T, std::ranges::contiguous_range List>
    requires(std::is_unbounded_array_v<T> && !std::same_as<T, char[]>)
  Status write(const List &list) {
    static_assert(std::same_as<std::remove_extent_t<T>, std::ranges::range_value_t<List>>);
    return bytes(std::ranges::data(list), std::ranges::size(list) * sizeof(std::remove_extent_t<T>));
  }
  /// Writes the value, or returns the error.
  template <typename T, typename U> Status write(Result<U> value) { return write<T>(KILN_TRY(std::move(value))); }

  Status unknownParam(uint64_t param) const {
    return fail(CL_INVALID_VALUE, "param_name 0x", std::hex, param, " is not a query of this object");
  }

private:
  Status bytes(const void *data, size_t size) {
    KILN_TRY(checkSize(size));
    if (value_ && size)
      std::memcpy(value_, data, size);
    return report(size);
  }
  Status checkSize(size_t needed) const {
    if (value_ && size_ < needed)
      return fail(CL_INVALID_VALUE, "param_value_size is ", size_, ", the result has ", needed, " bytes");
    return {};
  }
  Status report(size_t size) {
    if (sizeRet_)
      *sizeRet_ = size;
    return {};
  }

  size_t size_;
  void *value_;
  size_t *sizeRet_;
};

/// For rows of Queries.def that are valid only under a condition.
template <typename T> Result<T> resultIf(bool condition, T value) {
  if (!condition)
    return fail(CL_INVALID_VALUE, "the query belongs to an extension or feature that the device does not support");
  return value;
}

/// "OpenCL C 1.2 Kiln 0-1-0"
std::string versionText(std::string_view what, cl_version version);
/// Joins the names with spaces.
std::string joinNames(const std::vector<NamedVersion> &list);
/// "SPIR-V_1.0 SPIR-V_1.1"
std::string ilText(const std::vector<NamedVersion> &list);
std::vector<cl_name_version> nameVersions(const std::vector<NamedVersion> &list);

/// Converts objects to handles.
template <typename Handle, typename Object> std::vector<Handle> handles(const std::vector<Object *> &objects) {
  return {objects.begin(), objects.end()};
}

/// R4: writes the first `capacity` elements and the total count. The check is separate because it comes before the
/// elements are computed.
inline Status checkList(cl_uint capacity, const void *out, const void *count) {
  if (out ? capacity == 0 : !count)
    return fail(CL_INVALID_VALUE, out ? "num_entries is 0, must be above 0 if the list is not null"
                                      : "both the list and the count pointer are null");
  return {};
}
template <typename Element, std::ranges::contiguous_range List>
void writeList(const List &list, cl_uint capacity, Element *out, cl_uint *count) {
  if (out)
    std::copy_n(std::ranges::data(list), std::min<size_t>(capacity, std::ranges::size(list)), out);
  if (count)
    *count = cl_uint(std::ranges::size(list));
}

} // namespace kiln::api
