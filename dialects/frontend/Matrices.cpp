#include "dialects/frontend/Matrices.h"
#include "dialects/frontend/Generation.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <map>
#include <optional>
#include <set>

namespace kiln::frontend {
namespace {

struct Shape {
  unsigned rows, columns, use;
  bool operator==(const Shape &other) const {
    return rows == other.rows && columns == other.columns && use == other.use;
  }
};
enum Use : unsigned { A, B, Accumulator };

// The vector of shape n has FirstLength + n elements. Vectors of OpenCL C have at most 16.
constexpr unsigned FirstLength = 257, MaxTypes = 128, MaxLength = 256;

/// The matrix types of one compilation.
struct Types {
  std::vector<Shape> shapes;
  std::set<const void *> declared; // types, and component types that coop_mat_load is declared for
  std::vector<clang::QualType> matrices;

  std::optional<unsigned> lengthOf(Shape shape) {
    auto known = std::find(shapes.begin(), shapes.end(), shape);
    if (known == shapes.end()) {
      if (shapes.size() == MaxTypes)
        return {};
      known = shapes.insert(shapes.end(), shape);
    }
    return FirstLength + unsigned(known - shapes.begin());
  }
  const Shape *shapeOf(uint64_t length) const {
    return length >= FirstLength && length - FirstLength < shapes.size() ? &shapes[length - FirstLength] : nullptr;
  }
};
Types &types() {
  static Types types;
  return types;
}

// ---- types and functions, in Clang ----

/// Declares functions on matrices.
class Declarer {
public:
  Declarer(clang::Sema &sema, clang::SourceLocation place) : sema_(sema), context_(sema.Context), place_(place) {}

  /// Functions on a new type, and those on it and other types.
  void declareFor(clang::QualType matrix, clang::QualType component) {
    if (types().declared.insert(component.getAsOpaquePtr()).second)
      for (clang::QualType pointer : pointersTo(component.withConst()))
        declare("coop_mat_load", component, {pointer, context_.UnsignedIntTy, context_.getSizeType()});
    if (!types().declared.insert(matrix.getAsOpaquePtr()).second)
      return;
    for (clang::QualType pointer : pointersTo(component))
      declare("coop_mat_store", context_.VoidTy, {pointer, matrix, context_.UnsignedIntTy, context_.getSizeType()});
    declare("coop_mat_length", context_.UnsignedIntTy, {matrix});
    types().matrices.push_back(matrix);
    for (clang::QualType a : types().matrices)
      for (clang::QualType b : types().matrices)
        for (clang::QualType c : types().matrices)
          if ((a == matrix || b == matrix || c == matrix) && multiply(shapeOf(a), shapeOf(b), shapeOf(c))) {
            declare("coop_mat_mulAdd", c, {a, b, c});
            declare("coop_mat_mulAdd", c, {a, b, c, context_.UnsignedIntTy});
          }
  }

private:
  static const Shape &shapeOf(clang::QualType matrix) {
    return *types().shapeOf(matrix->castAs<clang::ExtVectorType>()->getNumElements());
  }
  static bool multiply(const Shape &a, const Shape &b, const Shape &c) {
    return a.use == A && b.use == B && c.use == Accumulator && a.columns == b.rows && a.rows == c.rows &&
           b.columns == c.columns;
  }

  std::vector<clang::QualType> pointersTo(clang::QualType component) {
    std::vector<clang::LangAS> spaces{clang::LangAS::opencl_global, clang::LangAS::opencl_local};
    spaces.push_back(sema_.getLangOpts().OpenCLGenericAddressSpace ? clang::LangAS::opencl_generic
                                                                   : clang::LangAS::opencl_private);
    if (component.isConstQualified())
      spaces.push_back(clang::LangAS::opencl_constant);
    std::vector<clang::QualType> pointers;
    for (clang::LangAS space : spaces)
      pointers.push_back(context_.getPointerType(context_.getAddrSpaceQualType(component, space)));
    return pointers;
  }

  void declare(const char *name, clang::QualType result, llvm::ArrayRef<clang::QualType> parameters) {
    clang::FunctionProtoType::ExtProtoInfo info;
    info.ExtInfo = info.ExtInfo.withCallingConv(context_.getTargetInfo().getDefaultCallingConv());
    const clang::QualType type = context_.getFunctionType(result, parameters, info);
    auto *function = clang::FunctionDecl::Create(context_, context_.getTranslationUnitDecl(), place_, place_,
                                                 &context_.Idents.get(name), type, /*TInfo=*/nullptr, clang::SC_Extern);
    std::vector<clang::ParmVarDecl *> declared;
    for (clang::QualType parameter : parameters)
      declared.push_back(clang::ParmVarDecl::Create(context_, function, place_, place_, /*Id=*/nullptr, parameter,
                                                    /*TInfo=*/nullptr, clang::SC_None, /*DefArg=*/nullptr));
    function->setParams(declared);
    function->setImplicit();
    function->addAttr(clang::OverloadableAttr::CreateImplicit(context_));
    function->addAttr(clang::ConvergentAttr::CreateImplicit(context_));
    sema_.PushOnScopeChains(function, sema_.TUScope, /*AddToContext=*/true);
  }

  clang::Sema &sema_;
  clang::ASTContext &context_;
  clang::SourceLocation place_;
};

/// __attribute__((coop_mat(scope, rows, columns, use)))
struct MatrixAttribute : clang::ParsedAttrInfo {
  MatrixAttribute() {
    NumArgs = 4;
    static constexpr Spelling spellings[] = {{clang::ParsedAttr::AS_GNU, "coop_mat"}};
    Spellings = spellings;
  }

  AttrHandling handleDeclAttribute(clang::Sema &sema, clang::Decl *declared,
                                   const clang::ParsedAttr &attribute) const override {
    auto *typedefName = llvm::dyn_cast<clang::TypedefNameDecl>(declared);
    auto *variable = llvm::dyn_cast<clang::VarDecl>(declared);
    if (!typedefName && (!variable || llvm::isa<clang::ParmVarDecl>(variable)))
      return fail(sema, attribute, "'coop_mat' applies to a typedef or a variable");
    const clang::QualType component =
        (typedefName ? typedefName->getUnderlyingType() : variable->getType()).getCanonicalType();
    if (!isComponent(*component))
      return fail(sema, attribute, "invalid component type of a cooperative matrix: a number of OpenCL C is needed");
    // The enumerators of memory_scope and the numbers of SPIR-V differ.
    constexpr int64_t SubGroup = 4, SpirvSubGroup = 3;
    const std::optional<int64_t> scope = number(sema, attribute, 0);
    if (scope != SubGroup && scope != SpirvSubGroup)
      return fail(sema, attribute, "invalid 'scope' argument of 'coop_mat': must be memory_scope_sub_group");
    const std::optional<int64_t> rows = number(sema, attribute, 1), columns = number(sema, attribute, 2),
                                 use = number(sema, attribute, 3);
    if (!isLength(rows) || !isLength(columns))
      return fail(sema, attribute, "invalid number of rows or columns of 'coop_mat': must be 1 to 256");
    if (!use || *use < A || *use > Accumulator)
      return fail(sema, attribute,
                  "invalid 'use' argument of 'coop_mat': must be CLK_COOPERATIVE_MATRIX_A, "
                  "CLK_COOPERATIVE_MATRIX_B or CLK_COOPERATIVE_MATRIX_ACCUMULATOR");
    const auto length = types().lengthOf({unsigned(*rows), unsigned(*columns), unsigned(*use)});
    if (!length)
      return fail(sema, attribute, "too many types of cooperative matrices");
    const clang::QualType matrix = sema.Context.getExtVectorType(component.getUnqualifiedType(), *length);
    if (types().declared.size() >= MaxTypes)
      return fail(sema, attribute, "too many types of cooperative matrices");
    Declarer(sema, attribute.getLoc()).declareFor(matrix, component.getUnqualifiedType());
    const clang::QualType qualified = matrix.withFastQualifiers(component.getLocalFastQualifiers());
    if (typedefName)
      typedefName->setModedTypeSourceInfo(typedefName->getTypeSourceInfo(), qualified);
    else
      variable->setType(sema.Context.getAddrSpaceQualType(qualified, clang::LangAS::opencl_private));
    return AttributeApplied;
  }

private:
  static AttrHandling fail(clang::Sema &sema, const clang::ParsedAttr &attribute, llvm::StringRef message) {
    clang::DiagnosticsEngine &engine = sema.getDiagnostics();
    sema.Diag(attribute.getLoc(), engine.getCustomDiagID(clang::DiagnosticsEngine::Error, "%0")) << message;
    return AttributeNotApplied;
  }

  static bool isLength(std::optional<int64_t> number) { return number && *number >= 1 && *number <= MaxLength; }

  static bool isComponent(const clang::Type &type) {
    auto *builtin = llvm::dyn_cast<clang::BuiltinType>(&type);
    if (!builtin)
      return false;
    switch (builtin->getKind()) {
    case clang::BuiltinType::Char_S:
    case clang::BuiltinType::SChar:
    case clang::BuiltinType::UChar:
    case clang::BuiltinType::Short:
    case clang::BuiltinType::UShort:
    case clang::BuiltinType::Int:
    case clang::BuiltinType::UInt:
    case clang::BuiltinType::Long:
    case clang::BuiltinType::ULong:
    case clang::BuiltinType::Half:
    case clang::BuiltinType::Float:
    case clang::BuiltinType::Double:
      return true;
    default:
      return false;
    }
  }

  // Clang reads a name alone, as the first argument, as an identifier.
  static std::optional<int64_t> number(clang::Sema &sema, const clang::ParsedAttr &attribute, unsigned at) {
    if (attribute.isArgIdent(at)) {
      const clang::IdentifierInfo *name = attribute.getArgAsIdent(at)->Ident;
      auto *enumerator = llvm::dyn_cast_or_null<clang::EnumConstantDecl>(sema.LookupSingleName(
          sema.TUScope, clang::DeclarationName(name), attribute.getLoc(), clang::Sema::LookupOrdinaryName));
      return enumerator ? std::optional(enumerator->getInitVal().getExtValue()) : std::nullopt;
    }
    const auto value = attribute.getArgAsExpr(at)->getIntegerConstantExpr(sema.Context);
    if (!value || !value->isSignedIntN(63))
      return {};
    return value->getExtValue();
  }
};
const clang::ParsedAttrInfoRegistry::Add<MatrixAttribute> registered("coop_mat", "cooperative matrices");

// ---- LLVM IR ----

constexpr llvm::StringLiteral Load = "_Z13coop_mat_load", Store = "_Z14coop_mat_store", MulAdd = "_Z15coop_mat_mulAdd",
                              Length = "_Z15coop_mat_length";
// Functions of calls that stand for instructions: of a scalar, and of an address, a layout and a stride.
constexpr llvm::StringLiteral FillFunction = "kiln.matrix.fill.", LoadFunction = "kiln.matrix.load.",
                              StoreFunction = "kiln.matrix.store.";

bool isMatrix(const llvm::Type *type) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector && types().shapeOf(vector->getNumElements());
}

llvm::CallInst *callOf(llvm::Value *value, llvm::StringRef prefix) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(value);
  llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->isDeclaration() && startsWith(callee->getName(), prefix) ? call : nullptr;
}

class ModuleRewrite {
public:
  explicit ModuleRewrite(llvm::Module &module) : module_(module) {}

  std::string run() {
    for (const llvm::GlobalVariable &variable : module_.globals())
      if (isMatrix(variable.getValueType()))
        return "'" + variable.getName().str() + "' is a matrix: only variables of functions may be";
    std::vector<llvm::Instruction *> instructions;
    for (llvm::Function &function : module_) {
      if (function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL)
        for (const llvm::Argument &parameter : function.args())
          if (isMatrix(parameter.getType()))
            return "kernel '" + function.getName().str() + "' has a matrix as a parameter";
      for (llvm::Instruction &ins : llvm::instructions(function))
        instructions.push_back(&ins);
    }
    for (llvm::Instruction *ins : instructions)
      if (std::string message = rewrite(*ins); !message.empty())
        return message;
    for (llvm::Instruction *ins : dead_)
      eraseUnused(ins);
    for (llvm::Function &function : module_)
      if (startsWith(function.getName(), Load) && !function.use_empty())
        return "the result of coop_mat_load is not assigned to a matrix";
    return {};
  }

private:
  std::string rewrite(llvm::Instruction &ins) {
    for (llvm::Use &use : ins.operands())
      if (auto *constant = llvm::dyn_cast<llvm::Constant>(use.get());
          constant && isMatrix(constant->getType()) && !llvm::isa<llvm::UndefValue>(constant)) {
        llvm::Constant *component = constant->getSplatValue();
        if (!component)
          return "a matrix is initialised component by component";
        auto *phi = llvm::dyn_cast<llvm::PHINode>(&ins);
        llvm::IRBuilder<> b(phi ? phi->getIncomingBlock(use)->getTerminator() : &ins);
        use.set(fill(b, component, constant->getType()));
      }
    if (llvm::isa<llvm::ShuffleVectorInst>(ins) && isMatrix(ins.getType()))
      return rewriteCopies(ins);
    if (auto *fused = llvm::dyn_cast<llvm::IntrinsicInst>(&ins);
        fused && fused->getIntrinsicID() == llvm::Intrinsic::fmuladd && isMatrix(ins.getType()))
      return rewriteFused(*fused);
    if (llvm::CallInst *store = callOf(&ins, Store))
      return rewriteStore(*store);
    if (llvm::CallInst *product = callOf(&ins, MulAdd);
        product && product->arg_size() > 3 && !llvm::isa<llvm::ConstantInt>(product->getArgOperand(3)))
      return "the fourth argument of coop_mat_mulAdd is not a constant";
    return {};
  }

  // A copy of one component to all.
  std::string rewriteCopies(llvm::Instruction &copies) {
    llvm::Value *component = llvm::getSplatValue(&copies);
    if (!component)
      return "the components of a matrix are exchanged";
    llvm::IRBuilder<> b(&copies);
    llvm::Value *source = component;
    while (auto *cast = llvm::dyn_cast<llvm::CastInst>(source))
      source = cast->getOperand(0);
    if (llvm::CallInst *load = callOf(source, Load)) {
      if (component != source)
        return "coop_mat_load reads a type that is not that of the matrix's components";
      if (!llvm::isa<llvm::ConstantInt>(load->getArgOperand(1)))
        return NoLayout;
      b.SetInsertPoint(load); // the memory may change afterwards
      copies.replaceAllUsesWith(call(b, LoadFunction, copies.getType(),
                                     {bytes(b, load->getArgOperand(0)), load->getArgOperand(1),
                                      strideInBytes(b, load->getArgOperand(2), load->getType())}));
    } else {
      copies.replaceAllUsesWith(fill(b, component, copies.getType()));
    }
    dead_.push_back(&copies);
    return {};
  }

  // a * b + c, which SPIR-V has no instruction for on matrices.
  std::string rewriteFused(llvm::IntrinsicInst &fused) {
    llvm::IRBuilder<> b(&fused);
    llvm::Value *product = b.CreateFMul(fused.getArgOperand(0), fused.getArgOperand(1));
    fused.replaceAllUsesWith(b.CreateFAdd(product, fused.getArgOperand(2)));
    dead_.push_back(&fused);
    return {};
  }

  std::string rewriteStore(llvm::CallInst &store) {
    llvm::IRBuilder<> b(&store);
    llvm::Value *matrix = store.getArgOperand(1);
    if (!llvm::isa<llvm::ConstantInt>(store.getArgOperand(2)))
      return NoLayout;
    call(b, StoreFunction, b.getVoidTy(),
         {bytes(b, store.getArgOperand(0)), matrix, store.getArgOperand(2),
          strideInBytes(b, store.getArgOperand(3), matrix->getType()->getScalarType())});
    dead_.push_back(&store);
    return {};
  }

  llvm::Value *fill(llvm::IRBuilder<> &b, llvm::Value *component, llvm::Type *matrix) {
    return call(b, FillFunction, matrix, {component});
  }

  // With opaque pointers, the translator does not know what a pointer points to: so it is bytes everywhere.
  llvm::Value *bytes(llvm::IRBuilder<> &b, llvm::Value *pointer) {
    return b.CreateBitCast(pointer, pointerTo(b.getInt8Ty(), pointer->getType()->getPointerAddressSpace()));
  }
  llvm::Value *strideInBytes(llvm::IRBuilder<> &b, llvm::Value *stride, llvm::Type *component) {
    return b.CreateMul(stride, llvm::ConstantInt::get(stride->getType(), component->getPrimitiveSizeInBits() / 8));
  }

  llvm::CallInst *call(llvm::IRBuilder<> &b, llvm::StringRef prefix, llvm::Type *result,
                       const std::vector<llvm::Value *> &operands) {
    std::vector<llvm::Type *> parameters;
    for (llvm::Value *operand : operands)
      parameters.push_back(operand->getType());
    auto *type = llvm::FunctionType::get(result, parameters, /*isVarArg=*/false);
    llvm::Function *&function = functions_[{prefix.str(), type}];
    if (!function) {
      function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                        prefix + std::to_string(functions_.size()), module_);
      function->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    }
    llvm::CallInst *made = b.CreateCall(function, operands);
    made->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    return made;
  }

  static void eraseUnused(llvm::Instruction *ins) {
    std::vector<llvm::Instruction *> left{ins};
    while (!left.empty()) {
      llvm::Instruction *next = left.back();
      left.pop_back();
      if (!next->use_empty() || !next->getParent())
        continue;
      for (llvm::Value *operand : next->operand_values())
        if (auto *from = llvm::dyn_cast<llvm::Instruction>(operand);
            from && (llvm::isa<llvm::InsertElementInst>(from) || callOf(from, Load)))
          left.push_back(from);
      next->eraseFromParent();
    }
  }

  static constexpr const char *NoLayout =
      "the layout of coop_mat_load or coop_mat_store is not a constant: CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR or "
      "CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR";
  llvm::Module &module_;
  std::map<std::pair<std::string, llvm::FunctionType *>, llvm::Function *> functions_;
  std::vector<llvm::Instruction *> dead_;
};

// ---- SPIR-V ----

/// Which components of a multiplication are signed, from the mangled name of the function.
uint32_t signsOf(llvm::StringRef name) {
  uint32_t flags = 0;
  name = name.drop_front(MulAdd.size());
  for (uint32_t bit : {0, 1, 2}) { // Dv257_c
    unsigned length = 0;
    if (!name.consume_front("Dv") || name.consumeInteger(10, length) || !name.consume_front("_") || name.empty())
      return flags;
    if (llvm::StringRef("acsil").contains(name.front()))
      flags |= 1u << bit;
    name = name.drop_front(startsWith(name, "Dh") ? 2 : 1);
  }
  constexpr uint32_t Accumulator = 4, Result = 8;
  return flags & Accumulator ? flags | Result : flags;
}

class SpirvRewrite {
public:
  explicit SpirvRewrite(const spirv::Words &words)
      : words_(words), made_(words.begin(), words.begin() + spirv::HeaderWords) {}

  spirv::Words run() {
    spirv::each(words_, [&](spirv::Instruction ins) { note(ins); });
    if (!uint_)
      uint_ = made_[spirv::Bound]++;
    spirv::each(words_, [&](spirv::Instruction ins) { rewrite(ins); });
    return std::move(made_);
  }

private:
  void note(spirv::Instruction ins) {
    switch (spirv::opcode(ins)) {
    case spv::Op::TypeInt:
      if (ins[2] == 32)
        uint_ = ins[1];
      break;
    case spv::Op::Constant:
      if (ins.size() == 4)
        constants_[ins[2]] = ins[3];
      break;
    case spv::Op::TypeFunction:
      if (ins.size() > 3)
        firstParameter_[ins[1]] = ins[3];
      break;
    case spv::Op::Function:
      if (functions_.count(ins[2]))
        firstParameter_[ins[2]] = firstParameter_[ins[4]];
      break;
    default:
      if (auto name = spirv::linkageName(ins))
        for (llvm::StringRef prefix :
             {llvm::StringRef(FillFunction), llvm::StringRef(LoadFunction), llvm::StringRef(StoreFunction),
              llvm::StringRef(MulAdd), llvm::StringRef(Length), llvm::StringRef(Load), llvm::StringRef(Store)})
          if (startsWith(*name, prefix))
            functions_[ins[1]] = std::string(*name);
    }
  }

  void rewrite(spirv::Instruction ins) {
    const spv::Op opcode = spirv::opcode(ins);
    if (capabilities_ && opcode != spv::Op::Capability)
      declareExtension();
    if ((opcode == spv::Op::Capability && ins[1] == uint32_t(spv::Capability::VectorAnyINTEL)) ||
        (opcode == spv::Op::Extension && spirv::text(ins, 1) == "SPV_INTEL_vector_compute"))
      return;
    if (isType(opcode) && !typed_)
      declareNumbers();
    inDeclaration_ |= opcode == spv::Op::Function && functions_.count(ins[2]);
    if (inDeclaration_ || ((opcode == spv::Op::Name || opcode == spv::Op::Decorate) && functions_.count(ins[1]))) {
      inDeclaration_ &= opcode != spv::Op::FunctionEnd;
      return;
    }
    if (opcode == spv::Op::TypeInt && ins[1] == uint_)
      return;
    const Shape *shape = opcode == spv::Op::TypeVector ? types().shapeOf(ins[3]) : nullptr;
    if (shape)
      made_.insert(made_.end(), {spirv::head(spv::Op::TypeCooperativeMatrixKHR, 7), ins[1], ins[2],
                                 numbers_.at(uint32_t(spv::Scope::Subgroup)), numbers_.at(shape->rows),
                                 numbers_.at(shape->columns), numbers_.at(shape->use)});
    else if (opcode == spv::Op::FunctionCall && functions_.count(ins[3]))
      rewriteCall(ins, functions_[ins[3]]);
    else
      spirv::append(made_, ins);
  }

  static bool isType(spv::Op opcode) { return opcode >= spv::Op::TypeVoid && opcode <= spv::Op::TypePipe; }

  void declareExtension() {
    constexpr std::string_view Extension = "SPV_KHR_cooperative_matrix";
    capabilities_ = false;
    made_.insert(made_.end(), {spirv::head(spv::Op::Capability, 2), uint32_t(spv::Capability::CooperativeMatrixKHR)});
    made_.push_back(spirv::head(spv::Op::Extension, 1 + Extension.size() / 4 + 1));
    spirv::append(made_, Extension);
  }

  // Before all types: the numbers of the matrices' types.
  void declareNumbers() {
    typed_ = true;
    made_.insert(made_.end(), {spirv::head(spv::Op::TypeInt, 4), uint_, 32, 0});
    std::set<uint32_t> numbers{uint32_t(spv::Scope::Subgroup)};
    for (const Shape &shape : types().shapes)
      numbers.insert({shape.rows, shape.columns, shape.use});
    for (uint32_t number : numbers) {
      const uint32_t id = made_[spirv::Bound]++;
      made_.insert(made_.end(), {spirv::head(spv::Op::Constant, 4), uint_, id, number});
      numbers_[number] = id;
    }
  }

  // OpFunctionCall: result type, result, function, arguments.
  void rewriteCall(spirv::Instruction ins, const std::string &function) {
    const auto is = [&](llvm::StringRef prefix) { return startsWith(function, prefix); };
    const auto make = [&](spv::Op opcode, std::vector<uint32_t> operands) {
      made_.push_back(spirv::head(opcode, 1 + operands.size()));
      made_.insert(made_.end(), operands.begin(), operands.end());
    };
    if (is(FillFunction))
      make(spv::Op::CompositeConstruct, {ins[1], ins[2], ins[4]});
    else if (is(LoadFunction))
      make(spv::Op::CooperativeMatrixLoadKHR, {ins[1], ins[2], ins[4], ins[5], ins[6]});
    else if (is(StoreFunction))
      make(spv::Op::CooperativeMatrixStoreKHR, {ins[4], ins[5], ins[6], ins[7]});
    else if (is(Length))
      make(spv::Op::CooperativeMatrixLengthKHR, {ins[1], ins[2], firstParameter_[ins[3]]});
    else if (is(MulAdd))
      make(spv::Op::CooperativeMatrixMulAddKHR,
           {ins[1], ins[2], ins[4], ins[5], ins[6], signsOf(function) | (ins.size() > 7 ? constants_[ins[7]] : 0)});
  }

  const spirv::Words &words_;
  spirv::Words made_;
  uint32_t uint_ = 0;
  std::map<uint32_t, uint32_t> constants_, numbers_, firstParameter_;
  std::map<uint32_t, std::string> functions_; // by id
  bool capabilities_ = true, typed_ = false, inDeclaration_ = false;
};

} // namespace

const std::vector<std::string> &matrixArguments() {
  static const std::vector<std::string> arguments = [] {
    std::vector<std::string> words;
    for (const char *definition :
         {"CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP=3", "CLK_COOPERATIVE_MATRIX_A=0", "CLK_COOPERATIVE_MATRIX_B=1",
          "CLK_COOPERATIVE_MATRIX_ACCUMULATOR=2", "CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR=0u",
          "CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR=1u", "CLK_COOPERATIVE_MATRIX_OPERAND_NONE=0u",
          "CLK_COOPERATIVE_MATRIX_OPERAND_SATURATING_ACCUMULATION=16u", "coop_mat_init(x)=(x)"})
      words.insert(words.end(), {"-D", definition});
    return words;
  }();
  return arguments;
}

bool hasMatrices() { return !types().shapes.empty(); }

void startMatrices() { types() = {}; }

std::string prepareMatrices(llvm::Module &module) {
  return hasMatrices() ? ModuleRewrite(module).run() : std::string();
}

spirv::Words withMatrices(const spirv::Words &words) { return hasMatrices() ? SpirvRewrite(words).run() : words; }

} // namespace kiln::frontend
