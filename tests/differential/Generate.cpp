// Generates programs of style Operators. Their behaviour is defined: no signed overflow, no index out of bounds, no
// dependence on the order of evaluation, no race, and barriers only in uniform control flow.
#include "tests/differential/Program.h"
#include "tests/differential/Random.h"
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace kiln::differential {
namespace {

using What = Expression::What;

class Generator {
public:
  explicit Generator(uint64_t seed) : random_(seed) { program_.seed = seed; }

  Program run() {
    program_.range.local[0] = random_.among(std::array{1, 3, 8, 16, 33, 64});
    program_.range.global[0] = program_.range.local[0] * (1 + random_.below(4));
    const unsigned functions = random_.below(4);
    program_.functions.reserve(functions); // frame_ points to an element
    costs_.reserve(functions + 1);
    for (unsigned i = 0; i < functions; ++i)
      makeFunction();
    makeKernel();
    addStorages();
    return std::move(program_);
  }

private:
  void addStorages() {
    program_.arguments = {{0, {{Kind::I32, 1}, {toBits(int32_t(5))}}}, {1, {{Kind::I32, 1}, {toBits(int32_t(-3))}}}};
    const size_t words = program_.range.global[0] * outputWords(program_).size();
    program_.storages.emplace_back(words * sizeof(uint64_t), uint8_t(Untouched));
    std::vector<uint8_t> &input = program_.storages.emplace_back(InputBytes);
    uint32_t state = 12345;
    for (uint8_t &byte : input)
      byte = uint8_t((state = state * 1664525 + 1013904223) >> 24);
  }

  // ---- frames ------------------------------------------------------------------------------------------------------

  void enter(Frame &frame) {
    frame_ = &frame;
    writable_.clear(), uniform_.clear();
    inFunction_ = inSwitch_ = false;
    graphs_.clear();
    depth_ = loops_ = 0;
    repeats_ = 1;
    costs_.push_back(10);
  }

  unsigned addVariable(Type type, bool writable) {
    frame_->variables.push_back(type);
    const unsigned number = unsigned(frame_->variables.size() - 1);
    if (writable)
      writable_.push_back(number);
    return number;
  }

  void addArrays() {
    for (unsigned i = random_.below(3); i--;)
      frame_->arrays.push_back({anyType(), 1u << random_.below(5)});
  }

  void makeFunction() {
    Function &function = program_.functions.emplace_back();
    enter(function);
    inFunction_ = true;
    function.parameters = 1 + random_.below(3);
    for (unsigned i = 0; i < function.parameters; ++i)
      addVariable(anyType(), true);
    function.throughPointer = random_.chance(30);
    for (unsigned i = 1 + random_.below(3); i--;)
      addVariable(anyType(), true);
    addArrays();
    function.result.type = anyType();
    function.body = block(2 + random_.below(4));
    function.result = expression(function.result.type, 2);
  }

  void makeKernel() {
    enter(program_.kernel);
    for (unsigned i = 0; i < UniformParameters; ++i)
      uniform_.push_back(addVariable({Kind::I32, 1}, false));
    for (unsigned i = 4 + random_.below(6); i--;)
      addVariable(anyType(), true);
    addArrays();
    program_.kernel.body = groupBlock(3 + random_.below(6), 0);
    for (Statement &statement : block(2))
      program_.kernel.body.push_back(std::move(statement));
    if (random_.chance(25)) {
      Statement leave = {.what = Statement::What::If};
      leave.expressions.push_back(condition(2));
      leave.bodies = {{{.what = Statement::What::Return}}, {}};
      program_.kernel.body.push_back(std::move(leave));
      for (Statement &statement : block(1))
        program_.kernel.body.push_back(std::move(statement));
    }
  }

  // ---- types and constants -----------------------------------------------------------------------------------------

  unsigned anyComponentCount() {
    return random_.chance(55) ? 1 : random_.among(std::array{2u, 2u, 3u, 4u, 4u, 8u, 16u});
  }
  Kind anyKind() { return random_.chance(30) ? Kind::I32 : Kind(random_.below(Kinds)); }
  Type anyType() { return {anyKind(), anyComponentCount()}; }

  uint64_t anyNumber(Kind kind) {
    static constexpr float Floats[] = {0,     -0.0f,         1,        -1,        0.5f,  -2.5f,     3,
                                       1e-3f, 1e20f,         -7e9f,    16777216,  65504, 0x1p-140f, -0x1p-126f,
                                       1e38f, 0x1.fffffep0f, INFINITY, -INFINITY, NAN};
    if (kind == Kind::F32)
      return toBits(random_.chance(70) ? random_.among(Floats) : float(int32_t(random_.next())) * 0x1p-20f);
    if (kind == Kind::F64)
      return toBits(random_.chance(70) ? double(random_.among(Floats)) : double(int64_t(random_.next())) * 0x1p-40);
    const unsigned bits = 8 * bytes(kind);
    const uint64_t mask = ~uint64_t(0) >> (64 - bits);
    switch (random_.below(6)) {
    case 0:
      return 0;
    case 1:
      return (uint64_t(1) << (bits - 1)) - random_.below(2); // the highest or the lowest value
    case 2:
      return mask - random_.below(3);
    case 3:
      return random_.next() & mask;
    default:
      return random_.below(10);
    }
  }

  Expression constant(Type type) {
    Expression result{.what = What::Constant, .type = type};
    result.value.type = type;
    for (unsigned component = 0; component < type.components; ++component)
      result.value.components[component] = anyNumber(type.kind);
    return result;
  }
  static Expression number(int32_t value) {
    Expression result{.what = What::Constant, .type = {Kind::I32, 1}};
    result.value.type = result.type;
    result.value.components[0] = toBits(value);
    return result;
  }

  static Expression unsignedNumber(uint32_t value) {
    Expression result = number(int32_t(value));
    result.type = result.value.type = {Kind::U32, 1};
    return result;
  }

  // Applies the operation with this text in the table.
  static Expression applied(std::string_view text, Expression a, Expression b) {
    const auto row =
        std::ranges::find_if(operations(), [&](const Operation &operation) { return operation.text == text; });
    Expression result{.what = What::Operation, .type = a.type};
    result.operation = &*row;
    result.operands = {std::move(a), std::move(b)};
    return result;
  }

  // ---- indices -----------------------------------------------------------------------------------------------------

  // Returns an index that grows almost linearly with the id, so that adjacent work-items read close elements, in one
  // range or in several.
  Expression almostLinearIndex() {
    Expression result{.what = random_.chance(70) ? What::GlobalId : What::LocalId, .type = {Kind::U32, 1}};
    for (unsigned steps = random_.below(4); steps; --steps)
      result = random_.chance(30) ? scaled(std::move(result)) : moved(std::move(result));
    return result;
  }

  static constexpr std::string_view Plus = "as_$T(($U)(($W)as_$U($0) + ($W)as_$U($1)))";

  Expression moved(Expression index) {
    constexpr std::string_view Minus = "as_$T(($U)(($W)as_$U($0) - ($W)as_$U($1)))", And = "($T)($0 & $1)";
    constexpr auto Rows =
        std::to_array<std::string_view>({Plus, And, "min($0, $1)", "max($0, $1)", "sub_sat($0, $1)", "hadd($0, $1)"});
    Expression amount = number(int32_t(random_.chance(50) ? random_.below(100) : (1u << random_.below(6)) - 1));
    amount.type = amount.value.type = index.type;
    if (random_.chance(70))
      return applied(random_.among(Rows), std::move(index), std::move(amount));
    Expression twice = applied(Plus, index, index); // blocks with gaps between them
    return applied(Minus, std::move(twice), applied(And, std::move(index), std::move(amount)));
  }

  Expression scaled(Expression index) {
    Expression factor{.what = What::Constant, .type = {Kind::F32, 1}};
    factor.value.type = factor.type;
    factor.value.components[0] = toBits(random_.among(std::array{0.3f, 0.5f, 1.0f, 1.5f, 2.0f, 2.07f, 2.5f}));
    Expression wide{.what = What::Convert, .type = factor.type};
    wide.operands.push_back(std::move(index));
    Expression narrow{.what = What::Convert, .type = {Kind::U32, 1}, .value = {}, .saturates = true};
    narrow.operands.push_back(applied("($0 * $1)", std::move(wide), std::move(factor)));
    return narrow;
  }

  // ---- expressions -------------------------------------------------------------------------------------------------

  Expression variable(unsigned number) {
    return {.what = What::Variable, .type = frame_->variables[number], .value = {}, .number = number};
  }

  Expression leaf(Type type) {
    std::vector<unsigned> fitting;
    for (unsigned i = 0; i < frame_->variables.size(); ++i)
      if (frame_->variables[i] == type)
        fitting.push_back(i);
    if (!fitting.empty() && random_.chance(80))
      return variable(random_.among(fitting));
    if (type == Type{Kind::U32, 1} && random_.chance(60))
      return {.what = random_.among(std::array{What::GlobalId, What::LocalId, What::GroupId, What::LocalSize}),
              .type = type};
    if (random_.chance(30)) {
      Expression input{.what = What::Input, .type = type};
      input.operands.push_back(almostLinearIndex());
      return input;
    }
    return constant(type);
  }

  Expression expression(Type type, unsigned depth) {
    ++costs_.back();
    if (depth == 0)
      return leaf(type);
    for (;;)
      if (std::optional<Expression> made = node(type, depth - 1))
        return std::move(*made);
  }

  std::optional<Expression> node(Type type, unsigned depth) {
    switch (random_.below(14)) {
    case 0:
      return leaf(type);
    case 1:
      return conversion(type, depth);
    case 2:
      return reinterpretation(type, depth);
    case 3:
      return comparison(type, depth);
    case 4:
      return componentExpression(type, depth);
    case 5:
      return memory(type, depth);
    case 6:
      return call(type, depth);
    default:
      return operation(type, depth);
    }
  }

  Expression operation(Type type, unsigned depth) {
    for (;;) {
      const Operation &operation = random_.among(operations());
      if (operation.compares ||
          (operation.domain != Operation::Numbers && (operation.domain == Operation::Floats) != isFloat(type.kind)))
        continue;
      return apply(operation, type, type, depth);
    }
  }
  Expression apply(const Operation &operation, Type type, Type operands, unsigned depth) {
    Expression result{.what = What::Operation, .type = type};
    result.operation = &operation;
    for (unsigned i = 0; i < operation.operands; ++i)
      result.operands.push_back(expression(operands, depth));
    return result;
  }

  std::optional<Expression> comparison(Type type, unsigned depth) {
    Type compared = {anyKind(), type.components};
    if (type == Type{Kind::I32, 1} && random_.chance(30)) {
      compared.components = random_.among(std::array{2u, 3u, 4u, 8u, 16u});
      Expression result{.what = What::Any, .type = type, .value = {}, .number = random_.below(2)};
      result.operands.push_back(compare(compared, depth));
      return result;
    }
    if (comparisonOf(compared) != type)
      return {};
    return compare(compared, depth);
  }
  Expression compare(Type compared, unsigned depth) {
    for (;;) {
      const Operation &operation = random_.among(operations());
      if (operation.compares && (operation.domain == Operation::Numbers || isFloat(compared.kind)))
        return apply(operation, comparisonOf(compared), compared, depth);
    }
  }
  Expression condition(unsigned depth) { return compare({anyKind(), 1}, depth); }

  Expression conversion(Type type, unsigned depth) {
    Expression result{.what = What::Convert, .type = type};
    const Type from = {anyKind(), type.components};
    const bool toInteger = !isFloat(type.kind);
    result.saturates = toInteger && (isFloat(from.kind) || random_.chance(50));
    if (isFloat(from.kind) || isFloat(type.kind))
      result.rounding = Rounding(random_.below(5));
    result.operands.push_back(expression(from, depth));
    return result;
  }

  std::optional<Expression> reinterpretation(Type type, unsigned depth) {
    Type from = anyType();
    // A vector of three components has the size of four, and the last one has no value.
    const bool sameCount = from.components == type.components;
    if ((from.components == 3 || type.components == 3) && !sameCount)
      from.components = type.components;
    if (bytes(from.kind) * from.components != bytes(type.kind) * type.components || from == type)
      return {};
    Expression result{.what = What::Reinterpret, .type = type};
    result.operands.push_back(expression(from, depth));
    return result;
  }

  std::optional<Expression> componentExpression(Type type, unsigned depth) {
    const Type wide = {type.kind, random_.among(std::array{2u, 3u, 4u, 8u, 16u})};
    Expression result{.what = What::Component, .type = type};
    if (type.components == 1) {
      result.number = random_.below(wide.components);
      result.operands.push_back(expression(wide, depth));
      if (random_.chance(40)) {
        result.what = What::DynamicComponent;
        result.operands.push_back(expression({Kind::U32, 1}, depth));
      }
    } else if (random_.chance(50)) {
      result.what = What::Swizzle;
      for (unsigned i = 0; i < type.components; ++i)
        result.components.push_back(random_.below(wide.components));
      result.operands.push_back(expression(wide, depth));
    } else {
      result.what = What::Build;
      for (unsigned i = 0; i < type.components; ++i)
        result.operands.push_back(expression({type.kind, 1}, std::min(depth, 1u)));
    }
    return result;
  }

  std::optional<Expression> memory(Type type, unsigned depth) {
    std::vector<unsigned> fitting;
    for (unsigned i = 0; i < frame_->arrays.size(); ++i)
      if (frame_->arrays[i].type == type)
        fitting.push_back(i);
    Expression result{.what = What::Input, .type = type};
    if (!fitting.empty()) {
      result.what = What::Element;
      result.number = random_.among(fitting);
    } else if (random_.chance(60)) {
      return {};
    }
    result.operands.push_back(expression({Kind::U32, 1}, depth));
    return result;
  }

  std::optional<Expression> call(Type type, unsigned depth) {
    for (unsigned i = 0; i < callable(); ++i)
      if (const Function &function = program_.functions[i]; !function.throughPointer && function.result.type == type)
        return callOf(i, depth);
    return {};
  }
  unsigned callable() const { return unsigned(program_.functions.size()) - inFunction_; }
  std::optional<Expression> callOf(unsigned number, unsigned depth) {
    if (costs_[number] * repeats_ > MaxCost)
      return {};
    costs_.back() += costs_[number] * repeats_;
    const Function &function = program_.functions[number];
    Expression result{.what = What::Call, .type = function.result.type, .value = {}, .number = number};
    for (unsigned i = 0; i + function.throughPointer < function.parameters; ++i)
      result.operands.push_back(expression(function.variables[i], std::min(depth, 2u)));
    return result;
  }

  // Returns an expression that is equal in all work-items of the group.
  Expression uniformExpression() {
    switch (random_.below(4)) {
    case 0:
      return number(int32_t(random_.below(8)));
    case 1: {
      Expression group{.what = What::Convert, .type = {Kind::I32, 1}};
      group.operands.push_back({.what = random_.chance(50) ? What::GroupId : What::LocalSize, .type = {Kind::U32, 1}});
      return group;
    }
    default:
      return variable(random_.among(uniform_));
    }
  }
  Expression uniformCondition() {
    for (;;) {
      const Operation &operation = random_.among(operations());
      if (!operation.compares || operation.domain != Operation::Numbers)
        continue;
      Expression result{.what = What::Operation, .type = {Kind::I32, 1}};
      result.operation = &operation;
      result.operands = {uniformExpression(), uniformExpression()};
      return result;
    }
  }

  // Limits a trip count to 3.
  Expression iterations(Expression expression) { return applied("($T)($0 & $1)", std::move(expression), number(3)); }

  // ---- statements --------------------------------------------------------------------------------------------------

  std::vector<Statement> block(unsigned count) {
    std::vector<Statement> statements;
    for (unsigned i = 0; i < count; ++i)
      statements.push_back(statement());
    return statements;
  }

  Statement statement() {
    const bool mayNest = depth_ < 3;
    switch (random_.below(12)) {
    case 0:
      if (mayNest)
        return branch();
      break;
    case 1:
      if (mayNest && loops_ < 2)
        return loop();
      break;
    case 2:
      if (mayNest)
        return choice();
      break;
    case 3:
      if (loops_ && !inSwitch_)
        return leave();
      break;
    case 4:
      if (inFunction_ && depth_) {
        Statement result{.what = Statement::What::Return};
        result.expressions.push_back(expression(static_cast<Function *>(frame_)->result.type, 2));
        return result;
      }
      break;
    case 5:
      return setComponent();
    case 6:
    case 7:
      if (!frame_->arrays.empty())
        return setElement();
      break;
    case 8:
      if (std::optional<Statement> made = callThroughPointer())
        return std::move(*made);
      break;
    case 9:
      if (!graphs_.empty())
        return jump();
      if (mayNest)
        return graph();
      break;
    default:
      break;
    }
    return assign();
  }

  Statement assign() {
    Statement result{.what = Statement::What::Assign, .variable = random_.among(writable_)};
    result.expressions.push_back(expression(frame_->variables[result.variable], 3));
    return result;
  }

  std::optional<Statement> callThroughPointer() {
    for (unsigned i = 0; i < callable(); ++i) {
      const Function &function = program_.functions[i];
      if (!function.throughPointer)
        continue;
      std::vector<unsigned> targets, sources;
      for (unsigned v : writable_) {
        if (frame_->variables[v] == function.result.type)
          targets.push_back(v);
        // A pointer parameter of this function may be passed on as well.
        if (frame_->variables[v] == function.variables[function.parameters - 1])
          sources.push_back(v);
      }
      if (targets.empty() || sources.empty())
        continue;
      std::optional<Expression> made = callOf(i, 2);
      if (!made)
        continue;
      made->components = {random_.among(sources)};
      Statement result{.what = Statement::What::Assign, .variable = random_.among(targets)};
      result.expressions.push_back(std::move(*made));
      return result;
    }
    return {};
  }

  Statement setComponent() {
    std::vector<unsigned> vectors;
    std::ranges::copy_if(writable_, std::back_inserter(vectors),
                         [&](unsigned v) { return frame_->variables[v].components > 1; });
    if (vectors.empty())
      return assign();
    Statement result{.what = Statement::What::SetComponent, .variable = random_.among(vectors)};
    const Type type = frame_->variables[result.variable];
    result.component = random_.below(type.components);
    result.expressions.push_back(expression({type.kind, 1}, 3));
    if (random_.chance(40))
      result.expressions.push_back(expression({Kind::U32, 1}, 2));
    return result;
  }

  Statement setElement() {
    Statement result{.what = Statement::What::SetElement, .array = random_.below(frame_->arrays.size())};
    result.expressions.push_back(expression({Kind::U32, 1}, 2));
    result.expressions.push_back(expression(frame_->arrays[result.array].type, 3));
    return result;
  }

  Statement branch() {
    Statement result{.what = Statement::What::If};
    result.expressions.push_back(condition(2));
    ++depth_;
    result.bodies.push_back(block(1 + random_.below(3)));
    result.bodies.push_back(block(random_.below(3)));
    --depth_;
    return result;
  }

  Statement loop() {
    Statement result{.what = Statement::What::Loop};
    result.variable = addVariable({Kind::I32, 1}, false);
    result.expressions.push_back(iterations(expression({Kind::I32, 1}, 2)));
    const bool inSwitch = std::exchange(inSwitch_, false);
    ++depth_, ++loops_, repeats_ *= 3;
    result.bodies.push_back(block(1 + random_.below(3)));
    --depth_, --loops_, repeats_ /= 3;
    inSwitch_ = inSwitch;
    return result;
  }

  Statement choice() {
    Statement result{.what = Statement::What::Switch};
    result.expressions.push_back(iterations(expression({Kind::I32, 1}, 2)));
    const bool inSwitch = std::exchange(inSwitch_, true);
    ++depth_;
    for (unsigned i = 1 + random_.below(4); i--;) {
      result.bodies.push_back(block(1 + random_.below(2)));
      result.falls.push_back(random_.chance(30));
    }
    --depth_;
    inSwitch_ = inSwitch;
    return result;
  }

  // Blocks with jumps to any of them, so that loops have several ways in.
  Statement graph() {
    Statement result{.what = Statement::What::Graph, .array = graphCount_++};
    result.variable = addVariable({Kind::I32, 1}, false);
    result.expressions.push_back(perVisit(result.variable, 3));
    const bool isLoop = random_.chance(40);
    const bool inSwitch = std::exchange(inSwitch_, inSwitch_ || isLoop);
    const unsigned blocks = 2 + random_.below(4);
    graphs_.push_back({result.array, blocks, result.variable});
    ++depth_, repeats_ *= 4;
    for (unsigned i = 0; i < blocks; ++i) {
      result.bodies.push_back(block(1 + random_.below(2)));
      for (unsigned jumps = random_.below(3); jumps; --jumps)
        result.bodies.back().push_back(jump());
    }
    if (isLoop)
      result.expressions.push_back(jumpCondition(result.variable));
    --depth_, repeats_ /= 4;
    graphs_.pop_back();
    inSwitch_ = inSwitch;
    return result;
  }

  Statement jump() {
    const auto [graph, blocks, visits] = random_.among(graphs_);
    Statement jump{.what = Statement::What::Jump, .component = random_.below(blocks), .array = graph};
    Statement result{.what = Statement::What::If};
    result.expressions.push_back(jumpCondition(visits));
    result.bodies = {{std::move(jump)}, {}};
    return result;
  }

  // Most conditions of other kinds are constant, or equal in all visits of a block.
  Expression jumpCondition(unsigned visits) {
    if (random_.chance(20))
      return condition(1);
    for (;;)
      if (const Operation &operation = random_.among(operations());
          operation.compares && operation.domain == Operation::Numbers) {
        Expression result{.what = What::Operation, .type = {Kind::I32, 1}};
        result.operation = &operation;
        result.operands = {perVisit(visits, 7), unsignedNumber(1 + random_.below(6))};
        return result;
      }
  }

  // A number up to `mask`, a power of two less one, that depends on the work-item and on the blocks that it has run.
  Expression perVisit(unsigned visits, uint32_t mask) {
    const Type type{Kind::U32, 1};
    Expression count{.what = What::Convert, .type = type}, input{.what = What::Input, .type = type};
    count.operands.push_back(variable(visits));
    input.operands.push_back(applied(Plus, applied(Plus, {.what = What::GlobalId, .type = type}, std::move(count)),
                                     unsignedNumber(random_.below(1000))));
    return applied("($T)($0 & $1)", std::move(input), unsignedNumber(mask));
  }

  Statement leave() {
    Statement result{.what = Statement::What::If};
    result.expressions.push_back(condition(1));
    const auto what = random_.chance(50) ? Statement::What::Break : Statement::What::Continue;
    result.bodies = {{{.what = what}}, {}};
    return result;
  }

  // ---- statements of the whole group
  // ------------------------------------------------------------------------------------------

  std::vector<Statement> groupBlock(unsigned count, unsigned depth) {
    std::vector<Statement> statements;
    for (unsigned i = 0; i < count; ++i)
      statements.push_back(random_.chance(45) ? groupStatement(depth) : statement());
    return statements;
  }

  Statement groupStatement(unsigned depth) {
    switch (random_.below(depth < 2 ? 8 : 5)) {
    case 0:
      return {.what = Statement::What::Barrier};
    case 1:
      return groupReduce();
    case 5:
    case 6: {
      Statement result{.what = Statement::What::If};
      result.expressions.push_back(uniformCondition());
      result.bodies.push_back(groupBlock(1 + random_.below(3), depth + 1));
      result.bodies.push_back(groupBlock(random_.below(3), depth + 1));
      return result;
    }
    case 7: {
      Statement result{.what = Statement::What::Loop};
      result.expressions.push_back(iterations(uniformExpression()));
      result.variable = addVariable({Kind::I32, 1}, false);
      uniform_.push_back(result.variable);
      repeats_ *= 3;
      result.bodies.push_back(groupBlock(1 + random_.below(3), depth + 1));
      repeats_ /= 3;
      return result;
    }
    default:
      return exchange();
    }
  }

  Statement exchange() {
    Statement result{.what = Statement::What::Exchange, .variable = random_.among(writable_)};
    const Type type = frame_->variables[result.variable];
    result.array = unsigned(program_.shared.size());
    program_.shared.push_back(type);
    result.a = 1 + random_.below(5), result.b = random_.below(70);
    result.expressions.push_back(expression(type, 2));
    return result;
  }

  Statement groupReduce() {
    std::vector<unsigned> fitting;
    std::ranges::copy_if(writable_, std::back_inserter(fitting),
                         [&](unsigned v) { return frame_->variables[v] == Type{Kind::U32, 1}; });
    if (fitting.empty())
      return exchange();
    Statement result{.what = Statement::What::Reduce, .variable = random_.among(fitting)};
    result.array = unsigned(program_.shared.size());
    program_.shared.push_back({Kind::U32, 1});
    result.a = random_.below(6);
    result.expressions.push_back(expression({Kind::U32, 1}, 2));
    return result;
  }

  static constexpr uint64_t MaxCost = 3000;

  Random random_;
  Program program_;
  Frame *frame_ = nullptr;
  std::vector<unsigned> writable_, uniform_;
  std::vector<uint64_t> costs_; // approximate number of steps per function
  bool inFunction_ = false, inSwitch_ = false;
  struct OpenGraph {
    unsigned number, blocks, visits;
  };
  std::vector<OpenGraph> graphs_; // those that contain the next statement
  unsigned graphCount_ = 0;
  unsigned depth_ = 0, loops_ = 0;
  uint64_t repeats_ = 1; // product of the trip counts of the enclosing loops
};

} // namespace

Program generateOperators(uint64_t seed) { return Generator(seed).run(); }

} // namespace kiln::differential
