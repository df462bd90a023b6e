// A program as the generator makes it: one kernel, some functions, everything defined for every work-item.
#pragma once
#include "tests/differential/Operations.h"
#include <memory>
#include <vector>

namespace kiln::differential {

struct Expression {
  enum class What {
    Constant,    // value
    Variable,    // number
    Operation,   // operation of operands
    Convert,     // operand to type
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
  };
  What what;
  Type type;
  Value value;
  unsigned number = 0;
  const Operation *operation = nullptr;
  bool saturates = false;
  Rounding rounding = Rounding::Default;
  std::vector<unsigned> lanes;
  std::vector<Expression> operands;
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
    // Of the whole group, where all of its work-items come:
    Exchange, // variable = what another work-item has as expressions[0]; a and b say which
    Gather,   // variable = all of the group's expressions[0] together, by atomic operation `a` in local memory
    Barrier,
  };
  What what;
  unsigned variable = 0, lane = 0, array = 0; // of an exchange or gather, `array` is its place in Program::shared
  unsigned a = 1, b = 0;
  std::vector<Expression> expressions;
  std::vector<std::vector<Statement>> bodies;
  std::vector<bool> falls;
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

struct Program {
  uint64_t seed = 0;
  std::vector<Function> functions; // each calls those before it
  Frame kernel;
  std::vector<Type> shared; // what lies in local memory
  size_t globalSize = 0, localSize = 0;

  std::string kernelName() const { return "k" + std::to_string(seed); }
};

inline constexpr unsigned InputBytes = 4096;
constexpr unsigned inputElements(Type type) { return InputBytes / (bytes(type.kind) * type.lanes); }
/// What a gather by operation `a` starts from: add, xor, or, and, min, max.
constexpr uint32_t gatherStart(unsigned a) { return a == 3 || a == 4 ? ~0u : 0; }
inline constexpr unsigned UniformParameters = 2; // the kernel's first variables, int arguments

Program generate(uint64_t seed);
/// What every source starts with, and one program's part of it.
std::string preamble();
std::string write(const Program &program);

/// Where a variable's lanes lie in a work-item's output: one 64-bit word a lane.
struct OutputWord {
  unsigned variable, lane;
  Kind kind;
};
std::vector<OutputWord> outputWords(const Program &program);
/// The output of all work-items; what a work-item that returned early did not write stays Untouched.
inline constexpr uint64_t Untouched = 0x5a5a5a5a5a5a5a5a;
std::vector<uint64_t> evaluate(const Program &program, const std::vector<int32_t> &arguments,
                               const std::vector<uint8_t> &input);

} // namespace kiln::differential
