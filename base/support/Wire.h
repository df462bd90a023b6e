// Serialisation of structs for sockets and files. A struct lists its members once, in `auto fields() { return
// std::tie(a, b, c); }`; writing and reading follow from it. The reader checks every length; after an invalid one it
// fails, and everything it reads is empty.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace kiln::wire {

using Bytes = std::vector<uint8_t>;

template <typename T>
concept Scalar = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <typename T>
concept Record = requires(T value) { value.fields(); };

class Writer {
public:
  template <Scalar T> void write(const T &value) { raw(&value, sizeof value); }
  void write(const std::string &text) { writeSize(text.size()), raw(text.data(), text.size()); }
  template <typename T> void write(const std::vector<T> &list) {
    writeSize(list.size());
    if constexpr (sizeof(T) == 1)
      raw(list.data(), list.size());
    else
      for (const T &element : list)
        write(element);
  }
  template <typename T, size_t N> void write(const std::array<T, N> &list) {
    for (const T &element : list)
      write(element);
  }
  template <Record T> void write(const T &record) {
    std::apply([&](auto &...field) { (write(field), ...); }, const_cast<T &>(record).fields());
  }
  Bytes take() { return std::move(bytes_); }

private:
  void writeSize(uint64_t size) { raw(&size, sizeof size); }
  void raw(const void *data, size_t size) {
    auto *first = static_cast<const uint8_t *>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  Bytes bytes_;
};

class Reader {
public:
  Reader(const void *data, size_t size) : next_(static_cast<const uint8_t *>(data)), left_(size) {}
  explicit Reader(const Bytes &bytes) : Reader(bytes.data(), bytes.size()) {}

  template <Scalar T> void read(T &value) {
    value = {};
    if constexpr (std::is_same_v<T, bool>) {
      uint8_t byte = 0;
      raw(&byte, 1);
      value = byte != 0;
    } else {
      raw(&value, sizeof value);
    }
  }
  void read(std::string &text) {
    text.resize(readSize(1));
    raw(text.data(), text.size());
  }
  template <typename T> void read(std::vector<T> &list) {
    list.clear();
    list.resize(readSize(Smallest<T>::bytes));
    if constexpr (sizeof(T) == 1)
      raw(list.data(), list.size());
    else
      for (T &element : list)
        read(element);
  }
  template <typename T, size_t N> void read(std::array<T, N> &list) {
    for (T &element : list)
      read(element);
  }
  template <Record T> void read(T &record) {
    std::apply([&](auto &...field) { (read(field), ...); }, record.fields());
  }

  bool ok() const { return ok_; }
  /// Returns true if all bytes were read and none was missing.
  bool finished() const { return ok_ && left_ == 0; }

private:
  // An element takes at least this many bytes, so a forged count cannot allocate much more memory than there are bytes.
  template <typename T> struct Smallest {
    static constexpr size_t bytes = sizeof(uint64_t); // texts and lists: their size
  };
  template <Scalar T> struct Smallest<T> {
    static constexpr size_t bytes = sizeof(T);
  };
  template <typename T, size_t N> struct Smallest<std::array<T, N>> {
    static constexpr size_t bytes = N * Smallest<T>::bytes;
  };
  template <typename... Fields> struct Smallest<std::tuple<Fields &...>> {
    static constexpr size_t bytes = (Smallest<Fields>::bytes + ...);
  };
  template <Record T> struct Smallest<T> : Smallest<decltype(std::declval<T &>().fields())> {};
  size_t readSize(size_t elementBytes) {
    uint64_t count = 0;
    raw(&count, sizeof count);
    if (count > left_ / elementBytes) {
      ok_ = false, left_ = 0;
      return 0;
    }
    return count;
  }
  void raw(void *data, size_t size) {
    if (size > left_) {
      ok_ = false, left_ = 0;
      return;
    }
    if (size)
      std::memcpy(data, next_, size);
    next_ += size, left_ -= size;
  }
  const uint8_t *next_;
  size_t left_;
  bool ok_ = true;
};

template <typename T> Bytes pack(const T &record) {
  Writer writer;
  writer.write(record);
  return writer.take();
}

/// Returns false unless the bytes are exactly one such record.
template <typename T> bool unpack(const Bytes &bytes, T &record) {
  Reader reader(bytes);
  reader.read(record);
  return reader.finished();
}

} // namespace kiln::wire
