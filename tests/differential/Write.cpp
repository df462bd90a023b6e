// Programs as OpenCL C.
#include "tests/differential/Program.h"
#include <algorithm>
#include <cstdio>

namespace kiln::differential {
namespace {

using What = Expression::What;

std::string hex(uint64_t bits) {
  char text[20];
  snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(bits));
  return text;
}

std::string literal(Kind kind, uint64_t bits) {
  const unsigned size = bytes(kind);
  const std::string number = hex(bits) + (size == 8 ? "UL" : "U");
  if (!isFloat(kind) && !isSigned(kind))
    return "(" + name({kind, 1}) + ")" + number;
  return "as_" + name({kind, 1}) + "((" + name({unsignedKind(size), 1}) + ")" + number + ")";
}

std::string lane(unsigned number) { return std::string(".s") + "0123456789abcdef"[number]; }

class Writer {
public:
  explicit Writer(const Program &program) : program_(program) {}

  std::string run() {
    for (unsigned i = 0; i < program_.functions.size(); ++i)
      function(i);
    kernel();
    return std::move(out_);
  }

private:
  std::string functionName(unsigned i) const { return "f" + std::to_string(program_.seed) + "_" + std::to_string(i); }
  std::string variableName(unsigned i) const {
    const std::string plain = "v" + std::to_string(i);
    return function_ && function_->throughPointer && i + 1 == function_->parameters ? "(*" + plain + ")" : plain;
  }

  void line(const std::string &text) { out_.append(2 * indent_, ' ').append(text).append("\n"); }

  void declare(unsigned firstVariable) {
    for (unsigned i = firstVariable; i < frame_->variables.size(); ++i)
      line(name(frame_->variables[i]) + " v" + std::to_string(i) + " = 0;");
    for (unsigned i = 0; i < frame_->arrays.size(); ++i) {
      const Array &array = frame_->arrays[i];
      const std::string a = "a" + std::to_string(i), size = std::to_string(array.size);
      line(name(array.type) + " " + a + "[" + size + "];");
      line("for (int i = 0; i < " + size + "; ++i) " + a + "[i] = 0;");
    }
  }

  void function(unsigned number) {
    const Function &function = program_.functions[number];
    function_ = &function, frame_ = &function;
    std::string head = name(function.result.type) + " " + functionName(number) + "(";
    for (unsigned i = 0; i < function.parameters; ++i)
      head += name(function.variables[i]) + (function.throughPointer && i + 1 == function.parameters ? " *v" : " v") +
              std::to_string(i) + ", ";
    line(head + "const global uchar *in) {");
    ++indent_;
    declare(function.parameters);
    statements(function.body);
    line("return " + text(function.result) + ";");
    --indent_;
    line("}");
  }

  void kernel() {
    function_ = nullptr, frame_ = &program_.kernel;
    line("kernel void " + program_.kernelName() + "(global ulong *out, const global uchar *in, int v0, int v1) {");
    ++indent_;
    for (unsigned i = 0; i < program_.shared.size(); ++i)
      line("local " + name(program_.shared[i]) + " x" + std::to_string(i) + "[" + std::to_string(program_.localSize) +
           "];");
    declare(UniformParameters);
    statements(program_.kernel.body);
    const std::vector<OutputWord> words = outputWords(program_);
    line("out += get_global_id(0) * " + std::to_string(words.size()) + ";");
    for (unsigned i = 0; i < words.size(); ++i) {
      const Type type = frame_->variables[words[i].variable];
      line("out[" + std::to_string(i) + "] = as_" + name({unsignedKind(bytes(type.kind)), 1}) + "(v" +
           std::to_string(words[i].variable) + (type.lanes > 1 ? lane(words[i].lane) : "") + ");");
    }
    --indent_;
    line("}");
  }

  void statements(const std::vector<Statement> &list) {
    for (const Statement &each : list)
      statement(each);
  }
  void body(const std::vector<Statement> &list) {
    ++indent_;
    statements(list);
    --indent_;
  }

  void statement(const Statement &s) {
    const std::string barrier = "barrier(CLK_LOCAL_MEM_FENCE);", x = "x" + std::to_string(s.array);
    switch (s.what) {
    case Statement::What::Assign:
      return line(variableName(s.variable) + " = " + text(s.expressions[0]) + ";");
    case Statement::What::SetLane:
      return line(variableName(s.variable) +
                  (s.expressions.size() > 1 ? chosen(s.expressions[1], frame_->variables[s.variable]) : lane(s.lane)) +
                  " = " + text(s.expressions[0]) + ";");
    case Statement::What::SetElement:
      return line(element(s.array, s.expressions[0]) + " = " + text(s.expressions[1]) + ";");
    case Statement::What::If:
      line("if (" + text(s.expressions[0]) + ") {");
      body(s.bodies[0]);
      if (!s.bodies[1].empty()) {
        line("} else {");
        body(s.bodies[1]);
      }
      return line("}");
    case Statement::What::Loop: {
      const std::string v = variableName(s.variable), end = "end" + v;
      line("const int " + end + " = " + text(s.expressions[0]) + ";");
      line("for (" + v + " = 0; " + v + " < " + end + "; ++" + v + ") {");
      body(s.bodies[0]);
      return line("}");
    }
    case Statement::What::Switch:
      line("switch (" + text(s.expressions[0]) + ") {");
      for (size_t i = 0; i < s.bodies.size(); ++i) {
        line(i + 1 == s.bodies.size() ? "default:" : "case " + std::to_string(i) + ":");
        line("{");
        body(s.bodies[i]);
        line("}");
        if (!s.falls[i])
          line("break;");
      }
      return line("}");
    case Statement::What::Break:
      return line("break;");
    case Statement::What::Continue:
      return line("continue;");
    case Statement::What::Return:
      return line(s.expressions.empty() ? "return;" : "return " + text(s.expressions[0]) + ";");
    case Statement::What::Exchange:
      line(x + "[get_local_id(0)] = " + text(s.expressions[0]) + ";");
      line(barrier);
      line(variableName(s.variable) + " = " + x + "[(get_local_id(0) * " + std::to_string(s.a) + " + " +
           std::to_string(s.b) + ") % get_local_size(0)];");
      return line(barrier);
    case Statement::What::Gather: {
      static constexpr const char *Names[] = {"add", "xor", "or", "and", "min", "max"};
      line("if (get_local_id(0) == 0) " + x + "[0] = " + hex(gatherStart(s.a)) + "U;");
      line(barrier);
      line(std::string("atomic_") + Names[s.a] + "(" + x + ", " + text(s.expressions[0]) + ");");
      line(barrier);
      line(variableName(s.variable) + " = " + x + "[0];");
      return line(barrier);
    }
    case Statement::What::Barrier:
      return line(barrier);
    }
  }

  std::string element(unsigned array, const Expression &index) {
    return "a" + std::to_string(array) + "[" + text(index) + " & " + std::to_string(frame_->arrays[array].size - 1) +
           "]";
  }

  std::string chosen(const Expression &number, Type vector) {
    return "[" + text(number) + " % " + std::to_string(vector.lanes) + "U]";
  }

  std::string list(const std::vector<Expression> &expressions) {
    std::string result;
    for (const Expression &each : expressions)
      result += (result.empty() ? "" : ", ") + text(each);
    return result;
  }

  std::string text(const Expression &e) {
    switch (e.what) {
    case What::Constant: {
      std::string result;
      for (unsigned i = 0; i < e.type.lanes; ++i)
        result += (i ? ", " : "") + literal(e.type.kind, e.value.lanes[i]);
      return e.type.lanes == 1 ? result : "(" + name(e.type) + ")(" + result + ")";
    }
    case What::Variable:
      return variableName(e.number);
    case What::Operation: {
      std::vector<std::string> operands;
      for (const Expression &operand : e.operands)
        operands.push_back(text(operand));
      return write(*e.operation, e.operands[0].type, operands);
    }
    case What::Convert:
      return conversionName(e.type, e.saturates, e.rounding) + "(" + text(e.operands[0]) + ")";
    case What::Reinterpret: {
      const std::string operand = text(e.operands[0]);
      return "as_" + name(e.type) +
             (isFloat(e.operands[0].type.kind) ? "(number(" + operand + "))" : "(" + operand + ")");
    }
    case What::Component:
      return "(" + text(e.operands[0]) + ")" + lane(e.number);
    case What::Chosen:
      return "(" + text(e.operands[0]) + ")" + chosen(e.operands[1], e.operands[0].type);
    case What::Swizzle: {
      std::string result = "(" + text(e.operands[0]) + ").s";
      for (unsigned i : e.lanes)
        result += lane(i).back();
      return result;
    }
    case What::Build:
      return "(" + name(e.type) + ")(" + list(e.operands) + ")";
    case What::Any:
      return (e.number ? "all(" : "any(") + text(e.operands[0]) + ")";
    case What::Element:
      return element(e.number, e.operands[0]);
    case What::Input: {
      const std::string scalar = "(const global " + name({e.type.kind, 1}) + " *)in";
      const std::string index = text(e.operands[0]) + " % " + std::to_string(inputElements(e.type)) + "U";
      return e.type.lanes == 1 ? "(" + scalar + ")[" + index + "]"
                               : "vload" + std::to_string(e.type.lanes) + "(" + index + ", " + scalar + ")";
    }
    case What::GlobalId:
      return "(uint)get_global_id(0)";
    case What::LocalId:
      return "(uint)get_local_id(0)";
    case What::GroupId:
      return "(uint)get_group_id(0)";
    case What::LocalSize:
      return "(uint)get_local_size(0)";
    case What::Call:
      return functionName(e.number) + "(" + list(e.operands) + (e.operands.empty() ? "" : ", ") +
             (e.lanes.empty() ? "" : "&" + variableName(e.lanes[0]) + ", ") + "in)";
    }
    __builtin_unreachable();
  }

  const Program &program_;
  const Frame *frame_ = nullptr;
  const Function *function_ = nullptr;
  unsigned indent_ = 0;
  std::string out_;
};

} // namespace

std::string preamble() {
  std::string text = "#pragma OPENCL FP_CONTRACT OFF\n";
  for (Kind kind : {Kind::F32, Kind::F64})
    for (unsigned lanes : {1, 2, 3, 4, 8, 16}) {
      const std::string type = name({kind, lanes});
      text += type + " __attribute__((overloadable)) number(" + type + " x) { return x != x ? (" + type + ")1 : x; }\n";
    }
  return text;
}

std::string write(const Program &program) { return Writer(program).run(); }

std::vector<OutputWord> outputWords(const Program &program) {
  std::vector<OutputWord> words;
  for (unsigned i = UniformParameters; i < program.kernel.variables.size(); ++i)
    for (unsigned lane = 0; lane < program.kernel.variables[i].lanes; ++lane)
      words.push_back({i, lane, program.kernel.variables[i].kind});
  return words;
}

} // namespace kiln::differential
