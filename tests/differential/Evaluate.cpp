// Evaluates programs one statement at a time, by the rules of the language.
#include "tests/differential/Program.h"
#include "tests/differential/Storage.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace kiln::differential {
namespace {

using What = Expression::What;
enum class Flow { On, Break, Continue, Return, Jump };

struct State {
  std::vector<Value> variables;
  std::vector<std::vector<Value>> arrays;

  explicit State(const Frame &frame) {
    for (Type type : frame.variables)
      variables.push_back({type, {}});
    for (const Array &array : frame.arrays)
      arrays.emplace_back(array.size, Value{array.type, {}});
  }
};

struct Item {
  std::array<size_t, 3> global, local;
  uint32_t number; // unique in the NDRange
  State state;
  bool returned = false;
};

class Evaluator {
public:
  explicit Evaluator(const Program &program) : program_(program), range_(program.range) {
    for (const std::vector<uint8_t> &bytes : program.storages)
      storages_.emplace_back(bytes, bytes.size());
  }

  std::vector<std::vector<uint8_t>> run() {
    const std::array<size_t, 3> groups = range_.groups();
    for (group_[2] = 0; group_[2] < groups[2]; ++group_[2])
      for (group_[1] = 0; group_[1] < groups[1]; ++group_[1])
        for (group_[0] = 0; group_[0] < groups[0]; ++group_[0])
          runGroup();
    std::vector<std::vector<uint8_t>> result;
    for (Storage &storage : storages_)
      result.push_back(storage.take());
    return result;
  }

private:
  void runGroup() {
    for (unsigned d = 0; d < 3; ++d)
      groupSize_[d] = std::min(range_.local[d], range_.global[d] - group_[d] * range_.local[d]);
    locals_.clear();
    for (const Memory &memory : program_.memories)
      locals_.emplace_back(std::vector<uint8_t>(),
                           memory.space == Memory::Space::Local ? memory.elements * elementBytes(memory) : 0);
    std::vector<Item> items;
    std::array<size_t, 3> local;
    for (local[2] = 0; local[2] < groupSize_[2]; ++local[2])
      for (local[1] = 0; local[1] < groupSize_[1]; ++local[1])
        for (local[0] = 0; local[0] < groupSize_[0]; ++local[0]) {
          Item item{{}, local, ++items_, State(program_.kernel)};
          for (unsigned d = 0; d < 3; ++d)
            item.global[d] = range_.offset[d] + group_[d] * range_.local[d] + local[d];
          for (const Argument &argument : program_.arguments)
            item.state.variables[argument.variable] = argument.value;
          items.push_back(std::move(item));
        }
    runGroup(program_.kernel.body, items);
    if (program_.style == Style::Operators)
      for (const Item &item : items)
        write(item);
  }

  /// Writes the output words of a kernel of style Operators.
  void write(const Item &item) {
    const std::vector<OutputWord> words = outputWords(program_);
    size_t offset = item.global[0] * words.size() * sizeof(uint64_t);
    for (const OutputWord &word : words) {
      if (!item.returned)
        storages_[0].store(offset, {{Kind::U64, 1}, {item.state.variables[word.variable].components[word.component]}},
                           item.number);
      offset += sizeof(uint64_t);
    }
  }

  // ---- statements of the whole group
  // ------------------------------------------------------------------------------------------

  static bool needsWholeGroup(const Statement &s) {
    if (s.what >= Statement::What::Exchange && s.what <= Statement::What::Barrier)
      return true;
    for (const std::vector<Statement> &body : s.bodies)
      for (const Statement &inner : body)
        if (needsWholeGroup(inner))
          return true;
    return false;
  }

  void runGroup(const std::vector<Statement> &statements, std::vector<Item> &items) {
    for (const Statement &s : statements)
      if (needsWholeGroup(s))
        runGroupStatement(s, items);
      else
        for (Item &item : items) {
          item_ = &item;
          if (!item.returned && run(s, item.state) == Flow::Return)
            item.returned = true;
        }
  }

  Value valueFor(const Expression &e, Item &item) {
    item_ = &item;
    return evaluate(e, item.state);
  }
  /// The value of an int expression, which must be equal in all work-items. Throws Undefined if it is not.
  int32_t uniformInt(const Expression &e, std::vector<Item> &items) {
    const int32_t first = fromBits<int32_t>(valueFor(e, items[0]).components[0]);
    for (Item &item : items)
      if (fromBits<int32_t>(valueFor(e, item).components[0]) != first)
        throw Undefined{"a condition or a bound around a barrier differs within a group"};
    return first;
  }
  bool isTrueForAll(const Expression &e, std::vector<Item> &items) {
    const bool first = isTrue(e, items[0]);
    for (Item &item : items)
      if (isTrue(e, item) != first)
        throw Undefined{"a condition or a bound around a barrier differs within a group"};
    return first;
  }
  bool isTrue(const Expression &e, Item &item) { return valueFor(e, item).components[0] != 0; }

  void runGroupStatement(const Statement &s, std::vector<Item> &items) {
    for (const Item &item : items)
      if (item.returned)
        throw Undefined{"a work-item of the group has returned before a barrier"};
    switch (s.what) {
    case Statement::What::If:
      return runGroup(s.bodies[isTrueForAll(s.expressions[0], items) ? 0 : 1], items);
    case Statement::What::For:
      for (Item &item : items)
        item.state.variables[s.variable] = valueFor(s.expressions[0], item);
      while (isTrueForAll(s.expressions[1], items)) {
        runGroup(s.bodies[0], items);
        for (Item &item : items)
          item.state.variables[s.variable] = valueFor(s.expressions[2], item);
      }
      return;
    case Statement::What::Loop: {
      const int32_t end = uniformInt(s.expressions[0], items);
      for (int32_t i = 0;; ++i) {
        for (Item &item : items)
          item.state.variables[s.variable].components[0] = toBits(i);
        if (i >= end)
          return;
        runGroup(s.bodies[0], items);
      }
    }
    case Statement::What::Exchange: {
      std::vector<Value> shared;
      for (Item &item : items)
        shared.push_back(valueFor(s.expressions[0], item));
      for (Item &item : items)
        item.state.variables[s.variable] = shared[(item.local[0] * s.a + s.b) % items.size()];
      return;
    }
    case Statement::What::Reduce: {
      uint32_t all = reduceIdentity(s.a);
      for (Item &item : items)
        all = atomicResult(s.a, all, uint32_t(valueFor(s.expressions[0], item).components[0]));
      for (Item &item : items)
        item.state.variables[s.variable].components[0] = all;
      return;
    }
    default: // Barrier
      for (Storage &local : locals_)
        local.beginInterval();
      return;
    }
  }

  // ---- statements of one work-item
  // --------------------------------------------------------------------------------------------

  Flow run(const std::vector<Statement> &statements, State &state) {
    for (const Statement &s : statements)
      if (Flow flow = run(s, state); flow != Flow::On)
        return flow;
    return Flow::On;
  }

  Flow run(const Statement &s, State &state) {
    countStep();
    switch (s.what) {
    case Statement::What::Assign:
    case Statement::What::Declare: {
      Value value = evaluate(s.expressions[0], state);
      state.variables[s.variable] = value;
      return Flow::On;
    }
    case Statement::What::SetComponent: {
      const uint64_t bits = evaluate(s.expressions[0], state).components[0];
      Value &vector = state.variables[s.variable];
      const uint64_t component =
          s.expressions.size() > 1 ? evaluate(s.expressions[1], state).components[0] : s.component;
      vector.components[component % vector.type.components] = bits;
      return Flow::On;
    }
    case Statement::What::SetElement: {
      Value value = evaluate(s.expressions[1], state);
      element(state, s.array, s.expressions[0]) = value;
      return Flow::On;
    }
    case Statement::What::If:
      return run(s.bodies[evaluate(s.expressions[0], state).components[0] ? 0 : 1], state);
    case Statement::What::Loop: {
      const int32_t end = fromBits<int32_t>(evaluate(s.expressions[0], state).components[0]);
      for (int32_t i = 0;; ++i) {
        state.variables[s.variable].components[0] = toBits(i);
        if (i >= end)
          return Flow::On;
        const Flow flow = run(s.bodies[0], state);
        if (flow == Flow::Break)
          return Flow::On;
        if (flow == Flow::Return || flow == Flow::Jump)
          return flow;
      }
    }
    case Statement::What::For: {
      Value &variable = state.variables[s.variable];
      variable = evaluate(s.expressions[0], state);
      while (evaluate(s.expressions[1], state).components[0]) {
        const Flow flow = run(s.bodies[0], state);
        if (flow == Flow::Break)
          return Flow::On;
        if (flow == Flow::Return || flow == Flow::Jump)
          return flow;
        variable = evaluate(s.expressions[2], state);
      }
      return Flow::On;
    }
    case Statement::What::Store: {
      const Value index = evaluate(s.expressions[0], state), value = evaluate(s.expressions[1], state);
      storageOf(s.array).store(offset(s.array, s.component, index, value.type), value, item_->number);
      return Flow::On;
    }
    case Statement::What::Atomic: {
      const Value index = evaluate(s.expressions[0], state);
      const auto value = uint32_t(evaluate(s.expressions[1], state).components[0]);
      storageOf(s.array).updateAtomically(offset(s.array, 0, index, {Kind::U32, 1}),
                                          [&](uint32_t old) { return atomicResult(s.a, old, value); });
      return Flow::On;
    }
    case Statement::What::Switch: {
      const auto chosen = size_t(evaluate(s.expressions[0], state).components[0]);
      for (size_t i = std::min(chosen, s.bodies.size() - 1); i < s.bodies.size(); ++i) {
        if (Flow flow = run(s.bodies[i], state); flow != Flow::On)
          return flow;
        if (!s.falls[i])
          break;
      }
      return Flow::On;
    }
    case Statement::What::Graph:
      return runGraph(s, state);
    case Statement::What::Jump:
      jump_ = &s;
      return Flow::Jump;
    case Statement::What::Break:
      return Flow::Break;
    case Statement::What::Continue:
      return Flow::Continue;
    case Statement::What::Return:
      if (!s.expressions.empty())
        returned_ = evaluate(s.expressions[0], state);
      return Flow::Return;
    default:
      std::abort(); // runGroupStatement runs these
    }
  }

  Flow runGraph(const Statement &s, State &state) {
    state.variables[s.variable].components[0] = 0;
    const auto chosen = size_t(evaluate(s.expressions[0], state).components[0]);
    size_t at = std::min(chosen, s.bodies.size() - 1);
    for (int32_t visits = 1;; ++visits) {
      state.variables[s.variable].components[0] = toBits(visits);
      if (visits > MaxVisits)
        return Flow::On;
      const Flow flow = run(s.bodies[at], state);
      if (flow == Flow::Jump && jump_->array == s.array) {
        at = jump_->component;
      } else if (flow != Flow::On) {
        return flow;
      } else if (++at == s.bodies.size()) {
        if (s.expressions.size() < 2 || !evaluate(s.expressions[1], state).components[0])
          return Flow::On;
        at = 0;
      }
    }
  }

  /// Throws Undefined if the program takes too many steps, for instance in an endless loop.
  void countStep() {
    constexpr uint64_t MaxSteps = 4'000'000;
    if (++steps_ > MaxSteps && program_.style == Style::People)
      throw Undefined{"too many steps"};
  }

  Storage &storageOf(unsigned memory) {
    const Memory &m = program_.memories[memory];
    return m.space == Memory::Space::Local ? locals_[memory] : storages_[m.storage];
  }
  /// The first byte of an access. A vector access to scalar elements is a vload or vstore.
  size_t offset(unsigned memory, unsigned member, const Value &index, Type type) {
    const Memory &m = program_.memories[memory];
    const bool isOfScalars = m.members[member].components == 1;
    const uint64_t element = convert(index.type.kind, index.components[0], Kind::I64, false, Rounding::Default);
    if (element >= m.elements)
      throw Undefined{"element " + std::to_string(element) + " of " + std::to_string(m.elements)};
    return element * elementBytes(m) * (isOfScalars ? type.components : 1) + offsetOf(m, member);
  }

  /// A cast of a float to an integer is undefined if the integer type cannot represent the value.
  static void checkFits(const Value &value, Kind to) {
    const uint64_t whole = convert(value.type.kind, value.components[0], Kind::I64, true, Rounding::Zero);
    const uint64_t back =
        convert(to, convert(Kind::I64, whole, to, false, Rounding::Default), Kind::I64, false, Rounding::Default);
    if (back != whole || fromBits<int64_t>(whole) == INT64_MAX || fromBits<int64_t>(whole) == INT64_MIN)
      throw Undefined{"conversion of a float that does not fit"};
  }

  Value &element(State &state, unsigned array, const Expression &index) {
    std::vector<Value> &values = state.arrays[array];
    return values[evaluate(index, state).components[0] & (values.size() - 1)];
  }

  Value call(const Expression &e, State &caller) {
    const Function &function = program_.functions[e.number];
    State state(function);
    for (size_t i = 0; i < e.operands.size(); ++i)
      state.variables[i] = evaluate(e.operands[i], caller);
    if (function.throughPointer)
      state.variables[function.parameters - 1] = caller.variables[e.components[0]];
    Value result = run(function.body, state) == Flow::Return ? returned_ : evaluate(function.result, state);
    if (function.throughPointer)
      caller.variables[e.components[0]] = state.variables[function.parameters - 1];
    return result;
  }

  Value evaluate(const Expression &e, State &state) {
    countStep();
    Value result{e.type, {}};
    auto operand = [&](size_t i) { return evaluate(e.operands[i], state); };
    switch (e.what) {
    case What::Constant:
      return e.value;
    case What::Variable:
      return state.variables[e.number];
    case What::Operation: {
      std::array<Value, 3> operands;
      for (size_t i = 0; i < e.operands.size(); ++i)
        operands[i] = operand(i);
      for (unsigned component = 0; component < e.type.components; ++component) {
        const uint64_t in[] = {operands[0].components[component], operands[1].components[component],
                               operands[2].components[component]};
        if (e.operation->isDefined && !e.operation->isDefined(operands[0].type.kind, in))
          throw Undefined{std::string("undefined operation ") + e.operation->text};
        uint64_t bits = e.operation->evaluate(operands[0].type.kind, in);
        if (e.operation->compares && e.type.components > 1)
          bits = bits ? ~uint64_t(0) >> (64 - 8 * bytes(e.type.kind)) : 0;
        result.components[component] = bits;
      }
      return result;
    }
    case What::Convert: {
      const Value from = operand(0);
      if (e.form != Expression::Form::Function && isFloat(from.type.kind) && !isFloat(e.type.kind))
        checkFits(from, e.type.kind);
      for (unsigned component = 0; component < e.type.components; ++component)
        result.components[component] =
            convert(from.type.kind, from.components[component], e.type.kind, e.saturates, e.rounding);
      return result;
    }
    case What::Reinterpret: {
      Value from = operand(0);
      uint8_t memory[16 * 8] = {};
      const unsigned size = bytes(from.type.kind), newSize = bytes(e.type.kind);
      for (unsigned component = 0; component < from.type.components; ++component) {
        withNumber(from.type.kind, [&](auto zero) {
          if (auto x = fromBits<decltype(zero)>(from.components[component]); x != x)
            from.components[component] = toBits(decltype(zero)(1));
        });
        std::memcpy(memory + component * size, &from.components[component], size);
      }
      for (unsigned component = 0; component < e.type.components; ++component)
        std::memcpy(&result.components[component], memory + component * newSize, newSize);
      return result;
    }
    case What::Component:
      result.components[0] = operand(0).components[e.number];
      return result;
    case What::DynamicComponent: {
      const Value from = operand(0);
      result.components[0] = from.components[operand(1).components[0] % from.type.components];
      return result;
    }
    case What::Swizzle: {
      const Value from = operand(0);
      for (unsigned component = 0; component < e.type.components; ++component)
        result.components[component] = from.components[e.components[component]];
      return result;
    }
    case What::Build:
      for (unsigned component = 0; component < e.type.components; ++component)
        result.components[component] = operand(component).components[0];
      return result;
    case What::Any: {
      const Value from = operand(0);
      bool any = false, all = true;
      for (unsigned component = 0; component < from.type.components; ++component)
        from.components[component] ? any = true : all = false;
      result.components[0] = e.number ? all : any;
      return result;
    }
    case What::Element:
      return element(state, e.number, e.operands[0]);
    case What::Input: {
      const size_t size = bytes(e.type.kind), index = operand(0).components[0] % inputElements(e.type);
      for (unsigned component = 0; component < e.type.components; ++component)
        std::memcpy(&result.components[component],
                    program_.storages[1].data() + (index * e.type.components + component) * size, size);
      return result;
    }
    case What::GlobalId:
      result.components[0] = item_->global[0];
      return result;
    case What::LocalId:
      result.components[0] = item_->local[0];
      return result;
    case What::GroupId:
      result.components[0] = group_[0];
      return result;
    case What::LocalSize:
      result.components[0] = range_.local[0];
      return result;
    case What::Call:
      return call(e, state);
    case What::WorkItem:
      result.components[0] = workItem(Query(e.number / 3), e.number % 3);
      return result;
    case What::Load: {
      const Value index = operand(0);
      return storageOf(e.number).load(offset(e.number, e.components[0], index, e.type), e.type, item_->number);
    }
    case What::AndThen:
      result.components[0] = operand(0).components[0] && operand(1).components[0];
      return result;
    case What::OrElse:
      result.components[0] = operand(0).components[0] || operand(1).components[0];
      return result;
    case What::Not:
      result.components[0] = !operand(0).components[0];
      return result;
    case What::Conditional:
      return operand(operand(0).components[0] ? 1 : 2);
    }
    __builtin_unreachable();
  }

  size_t workItem(Query query, unsigned d) const {
    switch (query) {
    case Query::GlobalId:
      return item_->global[d];
    case Query::LocalId:
      return item_->local[d];
    case Query::GroupId:
      return group_[d];
    case Query::GlobalSize:
      return range_.global[d];
    case Query::LocalSize:
      return groupSize_[d];
    case Query::EnqueuedLocalSize:
      return range_.local[d];
    case Query::NumGroups:
      return range_.groups()[d];
    case Query::GlobalOffset:
      return range_.offset[d];
    case Query::GlobalLinearId: {
      std::array<size_t, 3> id;
      for (unsigned i = 0; i < 3; ++i)
        id[i] = item_->global[i] - range_.offset[i];
      return (id[2] * range_.global[1] + id[1]) * range_.global[0] + id[0];
    }
    case Query::LocalLinearId:
      return (item_->local[2] * groupSize_[1] + item_->local[1]) * groupSize_[0] + item_->local[0];
    }
    __builtin_unreachable();
  }

  const Program &program_;
  const Range &range_;
  std::array<size_t, 3> group_{}, groupSize_{};
  std::vector<Storage> storages_, locals_; // locals_: one per memory, empty for global ones
  uint32_t items_ = 0;
  uint64_t steps_ = 0;
  Item *item_ = nullptr;
  Value returned_;
  const Statement *jump_ = nullptr; // of Flow::Jump
};

} // namespace

std::vector<std::vector<uint8_t>> evaluate(const Program &program) { return Evaluator(program).run(); }

} // namespace kiln::differential
