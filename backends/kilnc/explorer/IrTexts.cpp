// Texts of MLIR and LLVM IR.
#include "backends/kilnc/explorer/Texts.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Location.h"
#include "llvm/IR/AssemblyAnnotationWriter.h"
#include "llvm/Support/FormattedStream.h"
#include "llvm/Support/Path.h"

namespace kiln::explorer {
namespace {

void addPlaces(mlir::Location location, Recorder &recorder, Places &places) {
  if (auto line = mlir::dyn_cast<mlir::FileLineColLoc>(location)) {
    recorder.addPlace(places, line.getFilename().getValue(), line.getLine());
  } else if (auto call = mlir::dyn_cast<mlir::CallSiteLoc>(location)) {
    addPlaces(call.getCallee(), recorder, places);
    addPlaces(call.getCaller(), recorder, places);
  } else if (auto fused = mlir::dyn_cast<mlir::FusedLoc>(location)) {
    for (mlir::Location part : fused.getLocations())
      addPlaces(part, recorder, places);
  } else if (auto name = mlir::dyn_cast<mlir::NameLoc>(location)) {
    addPlaces(name.getChildLoc(), recorder, places);
  }
}

std::string pathOf(llvm::StringRef folder, llvm::StringRef file) {
  if (file == "<unknown>" || folder.empty() || llvm::sys::path::is_absolute(file))
    return file.str();
  return (folder + "/" + file).str();
}

/// Records the printed line of each instruction.
class PlaceWriter : public llvm::AssemblyAnnotationWriter {
public:
  PlaceWriter(LinkedText &result, Recorder &recorder) : result_(result), recorder_(recorder) {}
  void emitFunctionAnnot(const llvm::Function *function, llvm::formatted_raw_ostream &stream) override {
    // LLVM prints a comment line before the definition if an attribute is not a string.
    const unsigned comments = llvm::any_of(function->getAttributes().getFnAttrs(),
                                           [](llvm::Attribute attribute) { return !attribute.isStringAttribute(); });
    const llvm::DISubprogram *program = function->getSubprogram();
    if (!program)
      return;
    Places places;
    recorder_.addPlace(places, pathOf(program->getDirectory(), program->getFilename()), program->getLine());
    result_.link(stream.getLine() + comments, places);
  }
  void emitInstructionAnnot(const llvm::Instruction *instruction, llvm::formatted_raw_ostream &stream) override {
    result_.link(stream.getLine(), placesOf(instruction->getDebugLoc().get(), recorder_));
  }

private:
  LinkedText &result_;
  Recorder &recorder_;
};

/// Returns true for a line that only describes debug information.
bool describesDebug(llvm::StringRef line) {
  if (line.starts_with("!llvm.dbg."))
    return true;
  auto [id, value] = line.split(" = ");
  value.consume_front("distinct ");
  return id.starts_with("!") && value.starts_with("!DI");
}

/// Returns the line without its reference to a debug location.
std::string withoutDebugReference(llvm::StringRef line) {
  const size_t begin = line.find(" !dbg !");
  if (begin == llvm::StringRef::npos)
    return line.str();
  const size_t end = line.find_first_not_of("0123456789", begin + 7);
  llvm::StringRef head = line.take_front(begin);
  head.consume_back(",");
  return (head + (end == llvm::StringRef::npos ? "" : line.drop_front(end))).str();
}

/// Removes the lines that `isDropped` selects and edits the others.
template <typename Dropped, typename Edit> LinkedText filtered(const LinkedText &from, Dropped isDropped, Edit edit) {
  LinkedText result;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(from.text).split(lines, '\n');
  size_t kept = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (isDropped(lines[i]))
      continue;
    if (i < from.places.size())
      result.link(kept, from.places[i]);
    result.text += edit(lines[i]) + "\n";
    ++kept;
  }
  return result;
}

} // namespace

Places placesOf(mlir::Location location, Recorder &recorder) {
  Places places;
  addPlaces(location, recorder, places);
  return places;
}

Places placesOf(const llvm::DILocation *location, Recorder &recorder) {
  Places places;
  for (; location; location = location->getInlinedAt())
    recorder.addPlace(places, pathOf(location->getDirectory(), location->getFilename()), location->getLine());
  return places;
}

LinkedText linkedText(mlir::ModuleOp module, Recorder &recorder) {
  LinkedText result;
  mlir::AsmState::LocationMap printed;
  {
    mlir::AsmState state(module, mlir::OpPrintingFlags(), &printed);
    llvm::raw_string_ostream stream(result.text);
    module.print(stream, state);
  }
  constexpr unsigned FirstLine = 1; // AsmState counts from here
  module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (auto found = printed.find(op); found != printed.end() && op != module)
      result.link(found->second.first - FirstLine, placesOf(op->getLoc(), recorder));
  });
  return result;
}

LinkedText linkedText(const llvm::Module &module, Recorder &recorder) {
  LinkedText result;
  PlaceWriter writer(result, recorder);
  {
    llvm::raw_string_ostream stream(result.text);
    module.print(stream, &writer);
  }
  return filtered(result, describesDebug, withoutDebugReference);
}

} // namespace kiln::explorer
