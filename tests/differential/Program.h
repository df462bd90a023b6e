// A generated program: one kernel and some functions. Its behaviour is defined for every work-item.
//
// Two generators share this representation. `generateOperators` covers types, operators and built-ins: its kernels have
// one input and one output, and write all variables to the output. `generatePeople` covers index arithmetic as people
// write it: its kernels have typed buffers (`memories`), scalar arguments and one to three dimensions.
#pragma once
#include "tests/differential/Operations.h"
#include <algorithm>
#include <memory>
#include <vector>

namespace kiln::differential {

struct Expression {
  enum class What {
    Constant,         // value
    Variable,         // number
    Operation,        // operation of operands
    Convert,          // operand to type, written as `form` says
    Reinterpret,      // operand as type; a NaN counts as 1
    Component,        // component `number` of an operand
    DynamicComponent, // component operand 1 of operand 0
    Swizzle,          // the `components` of an operand
    Build,            // a vector of scalar operands
    Any,              // any() of a comparison, or all() if `number` is 1
    Element,          // element of array `number`; the operand is the index
    Input,            // element of the kernel's input; the operand is the index
    GlobalId,
    LocalId,
    GroupId,
    LocalSize,
    Call, // of function `number`; components[0] is the variable whose address is passed
    // Only in style `people`:
    WorkItem,    // Query `number` / 3 of dimension `number` % 3
    Load,        // member `components[0]` of element operand 0 of memory `number`; a vload if the type has more
                 // components than the member
    AndThen,     // operand 0 && operand 1
    OrElse,      // operand 0 || operand 1
    Not,         // !operand
    Conditional, // operand 0 ? operand 1 : operand 2
  };
  enum class Form { Function, Cast, Implicit }; // convert_T(x), (T)x, x
  What what;
  Type type = {};
  Value value = {};
  unsigned number = 0;
  const Operation *operation = nullptr;
  bool saturates = false;
  Rounding rounding = Rounding::Default;
  Form form = Form::Function;
  std::vector<unsigned> components = {};
  std::vector<Expression> operands = {};
};

struct Statement {
  enum class What {
    Assign,       // variable = expressions[0]
    SetComponent, // component `component` of a variable, or component expressions[1] if there is one, = expressions[0]
    SetElement,   // array[expressions[0]] = expressions[1]
    If,           // if (expressions[0]) bodies[0] else bodies[1]
    Loop,         // for (variable = 0; variable < expressions[0]; ++variable) bodies[0]; expressions[0] is small
    Switch,       // on expressions[0]: bodies are the cases, the last is the default; `falls`: the case falls through
    Break,
    Continue,
    Return, // from a function, or from the kernel after its last barrier
    Graph,  // blocks of a control-flow graph: starts with bodies[expressions[0]], or the last one if that is too large.
            // Each goes on with the next one, unless a Jump names another. `array` is its number, `variable` counts
            // the blocks that ran: after MaxVisits, the statement ends. If there is expressions[1], the blocks are in a
            // loop, which the last one repeats while that is true, and which a switch enters.
    Jump,   // to block `component` of graph `array`, which contains the statement
    // Only in style `people`:
    Declare, // declares variable = expressions[0]
    For,     // declares variable = expressions[0]; while expressions[1]: bodies[0], then variable = expressions[2]
    Store,   // member `component` of element expressions[0] of memory `array` = expressions[1]; a vstore if the value
             // has more components than the member
    Atomic,  // atomic operation `a` on element expressions[0] of memory `array` of uints, with expressions[1]
    // Executed by all work-items of the group:
    Exchange, // variable = expressions[0] of work-item (local id * a + b) % local size
    Reduce,   // variable = the group's values of expressions[0], combined by atomic operation `a` in local memory
    Barrier,
  };
  What what;
  unsigned variable = 0, component = 0, array = 0; // Exchange, Reduce: `array` is an index in Program::shared
  unsigned a = 1, b = 0;
  std::vector<Expression> expressions = {};
  std::vector<std::vector<Statement>> bodies = {};
  std::vector<bool> falls = {};
};

struct Array {
  Type type;
  unsigned size; // a power of two: indices are masked
};

/// The variables, arrays and statements of a function or the kernel. The first variables are the parameters.
struct Frame {
  std::vector<Type> variables;
  std::vector<Array> arrays;
  std::vector<Statement> body;
};

struct Function : Frame {
  unsigned parameters = 0;
  bool throughPointer = false; // the last parameter is a pointer to a variable of the caller
  Expression result;
};

/// The work-item functions of Expression::What::WorkItem. The linear ids have no dimension.
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
  std::vector<Type> members; // if more than one, elements are structs
  size_t elements = 0;
  unsigned storage = 0; // index in Program::storages; several parameters may have one storage
};
/// The byte offset of a member in an element, by C's layout rules.
size_t offsetOf(const Memory &memory, unsigned member);
size_t elementBytes(const Memory &memory);
size_t bytesOf(Type type);

struct Range {
  unsigned dimensions = 1;
  bool isLocalGiven = true; // if false, the runtime chooses the local size, and the program does not depend on it
  std::array<size_t, 3> global = {1, 1, 1}, local = {1, 1, 1}, offset = {0, 0, 0};

  std::array<size_t, 3> groups() const {
    std::array<size_t, 3> result;
    for (unsigned d = 0; d < 3; ++d)
      result[d] = (global[d] + local[d] - 1) / local[d];
    return result;
  }
};

/// A scalar argument of the kernel; `variable` is its parameter.
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
  std::vector<Type> shared; // variables in local memory
  Range range;
  std::vector<Memory> memories;               // the global ones are the first parameters
  std::vector<Argument> arguments;            // the parameters after them
  std::vector<std::vector<uint8_t>> storages; // the bytes of each buffer before the kernel runs

  std::string kernelName() const { return "k" + std::to_string(seed); }
};

/// The most blocks that a Statement::What::Graph runs.
inline constexpr int32_t MaxVisits = 12;

inline constexpr unsigned InputBytes = 4096;
constexpr unsigned inputElements(Type type) { return InputBytes / (bytes(type.kind) * type.components); }
/// Atomic operation `a`: add, xor, or, and, min, max.
inline constexpr const char *AtomicNames[] = {"atomic_add", "atomic_xor", "atomic_or",
                                              "atomic_and", "atomic_min", "atomic_max"};
constexpr uint32_t atomicResult(unsigned a, uint32_t old, uint32_t value) {
  const uint32_t results[] = {old + value, old ^ value,          old | value,
                              old & value, std::min(old, value), std::max(old, value)};
  return results[a];
}
/// The identity of atomic operation `a`.
constexpr uint32_t reduceIdentity(unsigned a) { return a == 3 || a == 4 ? ~0u : 0; }
inline constexpr unsigned UniformParameters = 2; // the kernel's first variables, int arguments

Program generateOperators(uint64_t seed);
Program generatePeople(uint64_t seed);
inline Program generate(Style style, uint64_t seed) {
  return style == Style::People ? generatePeople(seed) : generateOperators(seed);
}
/// `preamble` returns the start of every source, `write` one program's OpenCL C.
std::string preamble();
std::string write(const Program &program);

/// A 64-bit word of a work-item's output, which contains one component of a variable. Style Operators only.
struct OutputWord {
  unsigned variable, component;
  Kind kind;
};
std::vector<OutputWord> outputWords(const Program &program);
/// The value of a word that a work-item did not write because it returned early.
inline constexpr uint64_t Untouched = 0x5a5a5a5a5a5a5a5a;

/// Thrown by `evaluate` if a program of style People has undefined behaviour, a race, or takes too many steps.
struct Undefined {
  std::string reason;
};
/// The bytes of each of the program's storages after the kernel ran.
std::vector<std::vector<uint8_t>> evaluate(const Program &program);

} // namespace kiln::differential
