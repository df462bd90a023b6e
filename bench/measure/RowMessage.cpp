#include "bench/measure/RowMessage.h"
#include <string_view>

namespace bench {
namespace {

struct Writer {
  std::string bytes;
  template <typename T> void number(const T &value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  void text(const std::string &value) {
    number(value.size());
    bytes += value;
  }
  template <typename T> size_t count(const std::vector<T> &list) {
    number(list.size());
    return list.size();
  }
};

struct Reader {
  std::string_view bytes;
  template <typename T> void number(T &value) {
    bytes.copy(reinterpret_cast<char *>(&value), sizeof value);
    bytes.remove_prefix(sizeof value);
  }
  void text(std::string &value) {
    size_t size = 0;
    number(size);
    value = bytes.substr(0, size);
    bytes.remove_prefix(size);
  }
  template <typename T> size_t count(std::vector<T> &list) {
    size_t size = 0;
    number(size);
    list.resize(size);
    return size;
  }
};

/// Writes or reads all members, in the same order.
template <typename Stream, typename AnyRow> void transfer(Stream &stream, AnyRow &row) {
  stream.text(row.name);
  stream.text(row.error);
  stream.text(row.label);
  const size_t samples = stream.count(row.sampled.seconds);
  for (size_t i = 0; i < samples; ++i)
    stream.number(row.sampled.seconds[i]);
  stream.number(row.sampled.time);
  stream.number(row.sampled.throttled);
  stream.number(row.work);
  const size_t counters = stream.count(row.counters);
  for (size_t i = 0; i < counters; ++i) {
    stream.text(row.counters[i].name);
    stream.number(row.counters[i].count);
  }
  stream.number(row.peaks);
}

} // namespace

std::string packRow(const Row &row) {
  Writer writer;
  transfer(writer, row);
  return std::move(writer.bytes);
}

Row unpackRow(std::string_view bytes) {
  Reader reader{bytes};
  Row row;
  transfer(reader, row);
  return row;
}

} // namespace bench
