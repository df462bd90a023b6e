// Writes the code that does for a vector of work-items what a region's body does for one.
//
// A value of the body is kept in one or both of two forms. `first`: lane 0's alone, for uniform and strided values. And
// `parts`: one vector over the lanes for a number, N of them for a vector of N components, which thereby costs no
// shuffle where components are used one by one. The second is made from the first where somebody asks for it.
//
// Widener.cpp has operations, Transpose.cpp rows and columns, WidenMemory.cpp, WidenNear.cpp and WidenFours.cpp
// accesses, WidenFlow.cpp branches and loops, Conditions.cpp what they ask, RuntimeChecks.cpp the checks of what is
// assumed, CheckAssumptions.cpp what a debug switch compares besides, Leaving.cpp what is left to the body for one
// work-item. A mask is a vector of i1; no mask means that all lanes are active. Code under a mask is reached only
// if some lane is.
#pragma once
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/simd/AccessRuns.h"
#include "passes/simd/Skipped.h"

namespace kiln {

class Widener {
public:
  struct Form {
    unsigned lanes, vectorBits; // work-items to a vector; bits of the machine's registers
    unsigned maskBits;          // of a flag that lives through branches and loops
    unsigned pickFrom;          // each lane can pick one of so many elements of 32 bits
    bool isFlat;                // short vectors are not taken apart
    bool checksAssumptions;     // compares what it derives with what each lane computes (CheckAssumptions.cpp)
    SkippedChecks skipped;
  };
  Widener(wg::ParallelOp from, const LaneShapes &shapes, const AccessRuns &runs, const Form &form, mlir::Region &to);
  /// What is known of four lanes of a vector, should they lie in one piece where all of them do not.
  void takeFours(const LaneShapes &shapes) { fours_ = &shapes; }
  /// `careful`: takes what this one leaves. It may take less for granted, and has masks where lanes do not go together.
  void run(Widener *careful = nullptr);
  /// Does code in the middle of something ask for both of its ends, so that each row has vectors that lie across.
  bool hasEdges();
  /// What did not become one operation of a vector, and why.
  struct Note {
    mlir::Location place;
    std::string sentence;
  };
  llvm::ArrayRef<Note> notes() const { return notes_; }

private:
  using Parts = llvm::SmallVector<mlir::Value, 4>;
  struct Forms {
    mlir::Value first;
    Parts parts;
  };

  void note(const llvm::Twine &sentence) { notes_.push_back({loc, sentence.str()}); }

  // ---- values -----------------------------------------------------------------------------------------------------
  LaneShape shape(mlir::Value value) const { return shapes_.of(value); }
  bool hasFirst(mlir::Value value) const { return shape(value).isStrided(); }
  bool hasParts(mlir::Value value) const {
    const auto known = forms_.find(value);
    return known != forms_.end() && !known->second.parts.empty();
  }
  std::optional<Rise> knownRise(const LaneShape &shape) const;
  mlir::Value first(mlir::Value value);
  const Parts &parts(mlir::Value value);
  Parts splatParts(mlir::Value uniform);
  Parts partsOfStrided(mlir::Value value, mlir::Value first, const LaneShape &shape);
  mlir::Value rising(mlir::Value first, int64_t stride);
  mlir::Value risingAddress(mlir::Value first, int64_t stride);
  mlir::Value wideCopy(mlir::Operation *op, bool kept = true);
  mlir::Value wideHere(mlir::Value value);
  mlir::Value lane(mlir::Value value, unsigned lane);
  mlir::Value laneOfMultiple(mlir::arith::MulIOp product, unsigned lane);
  mlir::Value address(mlir::Value pointer, const Rise &rise, unsigned lane);
  mlir::Value laneOfParts(llvm::ArrayRef<mlir::Value> parts, mlir::Type type, unsigned lane);
  void setFirst(mlir::Value value, mlir::Value first) { forms_[value].first = first; }
  void setParts(mlir::Value value, Parts parts) { forms_[value].parts = std::move(parts); }

  // ---- pieces of code ---------------------------------------------------------------------------------------------
  mlir::VectorType wide(mlir::Type part) const;
  unsigned partCount(mlir::Type type) const { return isFlat_ ? 1 : componentCount(type); }
  mlir::Type partType(mlir::Type type) const { return isFlat_ ? type : mlir::getElementTypeOrSelf(type); }
  static unsigned componentCount(mlir::Type type);
  mlir::Value splat(mlir::Value scalar);
  mlir::Value constant(mlir::Type type, llvm::ArrayRef<mlir::Attribute> elements);
  mlir::Value poison(mlir::Type type);
  mlir::Value extract(mlir::Value vector, unsigned lane);
  mlir::Value insert(mlir::Value scalar, mlir::Value vector, unsigned lane);
  mlir::Value shuffle(mlir::Value a, mlir::Value b, llvm::ArrayRef<int64_t> order);
  mlir::Value bits(mlir::Value mask);
  mlir::Value any(mlir::Value mask);
  mlir::Value all(mlir::Value mask);
  mlir::Value both(mlir::Value mask, mlir::Value condition);
  mlir::Value negated(mlir::Value mask);
  /// Components next to each other, item by item, and back.
  mlir::Value interleave(llvm::ArrayRef<mlir::Value> parts);
  Parts deinterleave(mlir::Value flat, unsigned count);
  /// The columns of one row a lane.
  Parts transposed(llvm::ArrayRef<mlir::Value> rows);
  /// One row a lane, of a power of two of columns.
  Parts untransposed(llvm::ArrayRef<mlir::Value> columns);
  void exchangeAll(llvm::MutableArrayRef<mlir::Value> rows);
  mlir::Value slice(mlir::Value row, unsigned from, unsigned count);
  mlir::Value sideBySide(llvm::ArrayRef<mlir::Value> rows);
  void exchange(llvm::MutableArrayRef<mlir::Value> rows, unsigned step);
  void exchangeFours(llvm::MutableArrayRef<mlir::Value> rows);

  // ---- operations -------------------------------------------------------------------------------------------------
  void widenBlock(mlir::Block &block, mlir::Value mask);
  void widenOperation(mlir::Operation *op, mlir::Value mask);
  void copyFirst(mlir::Operation *op, mlir::Value mask);
  mlir::Value extendedFromActive(mlir::Operation *extension, mlir::Value mask);
  bool widenNarrowed(mlir::Operation *op);
  mlir::Value divisorUnder(mlir::Value mask, mlir::Value divisor);
  void widenElementwise(mlir::Operation *op, mlir::Value mask);
  bool widenVectorOperation(mlir::Operation *op);
  mlir::Value packed(llvm::ArrayRef<mlir::Value> parts, mlir::Type to);
  void laneByLane(mlir::Operation *op, mlir::Value mask);

  // ---- memory -----------------------------------------------------------------------------------------------------
  void widenLoad(mlir::LLVM::LoadOp load, mlir::Value mask);
  void widenStore(mlir::LLVM::StoreOp store, mlir::Value mask);
  void loadRun(const AccessRuns::Run &run, mlir::Value mask);
  void storeRun(const AccessRuns::Run &run, mlir::Value mask);
  mlir::Value addressesUnder(mlir::Value mask, mlir::Value pointer, const std::optional<Rise> &rise);
  mlir::Value placeUnder(mlir::Value mask, unsigned lane, mlir::Value own);
  mlir::Value rowOf(const LinearAddress &address, unsigned lane);
  Parts loadConsecutive(mlir::Value from, mlir::Type type, unsigned alignment, mlir::Value mask, bool isOfKnownSize);
  mlir::Value loadWithinPage(mlir::Value from, mlir::VectorType type, llvm::function_ref<mlir::Value()> whole,
                             llvm::function_ref<mlir::Value()> masked);
  void storeConsecutive(mlir::Value to, mlir::Type type, unsigned alignment, mlir::Value value, mlir::Value mask,
                        bool isOwn);
  Parts loadEach(mlir::Value addresses, mlir::Type type, unsigned alignment, mlir::Value mask);
  void storeEach(mlir::Value addresses, mlir::Type type, unsigned alignment, mlir::Value value, mlir::Value mask);
  llvm::SmallVector<mlir::Value>
  forEachLane(mlir::Value mask, mlir::ValueRange carried,
              llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);
  unsigned pickers(mlir::Value pointer, mlir::Type type, mlir::Value mask) const;
  mlir::Value pick(mlir::Value window, mlir::Value index, unsigned count);
  mlir::Value loadNear(mlir::Value pointer, mlir::Type type, unsigned alignment, unsigned count,
                       llvm::function_ref<mlir::Value()> oneByOne);
  bool goesInFours(mlir::Value pointer, mlir::Type type) const;
  /// The operand of a division or the like that rises, how, and the one that is the same for all lanes.
  struct Cut {
    mlir::Value rising, by;
    Rise rise;
  };
  std::optional<Cut> cutOf(mlir::Operation *divRemOrMask) const;
  mlir::Value foursHold(mlir::Value pointer);
  Parts loadFours(mlir::Value pointer, mlir::Type type, unsigned alignment, mlir::Value mask,
                  llvm::function_ref<Parts()> otherwise);
  void storeFours(mlir::Value pointer, mlir::Type type, unsigned alignment, mlir::Value value, mlir::Value mask,
                  llvm::function_ref<void()> otherwise);
  /// `rise`: of the addresses; nothing where they vary.
  Parts gather(mlir::Value pointer, const std::optional<Rise> &rise, mlir::Type type, unsigned alignment,
               mlir::Value mask);
  void scatter(mlir::Value pointer, const std::optional<Rise> &rise, mlir::Type type, unsigned alignment,
               mlir::Value value, mlir::Value mask);
  bool isConsecutive(const std::optional<Rise> &rise, mlir::Type type) const;
  mlir::Value spread(mlir::Value lanes, unsigned count) { return spread(lanes, count, lanes_); }
  mlir::Value spread(mlir::Value lanes, unsigned count, unsigned from);
  mlir::Value nowhere(mlir::Type type);

  // ---- conditions -------------------------------------------------------------------------------------------------
  /// Scalars that answer for a vector of conditions, where an order of the lanes allows it.
  struct Answer {
    mlir::Value all;
    mlir::Value any = {};  // null: not known without the vector
    mlir::Value more = {}; // may this vector's lanes or later ones say yes; null: they may
    bool isPrefix = false; // once a lane says no, all behind it do
  };
  bool hasAnswer(mlir::Value condition) const;
  bool hasAnswer(mlir::arith::CmpIOp comparison) const;
  std::optional<Answer> answer(mlir::Value condition);
  std::optional<Answer> answerComparison(mlir::arith::CmpIOp op);

  // ---- runtime checks ---------------------------------------------------------------------------------------------
  /// A check as code, and what it proves where it passes. `holds` is null if nothing is left to check.
  struct GuardCheck {
    mlir::Value holds;
    GuardsPassed passed;
  };
  void collectAddressGuards();
  void proveEarly(mlir::Operation *guard);
  GuardCheck checkGuards(const LaneShape &shape);
  mlir::Value checkGuard(mlir::Operation *guard);
  mlir::Value checkNoWrap(mlir::Operation *extension);
  mlir::Value checkOneTile(mlir::Operation *op);
  mlir::Value checkAlias(const AccessRuns::Apart &apart);

  // ---- checked assumptions ----------------------------------------------------------------------------------------
  bool isSkipped(Assumption assumption) const { return skipped_.contains(assumption); }
  void expect(mlir::Value holds, Assumption assumption);
  void expectInLanes(mlir::Value holds, mlir::Value guards, mlir::Value mask, Assumption assumption);
  void expectRise(mlir::Operation *op, mlir::Value mask);
  void expectOrder(mlir::Value lanes, const Rise &rise, mlir::Value guards, mlir::Value mask);
  void expectAnswer(mlir::Value condition, const Answer &answer);
  void expectLoaded(mlir::Value loaded, mlir::Value pointer, mlir::Type type, unsigned alignment, mlir::Value mask,
                    Assumption assumption);
  void countNeedless(mlir::Value differs, mlir::Value guards, mlir::Value mask);

  // ---- leaving ----------------------------------------------------------------------------------------------------
  static bool leavesNoTrace(mlir::Operation *op);
  bool canBeLast(mlir::scf::IfOp branch) const;
  bool enterBranch(mlir::scf::IfOp branch);
  void enter(mlir::Value condition, mlir::Value doneElse, mlir::Value moreElse);
  /// Whether a vector's work is done, and whether later ones may have any; null: it always is.
  struct Told {
    mlir::Value done = {}, more = {};
  };
  Told write();
  Told writeFor(mlir::OpBuilder &at, Told told);

  // ---- flow -------------------------------------------------------------------------------------------------------
  void widenIf(mlir::scf::IfOp op, mlir::Value mask);
  void widenUniformIf(mlir::scf::IfOp op, mlir::Value mask);
  void widenSelect(mlir::scf::IfOp op, mlir::Value condition, mlir::Value mask, mlir::Value anyTakes = {});
  Parts branchValues(mlir::Region &region, mlir::Value mask, mlir::ResultRange results);
  void widenWhile(mlir::scf::WhileOp op, mlir::Value mask);
  bool startsTogether(mlir::scf::WhileOp op) const;
  Parts whileTogether(mlir::scf::WhileOp op, Parts inits);
  mlir::Type flowType(mlir::Type part);
  mlir::Value toFlow(mlir::Value part);
  mlir::Value fromFlow(mlir::Value part, mlir::Type own);
  /// How a value goes into and out of branches and loops: as lane 0's, as all lanes, or as both if guards have to be
  /// checked. LLVM removes the lanes that nothing uses.
  enum class Carried : uint8_t { Lane0, Lanes, Both };
  Carried carriedAs(mlir::Value value) const;
  void forms(mlir::Value value, Carried as, Parts &to);
  Parts takeParts(mlir::Type type, llvm::ArrayRef<mlir::Value> &from);
  void takeForms(mlir::Value value, Carried as, llvm::ArrayRef<mlir::Value> &from);
  llvm::SmallVector<mlir::Type> formTypes(mlir::Type type, Carried as);

  wg::ParallelOp from_;
  const LaneShapes &shapes_, *fours_ = nullptr;
  const AccessRuns &runs_;
  const unsigned lanes_, vectorBits_, maskBits_, pickFrom_;
  const bool isFlat_, checksAssumptions_;
  const SkippedChecks skipped_;
  mlir::Region &to_;
  mlir::DataLayout layout_;
  mlir::OpBuilder b;
  mlir::Location loc;
  llvm::DenseMap<mlir::Value, Forms> forms_;
  llvm::SmallVector<Note> notes_;
  Parts lastAddress_;
  mlir::Value nowhere_;
  bool takesEdges_ = false; // no lanes are left because they do not go together
  bool mayLeave_ = true;    // nothing has been done yet that the body for one work-item would do again
  llvm::SmallVector<mlir::scf::IfOp> entered_; // around all that is still to come
  llvm::DenseSet<mlir::Operation *> addressGuards_;
  GuardsPassed passed_; // checked before all that is still to come
  unsigned copies_ = 0; // of code that stands twice: for all lanes, and for some
};

} // namespace kiln
