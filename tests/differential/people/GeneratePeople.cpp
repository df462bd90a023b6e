// Generates programs of style People: one to three common patterns with random expressions.
//
// If `evaluate` finds undefined behaviour, the attempt is dropped and the next one is tried.
#include "tests/differential/people/Shapes.h"

namespace kiln::differential {
namespace people {
namespace {

const Shape Shapes[] = {
    {addStores, 10, true, false},      {addRows, 8, true, false},
    {addStencil, 3, false, false},     {addGridStride, 4, false, false},
    {addSharedRows, 3, false, false},  {addBlock, 2, false, false},
    {addGroupStride, 2, false, false}, {addSum, 4, false, false},
    {addWalk, 3, false, false},        {addTree, 5, false, true},
    {addScan, 2, false, true},         {addExchange, 3, false, true},
    {addHalo, 3, false, true},         {addSameBuffer, 3, true, false},
    {addHistogram, 2, false, false},   {addGroupHistogram, 2, false, true},
    {addVectors, 3, true, false},      {addStructs, 3, true, false},
    {addWrapped, 6, true, false},      {addGuardedOverflow, 3, true, false},
    {addFirstItems, 3, true, false},   {addRecords, 5, true, false},
};

void addShape(Kernel &kernel, bool mayHaveBarrier) {
  unsigned all = 0;
  const bool isFar = kernel.hasFarIds();
  auto weight = [&](const Shape &shape) {
    return (shape.hasBarrier && !mayHaveBarrier) || (isFar && !shape.supportsFarIds) ? 0 : shape.weight;
  };
  for (const Shape &shape : Shapes)
    all += weight(shape);
  unsigned chosen = kernel.random.below(all);
  for (const Shape &shape : Shapes) {
    if (chosen < weight(shape))
      return shape.add(kernel);
    chosen -= weight(shape);
  }
}

/// if (i >= n) return;
void addEarlyReturn(Kernel &kernel) {
  const unsigned d = kernel.random.below(kernel.range().dimensions);
  const Bounded id = kernel.globalId(d);
  const Wide count = id.high - id.low + 1, rest = kernel.random.below(uint64_t(count / 3 + 1));
  Expression condition = binary(Op::GreaterEqual, id, kernel.amount(id.high + 1 - rest))->expression;
  if (kernel.random.chance(25))
    condition = logical(Expression::What::OrElse, std::move(condition), kernel.condition(1));
  kernel.branch(std::move(condition), [&] { kernel.emit({.what = Statement::What::Return}); });
}

Program attempt(uint64_t seed, uint64_t number) {
  Kernel kernel(seed, number);
  bool mayHaveBarrier = kernel.range().isLocalGiven;
  for (unsigned count = kernel.random.of(1, 1, 2, 2, 3); count--;) {
    if (kernel.random.chance(15)) {
      addEarlyReturn(kernel);
      mayHaveBarrier = false;
    }
    addShape(kernel, mayHaveBarrier);
  }
  return kernel.finish();
}

} // namespace

} // namespace people

Program generatePeople(uint64_t seed) {
  for (uint64_t number = 0;; ++number) {
    Program program = people::attempt(seed, number);
    try {
      evaluate(program);
      return program;
    } catch (const Undefined &) {
    }
  }
}

} // namespace kiln::differential
