// Builds a kernel: its range, its parameters, and the values in scope.
//
// A shape (Shapes.h) adds the statements of one common pattern, with random expressions from this class. Bounds keep
// indices inside of buffers. `evaluate` detects undefined behaviour that bounds do not exclude, and the attempt is
// dropped.
#pragma once
#include "tests/differential/Random.h"
#include "tests/differential/people/Arithmetic.h"

namespace kiln::differential::people {

class Kernel {
public:
  Kernel(uint64_t seed, uint64_t attempt);
  Program finish() { return std::move(program_); }

  Random random;
  const Range &range() const { return program_.range; }
  size_t items() const { return range().global[0] * range().global[1] * range().global[2]; }
  /// Returns true if ids cross 2^31 or 2^32. They are then too large for an index or a loop bound.
  bool hasFarIds() const { return range().offset[0] > FarOffset; }
  size_t groupItems() const { return range().local[0] * range().local[1] * range().local[2]; }
  size_t groups() const { return range().groups()[0] * range().groups()[1] * range().groups()[2]; }

  // ---- statements (Kernel.cpp) -------------------------------------------------------------------------------------

  void emit(Statement statement) { body_->push_back(std::move(statement)); }
  /// Declares a variable of `kind` with the value `value`, and adds it to the numbers in scope.
  Bounded declare(Kind kind, Bounded value);
  Bounded declare(Bounded value) { return declare(kindFor(value.low, value.high), std::move(value)); }
  /// Declares a variable that the shape modifies; the caller gives its bounds.
  Bounded declareMutable(Kind kind, Bounded value, Wide low, Wide high);
  void assign(const Bounded &variable, Bounded value);
  /// Atomically does memory[index] op= value, with operation `operation` of AtomicNames (Program.h).
  void atomic(unsigned operation, unsigned memory, Expression index, Bounded value);
  void barrier() { emit({.what = Statement::What::Barrier}); }
  template <typename Body> void branch(Expression condition, Body yes) {
    branch(std::move(condition), yes, [] {});
  }
  template <typename Body, typename Other> void branch(Expression condition, Body yes, Other no) {
    Statement statement{.what = Statement::What::If};
    statement.expressions.push_back(std::move(condition));
    statement.bodies = {inScope(yes), inScope(no)};
    emit(std::move(statement));
  }
  /// for (T i = start; condition(i); i = next(i)) body(i). `low` and `high` bound i in the body and in `next`.
  template <typename Condition, typename Next, typename Body>
  void loop(Kind kind, Bounded start, Wide low, Wide high, Condition condition, Next next, Body body) {
    Statement statement{.what = Statement::What::For};
    const Bounded i = newVariable(kind, low, high);
    statement.variable = i.expression.number;
    statement.expressions = {assigned(std::move(start), kind).expression, condition(i),
                             assigned(next(i), kind).expression};
    statement.bodies.push_back(inScope([&] {
      addNumber(i, 4);
      body(i);
    }));
    emit(std::move(statement));
  }

  // ---- memory (Memories.cpp) ---------------------------------------------------------------------------------------

  unsigned input(Type type);
  /// An input for `load`, of floats if `isOfFloats`, else of integers.
  unsigned anyInput(bool isOfFloats);
  unsigned output(std::vector<Type> members, size_t elements);
  unsigned output(Kind kind, size_t elements) { return output(std::vector<Type>{{kind, 1}}, elements); }
  /// Adds another parameter for the same buffer.
  unsigned alias(unsigned memory, Memory::Space space);
  unsigned structs(std::vector<Type> members, size_t elements);
  unsigned local(Kind kind, size_t elements, Wide low, Wide high);
  Type typeOf(unsigned memory, unsigned member = 0) const { return program_.memories[memory].members[member]; }
  size_t elements(unsigned memory) const { return program_.memories[memory].elements; }
  Bounded load(unsigned memory, Expression index, unsigned member = 0);
  Expression loadVector(unsigned memory, Expression index, Type type, unsigned member = 0);
  void store(unsigned memory, Expression index, Bounded value, unsigned member = 0);
  void storeVector(unsigned memory, Expression index, Expression value, unsigned member = 0);

  // ---- ids (Ids.cpp) -----------------------------------------------------------------------------------------------

  Bounded query(Query query, unsigned dimension = 0);
  /// A variable with the global or local id, of a type that can represent it.
  Bounded globalId(unsigned dimension) { return random.among(globalIds_[dimension]); }
  Bounded localId(unsigned dimension);
  /// The work-item's linear local id, and the number of work-items of its group.
  Bounded localLinearId();
  Bounded groupSize();
  Bounded groupNumber();
  /// A number that is different in each work-item.
  Bounded uniqueId();
  struct ElementIndex {
    Expression index;
    size_t elements;
  };
  /// An index in a buffer that is different for each `number`, which is in [0, count).
  ElementIndex distinctIndex(Bounded number, size_t count);
  ElementIndex distinctIndex();

  // ---- numbers (Numbers.cpp) ---------------------------------------------------------------------------------------

  Kind anyInteger();
  Kind anyKind() { return random.chance(65) ? anyInteger() : random.of(Kind::F32, Kind::F32, Kind::F64); }
  /// An integer kind that can represent `low` and `high`.
  Kind kindFor(Wide low, Wide high);
  /// A constant or an argument with this value.
  Bounded amount(Wide value);
  Bounded argument(Wide value);
  Bounded divisor();
  Bounded number(unsigned depth);
  Expression condition(unsigned depth);
  /// A value for an assignment to a variable of `kind`.
  Bounded value(Kind kind, unsigned depth);
  /// An index below `elements`.
  Expression index(Bounded number, size_t elements);
  void addNumber(const Bounded &number, unsigned weight = 1) { numbers_.insert(numbers_.end(), weight, number); }

private:
  void chooseRange();
  void declareIds();
  Bounded exactId(Query query, unsigned dimension);
  Bounded leaf();
  std::optional<Bounded> compound(unsigned depth);
  Bounded limit(const Bounded &number);
  Bounded newVariable(Kind kind, Wide low, Wide high);
  unsigned addMemory(Memory memory, Wide low, Wide high);
  /// Buffer contents with numbers in [low, high].
  std::vector<uint8_t> contents(const Memory &memory, Wide low, Wide high);
  void chooseBounds(Kind kind, Wide &low, Wide &high);

  template <typename Body> std::vector<Statement> inScope(Body body) {
    std::vector<Statement> statements, *outer = body_;
    const size_t numbers = numbers_.size();
    body_ = &statements;
    body();
    body_ = outer;
    numbers_.resize(numbers, Bounded());
    return statements;
  }

  static constexpr size_t FarOffset = 1 << 20;
  struct Limits {
    Wide low, high;
  };
  Program program_;
  std::vector<Statement> *body_;
  std::vector<Bounded> numbers_; // the integers in scope; repeated entries are chosen more often
  std::array<std::vector<Bounded>, 3> globalIds_, localIds_;
  std::vector<Limits> limits_; // bounds of the elements of each memory
};

} // namespace kiln::differential::people
