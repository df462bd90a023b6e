// A program as a generator makes it: one kernel, some functions, everything defined for every work-item.
//
// Two generators share this representation. `generateOperators` covers types, operators and built-ins: its kernels have
// one input, one output and variables that are all written to the output. `generatePeople` covers index arithmetic as
// people write it: its kernels have typed buffers (`memories`), scalar arguments and one to three dimensions.
#pragma once
#include "tests/differential/Operations.h"
#include <algorithm>
#include <memory>
#include <vector>

namespace kiln::differential {

struct Expression {
  enum class What {
    Constant,    // value
    Variable,    // number
    Operation,   // operation of operands
    Convert,     // operand to type, written as `form` says
    Reinterpret, // operand as type; a NaN counts as 1
    Component,   // lane `number` of an operand
    Chosen,      // the lane of an operand that another one says
    Swizzle,     // lanes of an operand
    Build,       // a vector out of scalars
    Any,         // any() or, with number 1, all() of a comparison
    Element,     // of array `number` at an operand
    Input,       // an element of the kernel's input at an operand
    GlobalId,
    LocalId,
    GroupId,
    LocalSize,
    Call, // of function `number`; lanes[0] is the variable whose address it gets
    // The style `people` has these as well:
    WorkItem,    // Query `number` / 3 of dimension `number` % 3
    Load,        // member `lanes[0]` of element operand 0 of memory `number`; more lanes than the member: vload
    AndThen,     // operand 0 && operand 1
    OrElse,      // operand 0 || operand 1
    Not,         // !operand
    Conditional, // operand 0 ? operand 1 : operand 2
  };
  enum class Form { Function, Cast, Implicit }; // convert_T(x), (T)x, x
  // Fields without a mention in an initialiser have these values.
  What what;
  Type type = {};
  Value value = {};
  unsigned number = 0;
  const Operation *operation = nullptr;
  bool saturates = false;
  Rounding rounding = Rounding::Default;
  Form form = Form::Function;
  std::vector<unsigned> lanes = {};
  std::vector<Expression> operands = {};
};

struct Statement {
  enum class What {
    Assign,     // variable = expressions[0]
    SetLane,    // one lane of a variable: `lane`, or the one that expressions[1] says
    SetElement, // array[expressions[0]] = expressions[1]
    If,         // expressions[0]: bodies[0] else bodies[1]
    Loop,       // variable from 0 to expressions[0], which is small: bodies[0]
    Switch,     // over expressions[0]: bodies are the cases, the last the default; `falls` says which run on
    Break,
    Continue,
    Return, // from a function, or from the kernel, behind its last barrier
    // The style `people` has these as well:
    Declare, // variable = expressions[0], which is its declaration
    For,     // declares variable = expressions[0]; while expressions[1]: bodies[0], then variable = expressions[2]
    Store,   // member `lane` of element expressions[0] of memory `array` = expressions[1]; more lanes: vstore
    Atomic,  // atomic operation `a` on element expressions[0] of memory `array`, which has uints, with expressions[1]
    // Of the whole group, where all of its work-items come:
    Exchange, // variable = what another work-item has as expressions[0]; a and b say which
    Gather,   // variable = all of the group's expressions[0] together, by atomic operation `a` in local memory
    Barrier,
  };
  What what;
  unsigned variable = 0, lane = 0, array = 0; // of an exchange or gather, `array` is its place in Program::shared
  unsigned a = 1, b = 0;
  std::vector<Expression> expressions = {};
  std::vector<std::vector<Statement>> bodies = {};
  std::vector<bool> falls = {};
};

struct Array {
  Type type;
  unsigned size; // a power of two: indices are masked
};

/// What a function or the kernel works with. Parameters are the first variables.
struct Frame {
  std::vector<Type> variables;
  std::vector<Array> arrays;
  std::vector<Statement> body;
};

struct Function : Frame {
  unsigned parameters = 0;
  bool throughPointer = false; // the last parameter is a pointer to a variable of the caller, which gets its last value
  Expression result;
};

/// What Expression::What::WorkItem reads. The linear ids have no dimension.
enum class Query {
  GlobalId,
  LocalId,
  GroupId,
  GlobalSize,
  LocalSize,
  EnqueuedLocalSize,
  NumGroups,
  GlobalOffset,
  GlobalLinearId,
  LocalLinearId
};

/// An array that the kernel reads or writes: a parameter, or a variable in local memory.
struct Memory {
  enum class Space { ConstGlobal, Global, Local } space;
  std::vector<Type> members; // more than one: the elements are structs
  size_t elements = 0;
  unsigned storage = 0; // of Program::storages; parameters may share one
};
/// Layout of C for the members of one element.
size_t offsetOf(const Memory &memory, unsigned member);
size_t elementBytes(const Memory &memory);
size_t bytesOf(Type type);

struct Range {
  unsigned dimensions = 1;
  bool isLocalGiven = true; // false: the runtime chooses, and the program does not depend on it
  std::array<size_t, 3> global = {1, 1, 1}, local = {1, 1, 1}, offset = {0, 0, 0};

  std::array<size_t, 3> groups() const {
    std::array<size_t, 3> result;
    for (unsigned d = 0; d < 3; ++d)
      result[d] = (global[d] + local[d] - 1) / local[d];
    return result;
  }
};

/// A scalar parameter of the kernel, which is one of its variables.
struct Argument {
  unsigned variable;
  Value value;
};

enum class Style { Operators, People };

struct Program {
  Style style = Style::Operators;
  uint64_t seed = 0;
  std::vector<Function> functions; // each calls those before it
  Frame kernel;
  std::vector<Type> shared; // what lies in local memory
  Range range;
  std::vector<Memory> memories;               // global ones are the first parameters
  std::vector<Argument> arguments;            // the parameters after them
  std::vector<std::vector<uint8_t>> storages; // the bytes of each buffer before the kernel runs

  std::string kernelName() const { return "k" + std::to_string(seed); }
};

inline constexpr unsigned InputBytes = 4096;
constexpr unsigned inputElements(Type type) { return InputBytes / (bytes(type.kind) * type.lanes); }
/// Atomic operation `a`: add, xor, or, and, min, max.
inline constexpr const char *AtomicNames[] = {"atomic_add", "atomic_xor", "atomic_or",
                                              "atomic_and", "atomic_min", "atomic_max"};
constexpr uint32_t atomicResult(unsigned a, uint32_t old, uint32_t value) {
  const uint32_t results[] = {old + value, old ^ value,          old | value,
                              old & value, std::min(old, value), std::max(old, value)};
  return results[a];
}
/// What a gather by operation `a` starts from.
constexpr uint32_t gatherStart(unsigned a) { return a == 3 || a == 4 ? ~0u : 0; }
inline constexpr unsigned UniformParameters = 2; // the kernel's first variables, int arguments

Program generateOperators(uint64_t seed);
Program generatePeople(uint64_t seed);
inline Program generate(Style style, uint64_t seed) {
  return style == Style::People ? generatePeople(seed) : generateOperators(seed);
}
/// What every source starts with, and one program's part of it.
std::string preamble();
std::string write(const Program &program);

/// Where a variable's lanes lie in a work-item's output: one 64-bit word a lane. Style Operators only.
struct OutputWord {
  unsigned variable, lane;
  Kind kind;
};
std::vector<OutputWord> outputWords(const Program &program);
/// The bytes of a word that a work-item did not write because it returned early.
inline constexpr uint64_t Untouched = 0x5a5a5a5a5a5a5a5a;

/// Thrown by `evaluate` if a program of style People has undefined behaviour, a race, or takes too many steps.
struct Undefined {
  std::string reason;
};
/// The bytes of each of the program's storages after the kernel ran.
std::vector<std::vector<uint8_t>> evaluate(const Program &program);

} // namespace kiln::differential
