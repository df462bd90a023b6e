#include "runtime/program/Binary.h"

namespace kiln {
namespace {

// Changes with the format, so that binaries of other versions are rejected.
constexpr uint8_t Magic[8] = {'K', 'i', 'l', 'n', 'b', 'i', 'n', 3};

/// Detects accidental damage; does not authenticate.
uint64_t checksum(const uint8_t *data, size_t size) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ data[i]) * 0x100000001b3;
  return hash ^ size;
}

} // namespace

wire::Bytes packBinary(const ProgramModule &module) {
  wire::Bytes body = wire::pack(module);
  uint64_t sum = checksum(body.data(), body.size());
  wire::Bytes bytes(Magic, Magic + sizeof Magic);
  auto *sumBytes = reinterpret_cast<const uint8_t *>(&sum);
  bytes.insert(bytes.end(), sumBytes, sumBytes + sizeof sum);
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

std::optional<ProgramModule> unpackBinary(std::span<const uint8_t> bytes) {
  constexpr size_t Head = sizeof Magic + sizeof(uint64_t);
  if (bytes.size() < Head || std::memcmp(bytes.data(), Magic, sizeof Magic))
    return {};
  uint64_t sum;
  std::memcpy(&sum, bytes.data() + sizeof Magic, sizeof sum);
  std::span<const uint8_t> body = bytes.subspan(Head);
  if (sum != checksum(body.data(), body.size()))
    return {};
  ProgramModule module;
  wire::Reader reader(body.data(), body.size());
  reader.read(module);
  bool knownType = module.binaryType == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
                   module.binaryType == CL_PROGRAM_BINARY_TYPE_LIBRARY ||
                   module.binaryType == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  if (!reader.finished() || !knownType || module.spirv.empty())
    return {};
  return module;
}

} // namespace kiln
