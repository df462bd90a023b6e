#include "dialects/frontend/CircularAddresses.h"
#include "dialects/frontend/Generation.h"
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <vector>

namespace kiln::frontend {
namespace {

constexpr unsigned GlobalMemory = 1;

/// A scalar in a variable, and the address that is its initial value.
struct Part {
  llvm::SmallVector<unsigned> path; // through structs and arrays
  uint64_t offset;                  // in bytes
  llvm::Constant *value;
};

/// Removes addresses from initial values until no variable refers to itself.
class Breaker {
public:
  explicit Breaker(llvm::Module &module) : module_(module), layout_(module.getDataLayout()) {}

  bool run(std::string &error) {
    while (true) {
      llvm::SetVector<llvm::GlobalVariable *> chosen;
      if (const llvm::GlobalVariable *stuck = choose(chosen)) {
        error = "the initial value of '" + stuck->getName().str() +
                "' refers to variables in constant memory that contain their own address or each other's, which "
                "SPIR-V constants cannot";
        return false;
      }
      if (chosen.empty())
        return true;
      for (llvm::GlobalVariable *variable : chosen)
        split(*variable);
    }
  }

private:
  /// Finds reference cycles among initial values. Adds to `chosen`, for each cycle, the variable in global memory that
  /// contains the address that closes the cycle, else another of its variables in global memory. Returns a variable
  /// that refers to a cycle without one; null if there is none.
  const llvm::GlobalVariable *choose(llvm::SetVector<llvm::GlobalVariable *> &chosen) {
    struct Frame {
      llvm::Constant *constant;
      unsigned next = 0; // operand
    };
    llvm::DenseMap<const llvm::Constant *, bool> isDone; // absent: not yet visited
    std::vector<Frame> stack;                            // explicit, because chains have any length
    for (llvm::GlobalVariable &root : module_.globals()) {
      if (!isDone.try_emplace(&root, false).second)
        continue;
      for (stack.push_back({&root}); !stack.empty();) {
        Frame &top = stack.back();
        if (top.next == top.constant->getNumOperands()) {
          isDone[top.constant] = true;
          stack.pop_back();
          continue;
        }
        auto *part = llvm::dyn_cast<llvm::Constant>(top.constant->getOperand(top.next++));
        if (!part || llvm::isa<llvm::Function>(part))
          continue;
        auto [known, isNew] = isDone.try_emplace(part, false);
        if (isNew) {
          stack.push_back({part});
          continue;
        }
        if (known->second)
          continue;
        llvm::GlobalVariable *found = nullptr;
        for (auto frame = stack.rbegin(); !found && frame != stack.rend(); ++frame) {
          auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(frame->constant);
          if (variable && variable->getAddressSpace() == GlobalMemory)
            found = variable;
          if (frame->constant == part)
            break;
        }
        if (!found)
          return &root;
        chosen.insert(found);
      }
    }
    return nullptr;
  }

  bool holdsAddress(const llvm::Constant *constant) {
    auto [known, isNew] = holdsAddress_.try_emplace(constant, false);
    if (!isNew)
      return known->second;
    bool holds = llvm::isa<llvm::GlobalVariable>(constant);
    for (const llvm::Use &use : constant->operands()) {
      auto *part = llvm::dyn_cast<llvm::Constant>(use);
      holds |= part && !llvm::isa<llvm::GlobalValue>(constant) && holdsAddress(part);
    }
    return holdsAddress_[constant] = holds;
  }

  /// Returns the value without addresses, which are moved to `parts`. The parser bounds the nesting of types.
  llvm::Constant *without(llvm::Constant *value, const Part &here, std::vector<Part> &parts) {
    if (!holdsAddress(value))
      return value;
    auto *record = llvm::dyn_cast<llvm::StructType>(value->getType());
    auto *array = llvm::dyn_cast<llvm::ArrayType>(value->getType());
    if (!llvm::isa<llvm::ConstantAggregate>(value) || (!record && !array)) {
      parts.push_back({here.path, here.offset, value});
      return llvm::Constant::getNullValue(value->getType());
    }
    std::vector<llvm::Constant *> members;
    for (unsigned i = 0; i < value->getNumOperands(); ++i) {
      const uint64_t distance = record ? layout_.getStructLayout(record)->getElementOffset(i)
                                       : i * layout_.getTypeAllocSize(array->getElementType()).getFixedValue();
      Part member{here.path, here.offset + distance, nullptr};
      member.path.push_back(i);
      members.push_back(without(llvm::cast<llvm::Constant>(value->getOperand(i)), member, parts));
    }
    return record ? llvm::ConstantStruct::get(record, members) : llvm::ConstantArray::get(array, members);
  }

  void split(llvm::GlobalVariable &variable) {
    std::vector<Part> parts;
    variable.setInitializer(without(variable.getInitializer(), {}, parts));
    variable.setConstant(false); // the initialiser writes it
    llvm::IRBuilder<> b(&*start());
    const llvm::Align align =
        variable.getAlign() ? *variable.getAlign() : layout_.getABITypeAlign(variable.getValueType());
    for (const Part &part : parts) {
      llvm::SmallVector<llvm::Value *> indices{b.getInt32(0)};
      for (unsigned index : part.path)
        indices.push_back(b.getInt32(index));
      llvm::Value *place = b.CreateInBoundsGEP(variable.getValueType(), &variable, indices);
      b.CreateAlignedStore(part.value, place, llvm::commonAlignment(align, part.offset));
    }
  }

  /// Returns the insertion point of the stores: the start of Clang's initialiser, because constructors may read these
  /// values, or a new initialiser.
  llvm::BasicBlock::iterator start() {
    llvm::GlobalVariable *list = module_.getNamedGlobal("llvm.global_ctors");
    if (!initialiser_ && list && list->hasInitializer() && list->getInitializer()->getNumOperands()) {
      auto *row = llvm::dyn_cast<llvm::ConstantStruct>(list->getInitializer()->getOperand(0));
      auto *known = row ? llvm::dyn_cast<llvm::Function>(row->getOperand(1)->stripPointerCasts()) : nullptr;
      if (known && !known->isDeclaration())
        initialiser_ = known;
    }
    if (!initialiser_)
      initialiser_ = makeInitialiser();
    return initialiser_->getEntryBlock().getFirstInsertionPt();
  }

  llvm::Function *makeInitialiser() {
    llvm::LLVMContext &context = module_.getContext();
    auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
    auto *made = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "_GLOBAL__sub_I_addresses", module_);
    made->setCallingConv(llvm::CallingConv::SPIR_KERNEL);
    for (const char *name : {"kernel_arg_addr_space", "kernel_arg_access_qual", "kernel_arg_type",
                             "kernel_arg_base_type", "kernel_arg_type_qual", "kernel_arg_name"})
      made->setMetadata(name, llvm::MDNode::get(context, {}));
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "", made));
    b.CreateRetVoid();
    llvm::Constant *row = llvm::ConstantStruct::getAnon(
        {b.getInt32(65535), made, llvm::Constant::getNullValue(pointerTo(b.getInt8Ty(), 0))});
    auto *list = llvm::ConstantArray::get(llvm::ArrayType::get(row->getType(), 1), row);
    new llvm::GlobalVariable(module_, list->getType(), false, llvm::GlobalValue::AppendingLinkage, list,
                             "llvm.global_ctors");
    return made;
  }

  llvm::Module &module_;
  const llvm::DataLayout &layout_;
  llvm::Function *initialiser_ = nullptr;
  llvm::DenseMap<const llvm::Constant *, bool> holdsAddress_;
};

} // namespace

bool storeCircularAddresses(llvm::Module &module, std::string &error) { return Breaker(module).run(error); }

} // namespace kiln::frontend
