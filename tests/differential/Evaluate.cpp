// The same programs, evaluated one statement after the other: the plain reading of the language.
#include "tests/differential/Program.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace kiln::differential {
namespace {

using What = Expression::What;
enum class Flow { On, Break, Continue, Return };

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
  uint32_t global, local, group;
  State state;
  bool returned = false;
};

class Evaluator {
public:
  Evaluator(const Program &program, const std::vector<uint8_t> &input) : program_(program), input_(input) {}

  std::vector<Item> group(uint32_t number, const std::vector<int32_t> &arguments) {
    std::vector<Item> items;
    for (uint32_t local = 0; local < program_.localSize; ++local) {
      Item item{uint32_t(number * program_.localSize + local), local, number, State(program_.kernel)};
      for (unsigned i = 0; i < UniformParameters; ++i)
        item.state.variables[i].lanes[0] = toBits(arguments[i]);
      items.push_back(std::move(item));
    }
    runGroup(program_.kernel.body, items);
    return items;
  }

private:
  // ---- of the whole group ------------------------------------------------------------------------------------------

  static bool isOfGroup(const Statement &s) {
    if (s.what >= Statement::What::Exchange)
      return true;
    for (const std::vector<Statement> &body : s.bodies)
      for (const Statement &inner : body)
        if (isOfGroup(inner))
          return true;
    return false;
  }

  void runGroup(const std::vector<Statement> &statements, std::vector<Item> &items) {
    for (const Statement &s : statements)
      if (isOfGroup(s))
        ofGroup(s, items);
      else
        for (Item &item : items) {
          item_ = &item;
          if (!item.returned && run(s, item.state) == Flow::Return)
            item.returned = true;
        }
  }

  Value ofItem(const Expression &e, Item &item) {
    item_ = &item;
    return evaluate(e, item.state);
  }
  /// What is the same for all of them, or the generator is wrong.
  int32_t ofAll(const Expression &e, std::vector<Item> &items) {
    const int32_t first = fromBits<int32_t>(ofItem(e, items[0]).lanes[0]);
    for (Item &item : items)
      if (fromBits<int32_t>(ofItem(e, item).lanes[0]) != first) {
        std::fprintf(stderr, "seed %llu: work-items do not agree\n", static_cast<unsigned long long>(program_.seed));
        std::abort();
      }
    return first;
  }

  void ofGroup(const Statement &s, std::vector<Item> &items) {
    switch (s.what) {
    case Statement::What::If:
      return runGroup(s.bodies[ofAll(s.expressions[0], items) ? 0 : 1], items);
    case Statement::What::Loop: {
      const int32_t end = ofAll(s.expressions[0], items);
      for (int32_t i = 0;; ++i) {
        for (Item &item : items)
          item.state.variables[s.variable].lanes[0] = toBits(i);
        if (i >= end)
          return;
        runGroup(s.bodies[0], items);
      }
    }
    case Statement::What::Exchange: {
      std::vector<Value> shared;
      for (Item &item : items)
        shared.push_back(ofItem(s.expressions[0], item));
      for (Item &item : items)
        item.state.variables[s.variable] = shared[(size_t(item.local) * s.a + s.b) % items.size()];
      return;
    }
    case Statement::What::Gather: {
      uint32_t all = gatherStart(s.a);
      for (Item &item : items) {
        const auto value = uint32_t(ofItem(s.expressions[0], item).lanes[0]);
        const uint32_t results[] = {all + value, all ^ value,          all | value,
                                    all & value, std::min(all, value), std::max(all, value)};
        all = results[s.a];
      }
      for (Item &item : items)
        item.state.variables[s.variable].lanes[0] = all;
      return;
    }
    default: // a barrier
      return;
    }
  }

  // ---- of one work-item --------------------------------------------------------------------------------------------

  Flow run(const std::vector<Statement> &statements, State &state) {
    for (const Statement &s : statements)
      if (Flow flow = run(s, state); flow != Flow::On)
        return flow;
    return Flow::On;
  }

  Flow run(const Statement &s, State &state) {
    switch (s.what) {
    case Statement::What::Assign: {
      Value value = evaluate(s.expressions[0], state);
      state.variables[s.variable] = value;
      return Flow::On;
    }
    case Statement::What::SetLane: {
      const uint64_t bits = evaluate(s.expressions[0], state).lanes[0];
      Value &vector = state.variables[s.variable];
      const uint64_t lane = s.expressions.size() > 1 ? evaluate(s.expressions[1], state).lanes[0] : s.lane;
      vector.lanes[lane % vector.type.lanes] = bits;
      return Flow::On;
    }
    case Statement::What::SetElement: {
      Value value = evaluate(s.expressions[1], state);
      element(state, s.array, s.expressions[0]) = value;
      return Flow::On;
    }
    case Statement::What::If:
      return run(s.bodies[evaluate(s.expressions[0], state).lanes[0] ? 0 : 1], state);
    case Statement::What::Loop: {
      const int32_t end = fromBits<int32_t>(evaluate(s.expressions[0], state).lanes[0]);
      for (int32_t i = 0;; ++i) {
        state.variables[s.variable].lanes[0] = toBits(i);
        if (i >= end)
          return Flow::On;
        const Flow flow = run(s.bodies[0], state);
        if (flow == Flow::Break)
          return Flow::On;
        if (flow == Flow::Return)
          return flow;
      }
    }
    case Statement::What::Switch: {
      const auto chosen = size_t(evaluate(s.expressions[0], state).lanes[0]);
      for (size_t i = std::min(chosen, s.bodies.size() - 1); i < s.bodies.size(); ++i) {
        if (Flow flow = run(s.bodies[i], state); flow != Flow::On)
          return flow;
        if (!s.falls[i])
          break;
      }
      return Flow::On;
    }
    case Statement::What::Break:
      return Flow::Break;
    case Statement::What::Continue:
      return Flow::Continue;
    case Statement::What::Return:
      if (!s.expressions.empty())
        returned_ = evaluate(s.expressions[0], state);
      return Flow::Return;
    default:
      std::abort(); // these are the group's
    }
  }

  Value &element(State &state, unsigned array, const Expression &index) {
    std::vector<Value> &values = state.arrays[array];
    return values[evaluate(index, state).lanes[0] & (values.size() - 1)];
  }

  Value call(const Expression &e, State &caller) {
    const Function &function = program_.functions[e.number];
    State state(function);
    for (size_t i = 0; i < e.operands.size(); ++i)
      state.variables[i] = evaluate(e.operands[i], caller);
    if (function.throughPointer)
      state.variables[function.parameters - 1] = caller.variables[e.lanes[0]];
    Value result = run(function.body, state) == Flow::Return ? returned_ : evaluate(function.result, state);
    if (function.throughPointer)
      caller.variables[e.lanes[0]] = state.variables[function.parameters - 1];
    return result;
  }

  Value evaluate(const Expression &e, State &state) {
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
      for (unsigned lane = 0; lane < e.type.lanes; ++lane) {
        const uint64_t in[] = {operands[0].lanes[lane], operands[1].lanes[lane], operands[2].lanes[lane]};
        uint64_t bits = e.operation->evaluate(operands[0].type.kind, in);
        if (e.operation->compares && e.type.lanes > 1)
          bits = bits ? ~uint64_t(0) >> (64 - 8 * bytes(e.type.kind)) : 0;
        result.lanes[lane] = bits;
      }
      return result;
    }
    case What::Convert: {
      const Value from = operand(0);
      for (unsigned lane = 0; lane < e.type.lanes; ++lane)
        result.lanes[lane] = convert(from.type.kind, from.lanes[lane], e.type.kind, e.saturates, e.rounding);
      return result;
    }
    case What::Reinterpret: {
      Value from = operand(0);
      uint8_t memory[16 * 8] = {};
      const unsigned size = bytes(from.type.kind), newSize = bytes(e.type.kind);
      for (unsigned lane = 0; lane < from.type.lanes; ++lane) {
        withNumber(from.type.kind, [&](auto zero) {
          if (auto x = fromBits<decltype(zero)>(from.lanes[lane]); x != x)
            from.lanes[lane] = toBits(decltype(zero)(1));
        });
        std::memcpy(memory + lane * size, &from.lanes[lane], size);
      }
      for (unsigned lane = 0; lane < e.type.lanes; ++lane)
        std::memcpy(&result.lanes[lane], memory + lane * newSize, newSize);
      return result;
    }
    case What::Component:
      result.lanes[0] = operand(0).lanes[e.number];
      return result;
    case What::Chosen: {
      const Value from = operand(0);
      result.lanes[0] = from.lanes[operand(1).lanes[0] % from.type.lanes];
      return result;
    }
    case What::Swizzle: {
      const Value from = operand(0);
      for (unsigned lane = 0; lane < e.type.lanes; ++lane)
        result.lanes[lane] = from.lanes[e.lanes[lane]];
      return result;
    }
    case What::Build:
      for (unsigned lane = 0; lane < e.type.lanes; ++lane)
        result.lanes[lane] = operand(lane).lanes[0];
      return result;
    case What::Any: {
      const Value from = operand(0);
      bool any = false, all = true;
      for (unsigned lane = 0; lane < from.type.lanes; ++lane)
        from.lanes[lane] ? any = true : all = false;
      result.lanes[0] = e.number ? all : any;
      return result;
    }
    case What::Element:
      return element(state, e.number, e.operands[0]);
    case What::Input: {
      const size_t size = bytes(e.type.kind), index = operand(0).lanes[0] % inputElements(e.type);
      for (unsigned lane = 0; lane < e.type.lanes; ++lane)
        std::memcpy(&result.lanes[lane], input_.data() + (index * e.type.lanes + lane) * size, size);
      return result;
    }
    case What::GlobalId:
      result.lanes[0] = item_->global;
      return result;
    case What::LocalId:
      result.lanes[0] = item_->local;
      return result;
    case What::GroupId:
      result.lanes[0] = item_->group;
      return result;
    case What::LocalSize:
      result.lanes[0] = program_.localSize;
      return result;
    case What::Call:
      return call(e, state);
    }
    __builtin_unreachable();
  }

  const Program &program_;
  const std::vector<uint8_t> &input_;
  Item *item_ = nullptr;
  Value returned_;
};

} // namespace

std::vector<uint64_t> evaluate(const Program &program, const std::vector<int32_t> &arguments,
                               const std::vector<uint8_t> &input) {
  const std::vector<OutputWord> words = outputWords(program);
  std::vector<uint64_t> output;
  Evaluator evaluator(program, input);
  for (size_t group = 0; group < program.globalSize / program.localSize; ++group)
    for (const Item &item : evaluator.group(uint32_t(group), arguments))
      for (const OutputWord &word : words)
        output.push_back(item.returned ? Untouched : item.state.variables[word.variable].lanes[word.lane]);
  return output;
}

} // namespace kiln::differential
