// The rules that all clGet*Info calls share (R3), and those of calls that list handles (R4).
#pragma once
#include "backends/DeviceInfo.h"
#include "runtime/support/Status.h"
#include <algorithm>
#include <concepts>
#include <cstring>
#include <ranges>
#include <string_view>

namespace kiln::api {

/// Where the answer of a clGet*Info call goes. The type is spelled as in the specification's tables:
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
  /// A string; its terminator is part of the answer.
  template <typename T>
    requires std::same_as<T, char[]>
  Status write(std::string_view text) {
    KILN_TRY(room(text.size() + 1));
    if (value_) {
      std::memcpy(value_, text.data(), text.size());
      static_cast<char *>(value_)[text.size()] = 0;
    }
    return report(text.size() + 1);
  }
  /// A list of any number of elements, none included.
  template <typename T, std::ranges::contiguous_range List>
    requires(std::is_unbounded_array_v<T> && !std::same_as<T, char[]>)
  Status write(const List &list) {
    static_assert(std::same_as<std::remove_extent_t<T>, std::ranges::range_value_t<List>>);
    return bytes(std::ranges::data(list), std::ranges::size(list) * sizeof(std::remove_extent_t<T>));
  }
  /// An answer that has to be found out first.
  template <typename T, typename U> Status write(Result<U> found) { return write<T>(KILN_TRY(std::move(found))); }

  Status unknownParam(uint64_t param) const {
    return fail(CL_INVALID_VALUE, "there is no query ", param, " of this object");
  }

private:
  Status bytes(const void *data, size_t size) {
    KILN_TRY(room(size));
    if (value_ && size)
      std::memcpy(value_, data, size);
    return report(size);
  }
  Status room(size_t needed) const {
    if (value_ && size_ < needed)
      return fail(CL_INVALID_VALUE, "the answer takes ", needed, " bytes, there is room for ", size_);
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

/// For rows of Queries.def that have an answer only under a condition.
template <typename T> Result<T> resultIf(bool condition, T value) {
  if (!condition)
    return fail(CL_INVALID_VALUE, "the query belongs to an extension or feature that is not there");
  return value;
}

/// "OpenCL C 1.2 Kiln 0-1-0"
std::string versionText(std::string_view what, cl_version version);
/// The names with spaces between.
std::string joinNames(const std::vector<NamedVersion> &list);
/// "SPIR-V_1.0 SPIR-V_1.1"
std::string ilText(const std::vector<NamedVersion> &list);
std::vector<cl_name_version> nameVersions(const std::vector<NamedVersion> &list);

/// Objects as the application knows them.
template <typename Handle, typename Object> std::vector<Handle> handles(const std::vector<Object *> &objects) {
  return {objects.begin(), objects.end()};
}

/// R4: gives out the first `capacity` elements and says how many there are. The check stands apart because it comes
/// before the work of finding the elements.
inline Status checkList(cl_uint capacity, const void *out, const void *count) {
  if (out ? capacity == 0 : !count)
    return fail(CL_INVALID_VALUE,
                out ? "room for 0 elements in a list that is not null" : "neither list nor count asked");
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
