#include "dialects/import/DebugInfo.h"
#include "dialects/import/CompositeType.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace mlir;

namespace kiln::import {
namespace {
// Instruction numbers, the same in both sets.
enum Number : uint32_t {
  TypeBasic = 2,
  TypePointer = 3,
  TypeQualifier = 4,
  TypeArray = 5,
  TypeVector = 6,
  Typedef = 7,
  TypeEnum = 9,
  TypeComposite = 10,
  TypeMember = 11,
  GlobalVariable = 18,
  DebugFunction = 20,
  LexicalBlock = 21,
  LexicalBlockDiscriminator = 22,
  Scope = 23,
  NoScope = 24,
  LocalVariable = 26,
  Declare = 28,
  Value = 29,
  Operation = 30,
  Expression = 31,
  Source = 35,
};

constexpr unsigned MaxDepth = 64;                   // of types and blocks
constexpr uint64_t MaxElements = uint64_t(1) << 32; // of an array
constexpr uint64_t MaxBytes = uint64_t(1) << 40;    // of a type: its size in bits fits 64 bits
constexpr llvm::StringLiteral WithLiterals = "OpenCL.DebugInfo.100";
constexpr llvm::StringLiteral WithConstants = "NonSemantic.Shader.DebugInfo.100";

unsigned encodingOf(uint64_t encoding) {
  using namespace llvm::dwarf;
  constexpr unsigned encodings[] = {0,
                                    DW_ATE_address,
                                    DW_ATE_boolean,
                                    DW_ATE_float,
                                    DW_ATE_signed,
                                    DW_ATE_signed_char,
                                    DW_ATE_unsigned,
                                    DW_ATE_unsigned_char};
  return encoding < std::size(encodings) ? encodings[encoding] : 0;
}

uint64_t bitsOf(LLVM::DITypeAttr type) {
  if (auto basic = dyn_cast_if_present<LLVM::DIBasicTypeAttr>(type))
    return basic.getSizeInBits();
  if (auto derived = dyn_cast_if_present<LLVM::DIDerivedTypeAttr>(type))
    return derived.getSizeInBits();
  if (auto composite = dyn_cast_if_present<LLVM::DICompositeTypeAttr>(type))
    return composite.getSizeInBits();
  return 0;
}
} // namespace

std::optional<uint32_t> DebugInfo::numberOf(const Instruction *ins) const {
  if (!ins || ins->op != spv::Op::ExtInst || ins->args.size() < 2)
    return std::nullopt;
  std::string set = setOf(*ins);
  if (set != WithLiterals && set != WithConstants)
    return std::nullopt;
  return ins->args[1];
}

std::string DebugInfo::setOf(const Instruction &ins) const {
  const Instruction *set = module_.definition(ins.args[0]);
  return set && set->op == spv::Op::ExtInstImport ? readString(set->args)->first : std::string();
}

const Instruction *DebugInfo::find(uint32_t id, uint32_t number) const {
  const Instruction *ins = id ? module_.definition(id) : nullptr;
  return numberOf(ins) == number ? ins : nullptr;
}

uint32_t DebugInfo::operand(const Instruction &ins, size_t index) const {
  return index + 2 < ins.args.size() ? ins.args[index + 2] : 0;
}

uint64_t DebugInfo::constant(const Instruction &ins, size_t index) const {
  uint32_t id = operand(ins, index);
  return id ? module_.integer(id).value_or(0) : 0;
}

uint64_t DebugInfo::number(const Instruction &ins, size_t index) const {
  return setOf(ins) == WithLiterals ? operand(ins, index) : constant(ins, index);
}

StringAttr DebugInfo::text(const Instruction &ins, size_t index) const {
  std::optional<std::string> string = module_.string(operand(ins, index));
  return StringAttr::get(&module_.context(), string.value_or(""));
}

LLVM::DIFileAttr DebugInfo::file(uint32_t id) const {
  const Instruction *source = find(id, Source);
  return LLVM::DIFileAttr::get(&module_.context(), source ? text(*source, 0).getValue() : llvm::StringRef("-"), "");
}

DebugInfo::Kind DebugInfo::kindOf(const Instruction &ins) const {
  switch (numberOf(&ins).value_or(0)) {
  case Scope:
    return Kind::Scope;
  case NoScope:
    return Kind::NoScope;
  case Declare:
    return Kind::Declare;
  case Value:
    return Kind::Value;
  default:
    return Kind::Other;
  }
}

LLVM::DIScopeAttr DebugInfo::scope(const Instruction &ins) { return block(operand(ins, 0), 0); }

LLVM::DIScopeAttr DebugInfo::block(uint32_t id, unsigned depth) {
  if (depth > MaxDepth)
    return nullptr;
  if (const Instruction *same = find(id, LexicalBlockDiscriminator))
    return block(operand(*same, 2), depth + 1);
  const Instruction *ins = find(id, LexicalBlock);
  if (!ins)
    return nullptr;
  LLVM::DIFileAttr source = file(operand(*ins, 0));
  LLVM::DIScopeAttr parent = block(operand(*ins, 3), depth + 1);
  return LLVM::DILexicalBlockAttr::get(scopeOr(parent, source), source, unsigned(number(*ins, 1)),
                                       unsigned(number(*ins, 2)));
}

LLVM::DIScopeAttr DebugInfo::scopeOr(LLVM::DIScopeAttr inner, LLVM::DIFileAttr file) const {
  return inner ? inner : function_ ? LLVM::DIScopeAttr(function_) : LLVM::DIScopeAttr(file);
}

/// Returns true if the expression is empty or only names the address space, as Clang writes it: the operand is the
/// variable's address.
bool DebugInfo::isPlainAddress(const Instruction &expression) const {
  constexpr std::array<uint64_t, 3> spaceOf{8, 5, 6}; // Constu, Swap, Xderef
  const size_t count = expression.args.size() - 2;
  if (count != 0 && count != spaceOf.size())
    return false;
  for (size_t i = 0; i < count; ++i)
    if (const Instruction *step = find(operand(expression, i), Operation); !step || number(*step, 0) != spaceOf[i])
      return false;
  return true;
}

LLVM::DILocalVariableAttr DebugInfo::variable(const Instruction &ins) {
  const Instruction *variable = find(operand(ins, 0), LocalVariable);
  const Instruction *expression = find(operand(ins, 2), Expression);
  if (!variable || !expression || !isPlainAddress(*expression) || operand(ins, 3))
    return nullptr; // a part of the variable, or a computed address
  LLVM::DITypeAttr of = type(operand(*variable, 1));
  StringAttr name = text(*variable, 0);
  if (!of || name.empty())
    return nullptr;
  LLVM::DIFileAttr source = file(operand(*variable, 2));
  LLVM::DIScopeAttr parent = block(operand(*variable, 5), 0);
  // No argument number: it would be wrong in the function that calls are inlined into.
  return LLVM::DILocalVariableAttr::get(&module_.context(), scopeOr(parent, source), name, source,
                                        unsigned(number(*variable, 3)), /*arg=*/0, /*alignInBits=*/0, of,
                                        LLVM::DIFlags::Zero);
}

SmallVector<DebugInfo::Global> DebugInfo::globals(uint32_t function) {
  SmallVector<Global> found;
  for (const Instruction &ins : module_.binary().code) {
    if (ins.op == spv::Op::Function)
      break;
    if (numberOf(&ins) != GlobalVariable)
      continue;
    const Instruction *parent = find(operand(ins, 5), DebugFunction);
    if (parent && (setOf(*parent) != WithLiterals || operand(*parent, 9) != function))
      continue;
    LLVM::DITypeAttr of = type(operand(ins, 1));
    StringAttr name = text(ins, 0);
    if (!of || name.empty() || !module_.global(operand(ins, 7)))
      continue;
    LLVM::DIFileAttr source = file(operand(ins, 2));
    found.push_back({operand(ins, 7), LLVM::DILocalVariableAttr::get(&module_.context(), scopeOr(nullptr, source), name,
                                                                     source, unsigned(number(ins, 3)), /*arg=*/0,
                                                                     /*alignInBits=*/0, of, LLVM::DIFlags::Zero)});
  }
  return found;
}

LLVM::DILocalVariableAttr DebugInfo::triple(llvm::StringRef name) {
  MLIRContext *context = &module_.context();
  auto word = LLVM::DIBasicTypeAttr::get(context, llvm::dwarf::DW_TAG_base_type, StringAttr::get(context, "ulong"), 64,
                                         llvm::dwarf::DW_ATE_unsigned);
  return LLVM::DILocalVariableAttr::get(context, function_, StringAttr::get(context, name), function_.getFile(),
                                        function_.getLine(), /*arg=*/0, /*alignInBits=*/0,
                                        array(word, 3, true, /*isPadded=*/false), LLVM::DIFlags::Zero);
}

LLVM::DITypeAttr DebugInfo::type(uint32_t id, unsigned depth) {
  auto [known, isNew] = types_.try_emplace(id);
  if (!isNew)
    return known->second;
  const Instruction *ins = id ? module_.definition(id) : nullptr;
  if (!numberOf(ins) || depth > MaxDepth)
    return nullptr;
  LLVM::DITypeAttr made = makeType(*ins, depth + 1);
  return types_[id] = made;
}

LLVM::DITypeAttr DebugInfo::makeType(const Instruction &ins, unsigned depth) {
  using namespace llvm::dwarf;
  MLIRContext *context = &module_.context();
  auto derived = [&](unsigned tag, StringAttr name, LLVM::DITypeAttr base, uint64_t bits,
                     uint64_t offset = 0) -> LLVM::DITypeAttr {
    return LLVM::DIDerivedTypeAttr::get(context, tag, name, base, bits, 0, offset, std::nullopt, nullptr);
  };
  switch (ins.args[1]) {
  case TypeBasic:
    if (uint64_t bits = constant(ins, 1); bits <= MaxBytes)
      return LLVM::DIBasicTypeAttr::get(context, DW_TAG_base_type, text(ins, 0), bits, encodingOf(number(ins, 2)));
    return nullptr;
  case TypePointer: // the pointee is null if it is in construction or not representable
    return derived(DW_TAG_pointer_type, nullptr, type(operand(ins, 0), depth), 64);
  case TypeQualifier: {
    constexpr unsigned tags[] = {DW_TAG_const_type, DW_TAG_volatile_type, DW_TAG_restrict_type, DW_TAG_atomic_type};
    LLVM::DITypeAttr base = type(operand(ins, 0), depth);
    uint64_t which = number(ins, 1);
    return base && which < std::size(tags) ? derived(tags[which], nullptr, base, bitsOf(base)) : base;
  }
  case Typedef: {
    LLVM::DITypeAttr base = type(operand(ins, 1), depth);
    return base ? derived(DW_TAG_typedef, text(ins, 0), base, bitsOf(base)) : nullptr;
  }
  case TypeArray: {
    SmallVector<uint64_t> counts;
    for (size_t i = 1; i + 2 < ins.args.size(); ++i)
      if (uint64_t count = constant(ins, i)) // the translator writes lower bounds after the counts
        counts.push_back(count);
    return array(type(operand(ins, 0), depth), counts, false);
  }
  case TypeVector:
    return array(type(operand(ins, 0), depth), number(ins, 1), true);
  case TypeEnum: // as its underlying integer type
    return type(operand(ins, 1), depth);
  case TypeComposite:
    return composite(ins, depth);
  default:
    return nullptr;
  }
}

LLVM::DITypeAttr DebugInfo::array(LLVM::DITypeAttr element, ArrayRef<uint64_t> counts, bool isVector, bool isPadded) {
  if (!element || counts.empty())
    return nullptr;
  MLIRContext *context = &module_.context();
  uint64_t bits = bitsOf(element);
  SmallVector<LLVM::DINodeAttr> ranges;
  for (uint64_t count : counts) {
    uint64_t components = isVector && isPadded && count == 3 ? 4 : count;
    if (count > MaxElements || __builtin_mul_overflow(bits, components, &bits) || bits > MaxBytes * 8)
      return nullptr;
    auto number = IntegerAttr::get(IntegerType::get(context, 64), static_cast<int64_t>(count));
    ranges.push_back(LLVM::DISubrangeAttr::get(context, number, nullptr, nullptr, nullptr));
  }
  return compositeType(context, {.tag = llvm::dwarf::DW_TAG_array_type,
                                 .element = element,
                                 .flags = isVector ? LLVM::DIFlags::Vector : LLVM::DIFlags::Zero,
                                 .bits = bits,
                                 .parts = ranges});
}

LLVM::DITypeAttr DebugInfo::composite(const Instruction &ins, unsigned depth) {
  using namespace llvm::dwarf;
  MLIRContext *context = &module_.context();
  constexpr unsigned tags[] = {DW_TAG_class_type, DW_TAG_structure_type, DW_TAG_union_type};
  uint64_t tag = number(ins, 1), bits = constant(ins, 7);
  if (tag >= std::size(tags) || bits > MaxBytes * 8)
    return nullptr;
  SmallVector<LLVM::DINodeAttr> members;
  for (size_t i = 9; i + 2 < ins.args.size(); ++i) {
    const Instruction *member = find(operand(ins, i), TypeMember);
    if (!member)
      continue; // a C++ member function
    // Members have a Parent operand in OpenCL.DebugInfo.100 only.
    const size_t offsetAt = setOf(*member) == WithLiterals ? 6 : 5;
    uint64_t offset = constant(*member, offsetAt), size = constant(*member, offsetAt + 1);
    LLVM::DITypeAttr base = type(operand(*member, 1), depth);
    if (!base || offset > bits || size > bits - offset)
      continue;
    members.push_back(LLVM::DIDerivedTypeAttr::get(context, DW_TAG_member, text(*member, 0), base, size, 0, offset,
                                                   std::nullopt, nullptr));
  }
  return compositeType(context, {.tag = tags[tag],
                                 .name = text(ins, 0),
                                 .file = file(operand(ins, 2)),
                                 .line = unsigned(number(ins, 3)),
                                 .bits = bits,
                                 .parts = members});
}

} // namespace kiln::import
