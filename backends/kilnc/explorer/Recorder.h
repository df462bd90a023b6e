// Collects the stages of one compilation for the explorer: texts with the source lines that each of their lines came
// from, passes with their times, remarks, and facts about kernels. base/explorer/README.md describes the JSON.
#pragma once
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kiln::explorer {

/// A line of a source file; `file` is an index of Recorder::files.
struct Place {
  unsigned file = 0, line = 0;
  auto operator<=>(const Place &) const = default;
};

/// The lines that a piece of code came from: its own first, then, for inlined code, those of the calls, outwards.
using Places = std::vector<Place>;

/// A text, and the places of its first lines. Lines after the last element of `places` have none.
struct LinkedText {
  std::string text;
  std::vector<Places> places;
  void link(size_t line, const Places &to);
};

/// Limits of a variant, so that a browser opens the page of a program with many kernels. More are counted, and the page
/// says how many were left out.
constexpr size_t MaxPasses = 20'000, MaxRemarks = 2'000, MaxFacts = 10'000;
constexpr size_t MaxRemarkBytes = 1'000; // of the text of one remark

class Recorder {
public:
  /// `target` as kilnc --target takes it; `variant` is "generic" or its fixed values; `pipeline` is empty for Kiln's
  /// own passes.
  Recorder(std::string target, std::string variant, std::string pipeline = {})
      : target_(std::move(target)), variant_(std::move(variant)), pipeline_(std::move(pipeline)) {}

  /// Adds a place, unless the line is 0 or the file is MLIR's for code that has none.
  void addPlace(Places &places, llvm::StringRef file, unsigned line);
  const std::vector<std::string> &files() const { return files_; }

  /// Adds a stage, which the page shows in a pane. `language`: spirv, mlir, llvm, asm or ptx. Passes that follow belong
  /// to the next stage.
  void addStage(llvm::StringRef name, llvm::StringRef language, const LinkedText &text);
  /// Adds a pass. `on`: the function that it ran on; empty if it ran on the module. `result` may be null if the pass
  /// changed nothing, or if `isFull`.
  void addPass(llvm::StringRef name, llvm::StringRef on, uint64_t nanoseconds, bool changed, const LinkedText *result);
  /// Returns true if the variant's limit of text is reached, so that results of passes are left out.
  bool isFull() const;
  /// Adds a remark of `author`, a pass, or counts it if it is known. `kind`: passed, missed or remark.
  void addRemark(llvm::StringRef author, llvm::StringRef kind, const Places &places, llvm::StringRef text);
  llvm::StringRef runningPass; // of MLIR, the author of its remarks; empty between passes
  /// Adds a fact about a function of the code.
  void addFact(llvm::StringRef function, llvm::StringRef name, llvm::StringRef value);
  /// Adds the cost of an instruction, a line of the assembly: its latency and the cycles between two of its kind.
  void addCost(llvm::StringRef line, unsigned latency, double interval);
  /// Sets the compilation's log.
  void setLog(llvm::StringRef log) { log_ = log; }

  /// Returns the variant as a JSON object.
  std::string json() const;

private:
  /// Returns the index of the text. Nothing if the limit of a variant's text is exceeded.
  std::optional<unsigned> add(const LinkedText &text);
  unsigned lineIndex(llvm::StringRef line);
  unsigned linkIndex(const Places &places);
  unsigned fileIndex(llvm::StringRef name);

  struct Text {
    std::vector<unsigned> lines, links;
    bool operator==(const Text &) const = default;
  };
  struct Stage {
    std::string name, language;
    std::optional<unsigned> text;
  };
  struct Pass {
    std::string name, on;
    size_t stage;
    uint64_t nanoseconds;
    bool changed;
    std::optional<unsigned> text;
  };
  struct Remark {
    std::string author, kind;
    unsigned link;
    std::string text;
    unsigned count = 1;
  };
  struct Fact {
    std::string function, name, value;
  };

  const std::string target_, variant_, pipeline_;
  std::string log_;
  std::vector<std::string> files_;
  llvm::StringMap<unsigned> fileIndices_, lineIndices_;
  std::vector<llvm::StringRef> lines_; // the keys of lineIndices_
  std::map<Places, unsigned> linkIndices_;
  std::vector<Places> links_;
  std::vector<Text> texts_;
  std::vector<Stage> stages_;
  std::vector<Pass> passes_;
  std::vector<Remark> remarks_;
  llvm::StringMap<size_t> remarkIndices_; // by link, author, kind and text
  std::vector<Fact> facts_;
  struct Cost {
    unsigned latency;
    double interval;
  };
  std::map<unsigned, Cost> costs_; // by index of the line
  size_t passesLeftOut_ = 0, remarksLeftOut_ = 0, factsLeftOut_ = 0;
  size_t bytes_ = 0; // of all texts in the JSON
};

} // namespace kiln::explorer
