// Decodes instructions by the shapes that tables.py generates from the grammar.
#include "dialects/import/Reader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace mlir;

namespace kiln::import {
namespace {
constexpr uint32_t Magic = 0x07230203;
constexpr size_t HeaderWords = 5;
constexpr uint32_t MaxBound = 0x3fffff; // the specification's universal limit

struct OpRow {
  const char *name;
  const char *shape;
};

const llvm::DenseMap<uint32_t, OpRow> &opRows() {
  static const llvm::DenseMap<uint32_t, OpRow> rows = {
#define KILN_SPIRV_OP(name, opcode, shape) {opcode, {#name, shape}},
      KILN_SPIRV_OPS
#undef KILN_SPIRV_OP
  };
  return rows;
}

/// Returns the length of an operand in words; nullopt if it is malformed.
std::optional<size_t> operand(char letter, ArrayRef<uint32_t> words, uint32_t bound, Instruction &ins) {
  if (words.empty())
    return std::nullopt;
  auto ids = [&](size_t count, size_t length) -> std::optional<size_t> {
    if (words.size() < length)
      return std::nullopt;
    for (uint32_t id : words.take_front(count))
      if (!id || id >= bound)
        return std::nullopt;
    return length;
  };
  switch (letter) {
  case 'T':
    ins.type = words[0];
    return ids(1, 1);
  case 'R':
    ins.result = words[0];
    return ids(1, 1);
  case 'i':
    return ids(1, 1);
  case 'p':
    return ids(2, 2);
  case 'q':
    return ids(1, 2);
  case 's':
    if (auto string = readString(words))
      return string->second;
    return std::nullopt;
  default: // a literal or an enumerant
    return 1;
  }
}

enum class Shape { Fits, Malformed, TooLong };

/// Matches operands against the letters of tables.py. Sets `used` to the number of valid words.
Shape match(const char *shape, ArrayRef<uint32_t> operands, uint32_t bound, Instruction &ins, size_t &used) {
  for (; *shape && *shape != '.'; ++shape) {
    char letter = *shape;
    bool optional = shape[1] == '?', repeated = shape[1] == '*';
    shape += optional || repeated;
    if ((optional || repeated) && used == operands.size())
      continue;
    do {
      std::optional<size_t> length = operand(letter, operands.drop_front(used), bound, ins);
      if (!length)
        return Shape::Malformed;
      used += *length;
    } while (repeated && used < operands.size());
  }
  return *shape == '.' || used == operands.size() ? Shape::Fits : Shape::TooLong;
}

class Decoder {
public:
  Decoder(ArrayRef<uint8_t> bytes, MLIRContext &context) : bytes_(bytes), context_(context) {}

  std::optional<Binary> run() {
    if (failed(header()))
      return std::nullopt;
    ArrayRef<uint32_t> words = binary_.words;
    for (size_t at = HeaderWords; at < words.size();) {
      uint32_t first = words[at];
      size_t length = first >> 16;
      if (!length || length > words.size() - at)
        return fail(at) << "an instruction of " << length << " words exceeds the module", std::nullopt;
      if (failed(instruction(at, first & 0xffff, words.slice(at + 1, length - 1))))
        return std::nullopt;
      at += length;
    }
    return std::move(binary_);
  }

private:
  LogicalResult header() {
    if (bytes_.size() % 4 || bytes_.size() < HeaderWords * 4)
      return emitError(UnknownLoc::get(&context_))
             << "invalid SPIR-V: length is " << bytes_.size() << " bytes, must be whole words and at least a header";
    bool little = llvm::support::endian::read32le(bytes_.data()) == Magic;
    if (!little && llvm::support::endian::read32be(bytes_.data()) != Magic)
      return emitError(UnknownLoc::get(&context_)) << "invalid SPIR-V: no magic number";
    binary_.words.resize(bytes_.size() / 4);
    for (size_t i = 0; i < binary_.words.size(); ++i)
      binary_.words[i] =
          little ? llvm::support::endian::read32le(&bytes_[4 * i]) : llvm::support::endian::read32be(&bytes_[4 * i]);
    binary_.version = binary_.words[1];
    if (binary_.version & 0xff0000ff || binary_.version < 0x00010000 || binary_.version > 0x00010600)
      return fail(1) << "version word 0x" << llvm::utohexstr(binary_.version) << " is not 1.0 to 1.6";
    bound_ = binary_.words[3];
    if (!bound_ || bound_ > MaxBound)
      return fail(3) << "id bound " << bound_ << " is not in 1 to " << MaxBound;
    if (binary_.words[4])
      return fail(4) << "schema is not 0";
    return success();
  }

  LogicalResult instruction(size_t at, uint32_t opcode, ArrayRef<uint32_t> operands) {
    auto row = opRows().find(opcode);
    if (row == opRows().end())
      return fail(at) << "unknown opcode " << opcode;
    Instruction ins{static_cast<spv::Op>(opcode), static_cast<uint32_t>(at), 0, 0, operands};
    size_t used = 0;
    switch (match(row->second.shape, operands, bound_, ins, used)) {
    case Shape::Malformed:
      return fail(at) << row->second.name << " has a missing or malformed operand at word " << at + 1 + used;
    case Shape::TooLong:
      return fail(at) << row->second.name << " has " << operands.size() - used << " words too many";
    case Shape::Fits:
      break;
    }
    ins.args = operands.drop_front((ins.type != 0) + (ins.result != 0));
    if (ins.result && !binary_.definitions.try_emplace(ins.result, static_cast<uint32_t>(binary_.code.size())).second)
      return fail(at) << "id " << ins.result << " is defined twice";
    binary_.code.push_back(ins);
    return success();
  }

  InFlightDiagnostic fail(size_t at) {
    return emitError(UnknownLoc::get(&context_)) << "invalid SPIR-V at word " << at << ": ";
  }

  ArrayRef<uint8_t> bytes_;
  MLIRContext &context_;
  Binary binary_;
  uint32_t bound_ = 0;
};
} // namespace

std::string opcodeName(spv::Op op) {
  auto row = opRows().find(static_cast<uint32_t>(op));
  return row == opRows().end() ? "opcode " + std::to_string(static_cast<uint32_t>(op)) : row->second.name;
}

bool hasShape(spv::Op op, llvm::ArrayRef<uint32_t> args) {
  auto row = opRows().find(static_cast<uint32_t>(op));
  if (row == opRows().end())
    return false;
  llvm::StringRef shape = row->second.shape;
  if (!shape.consume_front("TR"))
    return false;
  Instruction ignored;
  size_t used = 0;
  return match(shape.data(), args, MaxBound, ignored, used) == Shape::Fits;
}

std::optional<std::pair<std::string, size_t>> readString(llvm::ArrayRef<uint32_t> args) {
  std::string text;
  for (size_t i = 0; i < args.size(); ++i)
    for (unsigned shift = 0; shift < 32; shift += 8) {
      char c = static_cast<char>(args[i] >> shift);
      if (!c)
        return std::make_pair(std::move(text), i + 1);
      text += c;
    }
  return std::nullopt;
}

const Instruction *Binary::definition(uint32_t id) const {
  auto found = definitions.find(id);
  return found == definitions.end() ? nullptr : &code[found->second];
}

std::optional<Binary> decode(llvm::ArrayRef<uint8_t> bytes, mlir::MLIRContext &context) {
  return Decoder(bytes, context).run();
}

} // namespace kiln::import
