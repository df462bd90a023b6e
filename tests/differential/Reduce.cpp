#include "tests/differential/Reduce.h"
#include "tests/differential/Supervise.h"
#include <algorithm>

namespace kiln::differential {
namespace {

/// Applies one simplification to a program. `number` is its index in an order that depends only on the program.
class Edit {
public:
  Edit(Program &program, size_t number) : program_(program), left_(number) {}

  /// Returns false if the program has no simplification of that number.
  bool apply() { return simplifyRange() || simplifyList(program_.kernel.body) || dropUnusedParameter(); }

private:
  bool isChosen() { return left_-- == 0; }

  bool simplifyRange() {
    Range &range = program_.range;
    for (unsigned d = 0; d < range.dimensions; ++d) {
      if (range.offset[d] && isChosen())
        return range.offset[d] = 0, true;
      if (range.global[d] > range.local[d] && isChosen())
        return range.global[d] = range.local[d], true;
      if (range.global[d] % range.local[d] && isChosen())
        return range.global[d] += range.local[d] - range.global[d] % range.local[d], true;
      if (range.local[d] > 1 && isChosen())
        return range.global[d] = range.local[d] = (range.local[d] + 1) / 2, true;
    }
    return false;
  }

  bool simplifyList(std::vector<Statement> &list) {
    for (size_t i = 0; i < list.size(); ++i) {
      Statement &s = list[i];
      const auto here = list.begin() + std::ptrdiff_t(i);
      const bool isNeeded = s.what == Statement::What::Declare && uses(program_.kernel.body, s.variable) > 1;
      if (!isNeeded && isChosen())
        return list.erase(here), true;
      if (s.what == Statement::What::If)
        for (unsigned body : {0, 1})
          if (isChosen())
            return replace(list, i, std::vector<Statement>(s.bodies[body])), true;
      if (s.what == Statement::What::For && !leavesLoop(s.bodies[0]) && isChosen()) {
        std::vector<Statement> once = s.bodies[0];
        Statement declaration{Statement::What::Declare, s.variable};
        declaration.expressions = {s.expressions[0]};
        once.insert(once.begin(), std::move(declaration));
        return replace(list, i, std::move(once)), true;
      }
    }
    for (Statement &s : list) {
      for (std::vector<Statement> &body : s.bodies)
        if (simplifyList(body))
          return true;
      for (Expression &e : s.expressions)
        if (simplifyExpression(e))
          return true;
    }
    return false;
  }

  static void replace(std::vector<Statement> &list, size_t at, std::vector<Statement> by) {
    list.erase(list.begin() + std::ptrdiff_t(at));
    list.insert(list.begin() + std::ptrdiff_t(at), by.begin(), by.end());
  }

  bool simplifyExpression(Expression &e) {
    if (e.what == Expression::What::Constant)
      return false;
    for (size_t i = 0; i < e.operands.size(); ++i)
      if (e.operands[i].type == e.type && isChosen()) {
        Expression operand = std::move(e.operands[i]);
        if (operand.form == Expression::Form::Implicit) // C may not convert implicitly here
          operand.form = Expression::Form::Cast;
        return e = std::move(operand), true;
      }
    for (unsigned number : {0, 1})
      if (isChosen()) {
        Expression constant{Expression::What::Constant, e.type};
        constant.value.type = e.type;
        for (unsigned component = 0; component < e.type.components; ++component)
          constant.value.components[component] =
              withNumber(e.type.kind, [number](auto zero) { return toBits(decltype(zero)(number)); });
        return e = std::move(constant), true;
      }
    return std::ranges::any_of(e.operands, [&](Expression &operand) { return simplifyExpression(operand); });
  }

  /// Removes an unused parameter and renumbers the memories.
  bool dropUnusedParameter() {
    if (program_.style == Style::Operators)
      return false;
    std::vector<Argument> &arguments = program_.arguments;
    for (size_t i = 0; i < arguments.size(); ++i)
      if (uses(program_.kernel.body, arguments[i].variable) == 0 && isChosen())
        return arguments.erase(arguments.begin() + std::ptrdiff_t(i)), true;
    for (unsigned i = 0; i < program_.memories.size(); ++i) {
      bool isUsed = false;
      onMemories(program_.kernel.body, [&](unsigned &memory) { isUsed |= memory == i; });
      if (isUsed || !isChosen())
        continue;
      onMemories(program_.kernel.body, [&](unsigned &memory) { memory -= memory > i; });
      program_.memories.erase(program_.memories.begin() + i);
      return true;
    }
    return false;
  }

  static bool leavesLoop(const std::vector<Statement> &list) {
    return std::ranges::any_of(list, [](const Statement &s) {
      const bool isLoop = s.what == Statement::What::For || s.what == Statement::What::Loop;
      return s.what == Statement::What::Break || s.what == Statement::What::Continue ||
             (!isLoop && std::ranges::any_of(s.bodies, leavesLoop));
    });
  }

  static size_t uses(const Expression &e, unsigned variable) {
    size_t count = e.what == Expression::What::Variable && e.number == variable;
    for (const Expression &operand : e.operands)
      count += uses(operand, variable);
    return count;
  }
  /// The declaration counts as a use.
  static size_t uses(const std::vector<Statement> &list, unsigned variable) {
    size_t count = 0;
    for (const Statement &s : list) {
      const bool names =
          s.what == Statement::What::Assign || s.what == Statement::What::Declare || s.what == Statement::What::For;
      count += names && s.variable == variable;
      for (const Expression &e : s.expressions)
        count += uses(e, variable);
      for (const std::vector<Statement> &body : s.bodies)
        count += uses(body, variable);
    }
    return count;
  }

  template <typename Body> static void onMemories(Expression &e, Body body) {
    if (e.what == Expression::What::Load)
      body(e.number);
    for (Expression &operand : e.operands)
      onMemories(operand, body);
  }
  template <typename Body> static void onMemories(std::vector<Statement> &list, Body body) {
    for (Statement &s : list) {
      if (s.what == Statement::What::Store || s.what == Statement::What::Atomic)
        body(s.array);
      for (Expression &e : s.expressions)
        onMemories(e, body);
      for (std::vector<Statement> &inner : s.bodies)
        onMemories(inner, body);
    }
  }

  Program &program_;
  size_t left_;
};

bool isDefined(const Program &program) {
  try {
    evaluate(program);
    return true;
  } catch (const Undefined &) {
    return false;
  }
}

} // namespace

Program reduce(const Settings &settings, Program program) {
  const Outcome outcome = outcomeOf(settings, program);
  for (bool isSmaller = isWrong(outcome); isSmaller;) {
    isSmaller = false;
    for (size_t number = 0;;) {
      Program smaller = program;
      if (!Edit(smaller, number).apply())
        break;
      if (isDefined(smaller) && outcomeOf(settings, smaller) == outcome) {
        program = std::move(smaller);
        isSmaller = true;
      } else {
        ++number;
      }
    }
  }
  return program;
}

} // namespace kiln::differential
