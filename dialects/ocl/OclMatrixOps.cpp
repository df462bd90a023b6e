// The matrix type, and verifiers of its operations.
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace kiln::ocl {
namespace {
bool isComponent(Type type) {
  return type.isInteger(8) || type.isInteger(16) || type.isInteger(32) || type.isInteger(64) || type.isF16() ||
         type.isF32() || type.isF64();
}

LogicalResult hasElement(Operation *op, Type value, MatrixType matrix) {
  if (value == matrix.getElement())
    return success();
  return op->emitOpError("has a component of type ") << value << ", must be that of " << matrix;
}
} // namespace

LogicalResult MatrixType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t rows, int64_t columns,
                                 Type element, MatrixUse) {
  if (rows < 1 || columns < 1 || rows > MaxLength || columns > MaxLength)
    return emitError() << "a matrix has " << rows << " rows and " << columns << " columns, must be 1 to " << MaxLength;
  if (!isComponent(element))
    return emitError() << "a matrix has components of type " << element << ", must be i8 to i64, f16, f32 or f64";
  return success();
}

// <16x8xf16, a>
Type MatrixType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  auto use = MatrixUse::a;
  const llvm::SMLoc at = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element) ||
      parser.parseComma())
    return {};
  llvm::StringRef name;
  const llvm::SMLoc atUse = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return {};
  const std::optional<MatrixUse> known = symbolizeMatrixUse(name);
  if (!known)
    return parser.emitError(atUse, "must be a, b or accumulator"), Type();
  use = *known;
  if (parser.parseGreater())
    return {};
  if (shape.size() != 2)
    return parser.emitError(at, "a matrix has two dimensions"), Type();
  return getChecked([&] { return parser.emitError(at); }, parser.getContext(), shape[0], shape[1], element, use);
}

void MatrixType::print(AsmPrinter &printer) const {
  printer << '<' << getRows() << 'x' << getColumns() << 'x' << getElement() << ", " << stringifyMatrixUse(getUse())
          << '>';
}

llvm::TypeSize MatrixType::getTypeSizeInBits(const DataLayout &, DataLayoutEntryListRef) const {
  return llvm::TypeSize::getFixed(uint64_t(getComponents()) * getElement().getIntOrFloatBitWidth());
}

uint64_t MatrixType::getABIAlignment(const DataLayout &, DataLayoutEntryListRef) const {
  return getElement().getIntOrFloatBitWidth() / 8;
}

LogicalResult MatrixMultiplyAddOp::verify() {
  const MatrixType a = getA().getType(), b = getB().getType(), c = getC().getType();
  if (a.getUse() != MatrixUse::a || b.getUse() != MatrixUse::b || c.getUse() != MatrixUse::accumulator)
    return emitOpError("multiplies an a by a b and adds an accumulator");
  if (a.getColumns() != b.getRows() || c.getRows() != a.getRows() || c.getColumns() != b.getColumns())
    return emitOpError("has shapes that do not fit: ") << a << ", " << b << ", " << c;
  const bool isFloat = llvm::isa<FloatType>(c.getElement());
  if (llvm::isa<FloatType>(a.getElement()) != isFloat || llvm::isa<FloatType>(b.getElement()) != isFloat)
    return emitOpError("multiplies integers and floating-point numbers");
  if (isFloat && getFlags() != MatrixFlags::none)
    return emitOpError("has flags for integers");
  const unsigned bits = c.getElement().getIntOrFloatBitWidth();
  if (a.getElement().getIntOrFloatBitWidth() > bits || b.getElement().getIntOrFloatBitWidth() > bits)
    return emitOpError("has an accumulator that is narrower than a factor");
  return success();
}

LogicalResult MatrixFillOp::verify() { return hasElement(*this, getValue().getType(), getType()); }

LogicalResult MatrixMapOp::verify() {
  Block &block = getBody().front();
  if (block.getNumArguments() != getMatrices().size())
    return emitOpError("has ") << getMatrices().size() << " matrices and " << block.getNumArguments() << " arguments";
  for (auto [matrix, argument] : llvm::zip_equal(getMatrices(), block.getArguments())) {
    const auto type = llvm::cast<MatrixType>(matrix.getType());
    if (failed(hasElement(*this, argument.getType(), type)))
      return failure();
    if (!type.hasShapeOf(getType()))
      return emitOpError("has matrices of different shapes or uses: ") << type << ", " << getType();
  }
  auto yield = llvm::dyn_cast_or_null<MatrixYieldOp>(block.empty() ? nullptr : &block.back());
  if (!yield)
    return emitOpError("must end with ocl.matrix_yield");
  return hasElement(*this, yield.getValue().getType(), getType());
}

LogicalResult MatrixExtractOp::verify() { return hasElement(*this, getType(), getMatrix().getType()); }

LogicalResult MatrixInsertOp::verify() { return hasElement(*this, getValue().getType(), getType()); }

} // namespace kiln::ocl
