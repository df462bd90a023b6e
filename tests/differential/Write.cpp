// Writes programs as OpenCL C.
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

std::string component(unsigned number) { return std::string(".s") + "0123456789abcdef"[number]; }

class Writer {
public:
  explicit Writer(const Program &program) : program_(program) {}

  std::string run() {
    if (isPeople()) {
      peopleKernel();
      return std::move(out_);
    }
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
      line("local " + name(program_.shared[i]) + " x" + std::to_string(i) + "[" +
           std::to_string(program_.range.local[0]) + "];");
    declare(UniformParameters);
    statements(program_.kernel.body);
    const std::vector<OutputWord> words = outputWords(program_);
    line("out += get_global_id(0) * " + std::to_string(words.size()) + ";");
    for (unsigned i = 0; i < words.size(); ++i) {
      const Type type = frame_->variables[words[i].variable];
      line("out[" + std::to_string(i) + "] = as_" + name({unsignedKind(bytes(type.kind)), 1}) + "(v" +
           std::to_string(words[i].variable) + (type.components > 1 ? component(words[i].component) : "") + ");");
    }
    --indent_;
    line("}");
  }

  // ---- style People ------------------------------------------------------------------------------------------------

  bool isPeople() const { return program_.style == Style::People; }

  std::string structName(unsigned memory) const {
    return "s" + std::to_string(program_.seed) + "_" + std::to_string(memory);
  }
  std::string elementName(unsigned memory) const {
    const Memory &m = program_.memories[memory];
    return m.members.size() == 1 ? name(m.members[0]) : structName(memory);
  }
  std::string memoryName(unsigned memory) const {
    return (program_.memories[memory].space == Memory::Space::Local ? "t" : "p") + std::to_string(memory);
  }

  void peopleKernel() {
    frame_ = &program_.kernel;
    std::string parameters;
    for (unsigned i = 0; i < program_.memories.size(); ++i) {
      const Memory &memory = program_.memories[i];
      if (memory.members.size() > 1) {
        std::string text = "typedef struct {";
        for (unsigned member = 0; member < memory.members.size(); ++member)
          text += " " + name(memory.members[member]) + " m" + std::to_string(member) + ";";
        line(text + " } " + structName(i) + ";");
      }
      if (memory.space != Memory::Space::Local)
        parameters += std::string(parameters.empty() ? "" : ", ") +
                      (memory.space == Memory::Space::ConstGlobal ? "const " : "") + "global " + elementName(i) + " *" +
                      memoryName(i);
    }
    for (const Argument &argument : program_.arguments)
      parameters += ", " + name(argument.value.type) + " " + variableName(argument.variable);
    line("kernel void " + program_.kernelName() + "(" + parameters + ") {");
    ++indent_;
    for (unsigned i = 0; i < program_.memories.size(); ++i)
      if (program_.memories[i].space == Memory::Space::Local)
        line("local " + elementName(i) + " " + memoryName(i) + "[" + std::to_string(program_.memories[i].elements) +
             "];");
    statements(program_.kernel.body);
    --indent_;
    line("}");
  }

  std::string declaration(const Statement &s) {
    const bool isSize = s.expressions[0].what == What::WorkItem && s.expressions[0].type == Type{Kind::U64, 1};
    return (isSize ? "size_t" : name(frame_->variables[s.variable])) + " " + variableName(s.variable) + " = " +
           text(s.expressions[0]);
  }

  /// Writes `variable = value`, as `variable += x` if possible.
  std::string step(unsigned variable, const Expression &value) {
    const std::string v = variableName(variable), whole = text(value), start = "(" + v + " ";
    const size_t space = whole.find(' ', start.size());
    const bool isOperation =
        value.what == What::Operation || (value.form == Expression::Form::Implicit && value.what == What::Convert &&
                                          value.operands[0].what == What::Operation);
    if (isOperation && whole.starts_with(start) && whole.ends_with(")") && space != whole.npos)
      return v + " " + whole.substr(start.size(), space - start.size()) + "= " +
             whole.substr(space + 1, whole.size() - space - 2);
    return v + " = " + whole;
  }

  std::string elementText(unsigned memory, unsigned member, const std::string &index) const {
    return memoryName(memory) + "[" + index + "]" +
           (program_.memories[memory].members.size() > 1 ? ".m" + std::to_string(member) : "");
  }
  bool isVectorOfScalars(unsigned memory, unsigned member, Type type) const {
    return type.components > 1 && program_.memories[memory].members[member].components == 1;
  }

  /// Writes a literal of style People: a small number, or a float with few digits.
  static std::string peopleLiteral(Kind kind, uint64_t bits) {
    static constexpr const char *Suffixes[IntKinds] = {"", "", "", "", "", "u", "L", "UL"};
    if (isFloat(kind)) {
      char text[40];
      snprintf(text, sizeof text, "%.6f",
               withNumber(kind, [bits](auto zero) { return double(fromBits<decltype(zero)>(bits)); }));
      std::string number = text;
      while (number.ends_with("0") && !number.ends_with(".0"))
        number.pop_back();
      return number + (kind == Kind::F32 ? "f" : "");
    }
    const std::string number = withNumber(kind, [bits](auto zero) {
      if constexpr (std::is_integral_v<decltype(zero)>)
        return std::to_string(fromBits<decltype(zero)>(bits));
      else
        return std::string();
    });
    return (bytes(kind) < 4 ? "(" + name({kind, 1}) + ")" : "") + number + Suffixes[unsigned(kind)];
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

  static std::string label(unsigned graph, const std::string &block) {
    return "g" + std::to_string(graph) + "_" + block;
  }

  void graph(const Statement &s) {
    const bool isLoop = s.expressions.size() > 1;
    const std::string visits = variableName(s.variable), end = label(s.array, "end");
    const auto caseOf = [&](size_t i) {
      return i + 1 == s.bodies.size() ? "default:" : "case " + std::to_string(i) + ":";
    };
    line(visits + " = 0;");
    line("switch (" + text(s.expressions[0]) + ") {");
    if (!isLoop) {
      for (size_t i = 0; i < s.bodies.size(); ++i)
        line(caseOf(i) + " goto " + label(s.array, std::to_string(i)) + ";");
      line("}");
    }
    for (size_t i = 0; i < s.bodies.size(); ++i) {
      if (isLoop)
        line(caseOf(i));
      if (isLoop && i == 0)
        line("do {");
      line(label(s.array, std::to_string(i)) + ":");
      line("if (++" + visits + " > " + std::to_string(MaxVisits) + ") goto " + end + ";");
      line("{");
      body(s.bodies[i]);
      line("}");
    }
    if (isLoop) {
      line("} while (" + text(s.expressions[1]) + ");");
      line("}");
    }
    line(end + ":;");
  }

  void statement(const Statement &s) {
    const std::string barrier = "barrier(CLK_LOCAL_MEM_FENCE);", x = "x" + std::to_string(s.array);
    switch (s.what) {
    case Statement::What::Assign:
      return line(variableName(s.variable) + " = " + text(s.expressions[0]) + ";");
    case Statement::What::Declare:
      return line(declaration(s) + ";");
    case Statement::What::For:
      line("for (" + declaration(s) + "; " + text(s.expressions[1]) + "; " + step(s.variable, s.expressions[2]) +
           ") {");
      body(s.bodies[0]);
      return line("}");
    case Statement::What::Store: {
      const std::string index = text(s.expressions[0]), value = text(s.expressions[1]);
      if (const Type type = s.expressions[1].type; isVectorOfScalars(s.array, s.component, type))
        return line("vstore" + std::to_string(type.components) + "(" + value + ", " + index + ", " +
                    memoryName(s.array) + ");");
      return line(elementText(s.array, s.component, index) + " = " + value + ";");
    }
    case Statement::What::Atomic:
      return line(std::string(AtomicNames[s.a]) + "(&" + elementText(s.array, 0, text(s.expressions[0])) + ", " +
                  text(s.expressions[1]) + ");");
    case Statement::What::SetComponent:
      return line(variableName(s.variable) +
                  (s.expressions.size() > 1 ? chosen(s.expressions[1], frame_->variables[s.variable])
                                            : component(s.component)) +
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
    case Statement::What::Graph:
      return graph(s);
    case Statement::What::Jump:
      return line("goto " + label(s.array, std::to_string(s.component)) + ";");
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
    case Statement::What::Reduce: {
      line("if (get_local_id(0) == 0) " + x + "[0] = " + hex(reduceIdentity(s.a)) + "U;");
      line(barrier);
      line(std::string(AtomicNames[s.a]) + "(" + x + ", " + text(s.expressions[0]) + ");");
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
    return "[" + text(number) + " % " + std::to_string(vector.components) + "U]";
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
      for (unsigned i = 0; i < e.type.components; ++i)
        result += (i ? ", " : "") + (isPeople() ? peopleLiteral : literal)(e.type.kind, e.value.components[i]);
      return e.type.components == 1 ? result : "(" + name(e.type) + ")(" + result + ")";
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
      if (e.form == Expression::Form::Cast)
        return "(" + name(e.type) + ")" + text(e.operands[0]);
      if (e.form == Expression::Form::Implicit)
        return text(e.operands[0]);
      return conversionName(e.type, e.saturates, e.rounding) + "(" + text(e.operands[0]) + ")";
    case What::Reinterpret: {
      const std::string operand = text(e.operands[0]);
      return "as_" + name(e.type) +
             (isFloat(e.operands[0].type.kind) ? "(number(" + operand + "))" : "(" + operand + ")");
    }
    case What::Component:
      return "(" + text(e.operands[0]) + ")" + component(e.number);
    case What::DynamicComponent:
      return "(" + text(e.operands[0]) + ")" + chosen(e.operands[1], e.operands[0].type);
    case What::Swizzle: {
      std::string result = "(" + text(e.operands[0]) + ").s";
      for (unsigned i : e.components)
        result += component(i).back();
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
      return e.type.components == 1 ? "(" + scalar + ")[" + index + "]"
                                    : "vload" + std::to_string(e.type.components) + "(" + index + ", " + scalar + ")";
    }
    case What::GlobalId:
      return "(uint)get_global_id(0)";
    case What::LocalId:
      return "(uint)get_local_id(0)";
    case What::GroupId:
      return "(uint)get_group_id(0)";
    case What::LocalSize:
      return "(uint)get_local_size(0)";
    case What::WorkItem: {
      static constexpr const char *Names[] = {
          "global_id",           "local_id",   "group_id",      "global_size",      "local_size",
          "enqueued_local_size", "num_groups", "global_offset", "global_linear_id", "local_linear_id"};
      const auto query = Query(e.number / 3);
      return std::string("get_") + Names[unsigned(query)] +
             (query < Query::GlobalLinearId ? "(" + std::to_string(e.number % 3) + ")" : "()");
    }
    case What::Load: {
      const std::string index = text(e.operands[0]);
      if (isVectorOfScalars(e.number, e.components[0], e.type))
        return "vload" + std::to_string(e.type.components) + "(" + index + ", " + memoryName(e.number) + ")";
      return elementText(e.number, e.components[0], index);
    }
    case What::AndThen:
    case What::OrElse:
      return "(" + text(e.operands[0]) + (e.what == What::AndThen ? " && " : " || ") + text(e.operands[1]) + ")";
    case What::Not:
      return "!" + text(e.operands[0]);
    case What::Conditional:
      return "(" + text(e.operands[0]) + " ? " + text(e.operands[1]) + " : " + text(e.operands[2]) + ")";
    case What::Call:
      return functionName(e.number) + "(" + list(e.operands) + (e.operands.empty() ? "" : ", ") +
             (e.components.empty() ? "" : "&" + variableName(e.components[0]) + ", ") + "in)";
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
    for (unsigned components : {1, 2, 3, 4, 8, 16}) {
      const std::string type = name({kind, components});
      text += type + " __attribute__((overloadable)) number(" + type + " x) { return x != x ? (" + type + ")1 : x; }\n";
    }
  return text;
}

std::string write(const Program &program) { return Writer(program).run(); }

std::vector<OutputWord> outputWords(const Program &program) {
  std::vector<OutputWord> words;
  for (unsigned i = UniformParameters; i < program.kernel.variables.size(); ++i)
    for (unsigned component = 0; component < program.kernel.variables[i].components; ++component)
      words.push_back({i, component, program.kernel.variables[i].kind});
  return words;
}

} // namespace kiln::differential
