#include "tests/differential/Storage.h"
#include <algorithm>
#include <cstring>

namespace kiln::differential {

size_t bytesOf(Type type) { return bytes(type.kind) * (type.components == 3 ? 4 : type.components); }

size_t offsetOf(const Memory &memory, unsigned member) {
  size_t offset = 0;
  for (unsigned i = 0;; ++i) {
    const size_t size = bytesOf(memory.members[i]);
    offset = (offset + size - 1) / size * size;
    if (i == member)
      return offset;
    offset += size;
  }
}

size_t elementBytes(const Memory &memory) {
  size_t alignment = 1;
  for (Type type : memory.members)
    alignment = std::max(alignment, bytesOf(type));
  const auto last = unsigned(memory.members.size() - 1);
  const size_t end = offsetOf(memory, last) + bytesOf(memory.members[last]);
  return (end + alignment - 1) / alignment * alignment;
}

Storage::Storage(std::vector<uint8_t> initial, size_t size)
    : bytes_(std::move(initial)), hasValue_(size, !bytes_.empty()), writers_(size), readers_(size) {
  bytes_.resize(size);
}

void Storage::checkBounds(size_t offset, size_t size) const {
  if (offset > bytes_.size() || size > bytes_.size() - offset)
    throw Undefined{"access at byte " + std::to_string(offset) + " of " + std::to_string(bytes_.size())};
}

Value Storage::load(size_t offset, Type type, uint32_t item) {
  const size_t size = bytes(type.kind);
  checkBounds(offset, size * type.components);
  for (size_t i = offset; i < offset + size * type.components; ++i) {
    if (!hasValue_[i])
      throw Undefined{"read of local memory without a value"};
    if (writers_[i].interval == interval_ && writers_[i].item != item)
      throw Undefined{"a work-item reads a byte that another one writes"};
    ByteUse &reader = readers_[i];
    reader = {interval_, reader.interval == interval_ && reader.item != item ? ManyItems : item};
  }
  Value value{type, {}};
  for (unsigned component = 0; component < type.components; ++component)
    std::memcpy(&value.components[component], &bytes_[offset + component * size], size);
  return value;
}

void Storage::store(size_t offset, const Value &value, uint32_t item) {
  const size_t size = bytes(value.type.kind);
  checkBounds(offset, size * value.type.components);
  for (size_t i = offset; i < offset + size * value.type.components; ++i) {
    if (writers_[i].interval == interval_ && writers_[i].item != item)
      throw Undefined{"two work-items write the same byte"};
    if (readers_[i].interval == interval_ && readers_[i].item != item)
      throw Undefined{"a work-item writes a byte that another one reads"};
    writers_[i] = {interval_, item};
    hasValue_[i] = true;
  }
  for (unsigned component = 0; component < value.type.components; ++component)
    std::memcpy(&bytes_[offset + component * size], &value.components[component], size);
}

} // namespace kiln::differential
