#include "tests/differential/people/Kernel.h"

namespace kiln::differential::people {

Kernel::Kernel(uint64_t seed, uint64_t attempt) : random(seed * 1000 + attempt), body_(&program_.kernel.body) {
  program_.style = Style::People;
  program_.seed = seed;
  chooseRange();
  declareIds();
}

Bounded Kernel::newVariable(Kind kind, Wide low, Wide high) {
  Bounded result{{.what = Expression::What::Variable, .type = {kind, 1}}, low, high};
  result.expression.number = unsigned(program_.kernel.variables.size());
  program_.kernel.variables.push_back({kind, 1});
  return result;
}

Bounded Kernel::declareMutable(Kind kind, Bounded value, Wide low, Wide high) {
  Bounded result = newVariable(kind, low, high);
  Statement statement{.what = Statement::What::Declare, .variable = result.expression.number};
  statement.expressions.push_back(assigned(std::move(value), kind).expression);
  emit(std::move(statement));
  return result;
}

Bounded Kernel::declare(Kind kind, Bounded value) {
  value = assigned(std::move(value), kind);
  const Wide low = value.low, high = value.high;
  Bounded result = declareMutable(kind, std::move(value), low, high);
  if (!isFloat(kind))
    addNumber(result, 2);
  return result;
}

void Kernel::assign(const Bounded &variable, Bounded value) {
  Statement statement{.what = Statement::What::Assign, .variable = variable.expression.number};
  statement.expressions.push_back(assigned(std::move(value), variable.kind()).expression);
  emit(std::move(statement));
}

void Kernel::atomic(unsigned operation, unsigned memory, Expression index, Bounded value) {
  Statement statement{.what = Statement::What::Atomic, .array = memory, .a = operation};
  statement.expressions = {std::move(index), assigned(std::move(value), Kind::U32).expression};
  emit(std::move(statement));
}

Bounded Kernel::argument(Wide value) {
  std::vector<const Argument *> fitting;
  for (const Argument &each : program_.arguments)
    if (convert(each.value.type.kind, each.value.components[0], Kind::I64, false, Rounding::Default) == uint64_t(value))
      fitting.push_back(&each);
  if (!fitting.empty()) {
    const Argument &found = *random.among(fitting);
    Bounded result{{.what = Expression::What::Variable, .type = found.value.type}, value, value};
    result.expression.number = found.variable;
    return result;
  }
  if (program_.arguments.size() >= 8)
    return constant(kindFor(value, value), value);
  const Bounded result = newVariable(kindFor(value, value), value, value);
  program_.arguments.push_back({result.expression.number, constant(result.kind(), value).expression.value});
  return result;
}

} // namespace kiln::differential::people
