#include "dialects/frontend/NonAscii.h"
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <string>

namespace kiln::frontend {
namespace {

constexpr char Escape = 0x7f; // DEL: no name that Clang accepts contains it

bool isPlain(char c) { return (c & 0x80) == 0 && c != Escape; }

std::string escaped(llvm::StringRef text) {
  std::string made;
  for (char c : text)
    if (isPlain(c))
      made += c;
    else
      made += {Escape, llvm::hexdigit(uint8_t(c) / 16), llvm::hexdigit(uint8_t(c) % 16)};
  return made;
}

std::string restored(std::string_view text) {
  std::string made;
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == Escape && i + 2 < text.size()) {
      made += char(llvm::hexDigitValue(text[i + 1]) * 16 + llvm::hexDigitValue(text[i + 2]));
      i += 2;
    } else {
      made += text[i];
    }
  return made;
}

class Escaping {
public:
  explicit Escaping(llvm::Module &module) : module_(module) {}

  bool run() {
    for (llvm::GlobalVariable &variable : module_.globals()) {
      rename(variable);
      collectAttached(variable);
    }
    for (llvm::GlobalAlias &alias : module_.aliases())
      rename(alias);
    for (llvm::Function &function : module_)
      visit(function);
    for (llvm::StructType *type : module_.getIdentifiedStructTypes())
      if (!llvm::all_of(type->getName(), isPlain))
        type->setName(note(escaped(type->getName())));
    for (llvm::NamedMDNode &list : module_.named_metadata())
      for (llvm::MDNode *node : list.operands())
        collect(node);
    escapeMetadata();
    return found_;
  }

private:
  std::string note(std::string text) {
    found_ = true;
    return text;
  }
  void rename(llvm::Value &value) {
    if (!llvm::all_of(value.getName(), isPlain))
      value.setName(note(escaped(value.getName())));
  }
  template <typename Holder> void collectAttached(const Holder &holder) {
    llvm::SmallVector<std::pair<unsigned, llvm::MDNode *>> attached;
    holder.getAllMetadata(attached);
    for (const auto &[kind, node] : attached)
      collect(node);
  }
  void visit(llvm::Function &function) {
    rename(function);
    collectAttached(function);
    for (llvm::Argument &argument : function.args())
      rename(argument);
    for (llvm::BasicBlock &block : function)
      rename(block);
    for (llvm::Instruction &ins : llvm::instructions(function)) {
      rename(ins);
      collectAttached(ins);
      for (const llvm::Use &use : ins.operands()) // of llvm.dbg.declare and like functions
        if (auto *value = llvm::dyn_cast<llvm::MetadataAsValue>(use))
          if (auto *node = llvm::dyn_cast<llvm::MDNode>(value->getMetadata()))
            collect(node);
    }
  }
  /// Collects a node and those that it leads to.
  void collect(llvm::MDNode *root) {
    llvm::SmallVector<llvm::MDNode *> left{root};
    while (!left.empty()) {
      llvm::MDNode *node = left.pop_back_val();
      if (!seen_.insert(node).second)
        continue;
      nodes_.push_back(node);
      for (const llvm::MDOperand &operand : node->operands())
        if (auto *next = llvm::dyn_cast_or_null<llvm::MDNode>(operand.get()))
          left.push_back(next);
    }
  }
  void escapeMetadata() {
    for (llvm::MDNode *node : nodes_)
      for (unsigned i = 0; i < node->getNumOperands(); ++i)
        if (auto *text = llvm::dyn_cast_or_null<llvm::MDString>(node->getOperand(i).get()))
          if (!llvm::all_of(text->getString(), isPlain))
            node->replaceOperandWith(i, llvm::MDString::get(node->getContext(), note(escaped(text->getString()))));
  }

  llvm::Module &module_;
  llvm::SmallPtrSet<llvm::MDNode *, 16> seen_;
  llvm::SmallVector<llvm::MDNode *> nodes_;
  bool found_ = false;
};

/// Returns the index of an instruction's text; 0 if it has none.
size_t textAt(spirv::Instruction ins) {
  switch (spirv::opcode(ins)) {
  case spv::Op::Name:
  case spv::Op::String:
    return 2;
  case spv::Op::MemberName:
  case spv::Op::EntryPoint:
    return 3;
  case spv::Op::Decorate:
    return spirv::linkageName(ins) ? 3 : 0;
  default:
    return 0;
  }
}

} // namespace

bool escapeNonAscii(llvm::Module &module) { return Escaping(module).run(); }

spirv::Words withNonAscii(const spirv::Words &words) {
  spirv::Words made(words.begin(), words.begin() + spirv::HeaderWords);
  spirv::each(words, [&](spirv::Instruction ins) {
    const size_t at = textAt(ins);
    const std::string_view old = at ? spirv::text(ins, at) : std::string_view();
    if (old.find(Escape) == std::string_view::npos)
      return spirv::append(made, ins);
    const size_t start = made.size();
    spirv::append(made, ins.first(at));
    spirv::append(made, restored(old));
    spirv::append(made, ins.subspan(at + old.size() / 4 + 1));
    made[start] = spirv::head(spirv::opcode(ins), made.size() - start);
  });
  return made;
}

} // namespace kiln::frontend
