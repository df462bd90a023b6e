// Buffers and local arrays of a kernel.
#include "tests/differential/people/Kernel.h"
#include <algorithm>
#include <cstring>

namespace kiln::differential::people {

/// Chooses small numbers in most cases, else the whole range of the type.
void Kernel::chooseBounds(Kind kind, Wide &low, Wide &high) {
  if (isFloat(kind)) {
    low = random.of(0, -100, -1000), high = random.of(1, 100, 1000);
  } else if (random.chance(25) && bytes(kind) < 8) {
    low = lowest(kind), high = highest(kind);
  } else {
    low = isSigned(kind) ? random.of(0, -1, -100) : 0, high = random.of(1, 10, 100, 127);
  }
}

std::vector<uint8_t> Kernel::contents(const Memory &memory, Wide low, Wide high) {
  std::vector<uint8_t> result(memory.elements * elementBytes(memory), 0);
  for (size_t i = 0; i < memory.elements; ++i)
    for (unsigned member = 0; member < memory.members.size(); ++member) {
      const Type type = memory.members[member];
      for (unsigned component = 0; component < type.components; ++component) {
        const Wide quarters = Wide(random.next() % uint64_t(4 * (high - low) + 1));
        const uint64_t bits = withNumber(type.kind, [&](auto zero) {
          using T = decltype(zero);
          if constexpr (std::is_floating_point_v<T>)
            return toBits<T>(T(low) + T(quarters) / 4);
          else
            return toBits<T>(T(low + quarters / 4));
        });
        std::memcpy(&result[i * elementBytes(memory) + offsetOf(memory, member) + component * bytes(type.kind)], &bits,
                    bytes(type.kind));
      }
    }
  return result;
}

unsigned Kernel::addMemory(Memory memory, Wide low, Wide high) {
  program_.memories.push_back(std::move(memory));
  limits_.push_back({low, high});
  return unsigned(program_.memories.size() - 1);
}

unsigned Kernel::structs(std::vector<Type> members, size_t elements) {
  Wide low = 0, high = 100;
  if (members.size() == 1)
    chooseBounds(members[0].kind, low, high);
  Memory memory{Memory::Space::ConstGlobal, std::move(members), elements, unsigned(program_.storages.size())};
  program_.storages.push_back(contents(memory, low, high));
  return addMemory(std::move(memory), low, high);
}

unsigned Kernel::input(Type type) {
  for (unsigned i = 0; i < program_.memories.size(); ++i)
    if (program_.memories[i].space == Memory::Space::ConstGlobal &&
        program_.memories[i].members == std::vector<Type>{type} && random.chance(70))
      return i;
  const size_t elements = random.chance(50) ? items() : random.of(64u, 100u, 256u, 1000u, 1024u, 4096u);
  return structs({type}, elements);
}

unsigned Kernel::anyInput(bool isOfFloats) {
  std::vector<unsigned> fitting;
  for (unsigned i = 0; i < program_.memories.size(); ++i)
    if (program_.memories[i].space == Memory::Space::ConstGlobal && program_.memories[i].members.size() == 1 &&
        isFloat(typeOf(i).kind) == isOfFloats && typeOf(i).components == 1)
      fitting.push_back(i);
  if (!fitting.empty() && random.chance(60 + 10 * unsigned(fitting.size())))
    return random.among(fitting);
  return input({isOfFloats ? random.of(Kind::F32, Kind::F32, Kind::F64) : anyInteger(), 1});
}

unsigned Kernel::output(std::vector<Type> members, size_t elements) {
  Memory memory{Memory::Space::Global, std::move(members), elements, unsigned(program_.storages.size())};
  program_.storages.emplace_back(elements * elementBytes(memory), uint8_t(Untouched));
  return addMemory(std::move(memory), 0, 0);
}

unsigned Kernel::alias(unsigned memory, Memory::Space space) {
  Memory other = program_.memories[memory];
  other.space = space;
  return addMemory(std::move(other), limits_[memory].low, limits_[memory].high);
}

unsigned Kernel::local(Kind kind, size_t elements, Wide low, Wide high) {
  return addMemory({Memory::Space::Local, {{kind, 1}}, elements}, low, high);
}

Expression Kernel::loadVector(unsigned memory, Expression index, Type type, unsigned member) {
  Expression result{.what = Expression::What::Load, .type = type};
  result.number = memory;
  result.components = {member};
  result.operands.push_back(std::move(index));
  return result;
}
Bounded Kernel::load(unsigned memory, Expression index, unsigned member) {
  return {loadVector(memory, std::move(index), typeOf(memory, member), member), limits_[memory].low,
          limits_[memory].high};
}

void Kernel::storeVector(unsigned memory, Expression index, Expression value, unsigned member) {
  Statement statement{.what = Statement::What::Store, .component = member, .array = memory};
  statement.expressions = {std::move(index), std::move(value)};
  emit(std::move(statement));
}
void Kernel::store(unsigned memory, Expression index, Bounded value, unsigned member) {
  storeVector(memory, std::move(index), assigned(std::move(value), typeOf(memory, member).kind).expression, member);
}

} // namespace kiln::differential::people
