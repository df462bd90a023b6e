#include "backends/kilnc/explorer/Recorder.h"
#include "base/explorer/Page.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"

namespace kiln::explorer {
namespace {

// A browser opens a page of this size in a few seconds. The results of passes leave half of it to the stages.
constexpr size_t MaxTextBytes = size_t(48) << 20, MaxPassBytes = MaxTextBytes / 2;
constexpr size_t BytesPerLine = 12; // two indices in the JSON
constexpr size_t BytesPerPlace = 8;

template <typename List, typename Print> std::string list(const List &values, Print print) {
  std::string out = "[";
  for (const auto &value : values)
    out += (out.size() > 1 ? "," : "") + print(value);
  return out + "]";
}

std::string number(unsigned value) { return std::to_string(value); }
std::string optional(std::optional<unsigned> value) { return value ? std::to_string(*value) : "null"; }

} // namespace

void LinkedText::link(size_t line, const Places &to) {
  if (to.empty())
    return;
  if (places.size() <= line)
    places.resize(line + 1);
  for (const Place &place : to)
    if (std::find(places[line].begin(), places[line].end(), place) == places[line].end())
      places[line].push_back(place);
}

void Recorder::addPlace(Places &places, llvm::StringRef file, unsigned line) {
  if (line && file != "<unknown>" && file != "-")
    places.push_back({fileIndex(file), line});
}

unsigned Recorder::fileIndex(llvm::StringRef name) {
  name.consume_front("./");
  auto [found, isNew] = fileIndices_.try_emplace(name, unsigned(files_.size()));
  if (isNew)
    files_.push_back(name.str());
  return found->second;
}

unsigned Recorder::lineIndex(llvm::StringRef line) {
  auto [found, isNew] = lineIndices_.try_emplace(line, unsigned(lines_.size()));
  if (isNew)
    lines_.push_back(found->first()), bytes_ += line.size() + 3;
  return found->second;
}

unsigned Recorder::linkIndex(const Places &places) {
  auto [found, isNew] = linkIndices_.try_emplace(places, unsigned(links_.size()));
  if (isNew)
    links_.push_back(places), bytes_ += (1 + places.size()) * BytesPerPlace;
  return found->second;
}

std::optional<unsigned> Recorder::add(const LinkedText &text) {
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text.text).rtrim('\n').split(lines, '\n');
  if (bytes_ + lines.size() * BytesPerLine > MaxTextBytes)
    return std::nullopt;
  Text added;
  static const Places none;
  for (size_t i = 0; i < lines.size(); ++i) {
    added.lines.push_back(lineIndex(lines[i].rtrim()));
    added.links.push_back(linkIndex(i < text.places.size() ? text.places[i] : none));
  }
  if (texts_.empty() || !(texts_.back() == added)) {
    texts_.push_back(std::move(added));
    bytes_ += lines.size() * BytesPerLine;
  }
  return unsigned(texts_.size() - 1);
}

void Recorder::addStage(llvm::StringRef name, llvm::StringRef language, const LinkedText &text) {
  stages_.push_back({name.str(), language.str(), add(text)});
}

bool Recorder::isFull() const { return bytes_ > MaxPassBytes; }

void Recorder::addPass(llvm::StringRef name, llvm::StringRef on, uint64_t nanoseconds, bool changed,
                       const LinkedText *result) {
  if (passes_.size() == MaxPasses) {
    ++passesLeftOut_;
    return;
  }
  std::optional<unsigned> before = texts_.empty() ? std::nullopt : std::optional(unsigned(texts_.size() - 1));
  std::optional<unsigned> text = result ? add(*result) : std::nullopt;
  changed &= !result || text != before; // a pass may change what the text does not show
  passes_.push_back({name.str(), on.str(), stages_.size(), nanoseconds, changed, changed ? text : std::nullopt});
}

void Recorder::addRemark(llvm::StringRef author, llvm::StringRef kind, const Places &places, llvm::StringRef text) {
  const unsigned link = linkIndex(places);
  std::string key = std::to_string(link);
  for (llvm::StringRef part : {author, kind, text})
    key += '\0', key += part;
  auto [known, isNew] = remarkIndices_.try_emplace(key, remarks_.size());
  if (!isNew) {
    ++remarks_[known->second].count;
  } else if (remarks_.size() == MaxRemarks) {
    remarkIndices_.erase(known);
    ++remarksLeftOut_;
  } else {
    std::string shown = text.take_front(MaxRemarkBytes).str();
    if (shown.size() < text.size())
      shown += "...";
    remarks_.push_back({author.str(), kind.str(), link, std::move(shown)});
  }
}

void Recorder::addFact(llvm::StringRef function, llvm::StringRef name, llvm::StringRef value) {
  if (facts_.size() == MaxFacts)
    ++factsLeftOut_;
  else
    facts_.push_back({function.str(), name.str(), value.str()});
}

void Recorder::addCost(llvm::StringRef line, unsigned latency, double interval) {
  if (auto found = lineIndices_.find(line); found != lineIndices_.end())
    costs_.try_emplace(found->second, latency, interval);
}

std::string Recorder::json() const {
  auto places = [](const Places &list) {
    std::string out = "[";
    for (const Place &place : list)
      out += (out.size() > 1 ? "," : "") + number(place.file) + "," + number(place.line);
    return out + "]";
  };
  std::string out =
      "{\"target\":" + quoted(target_) + ",\"variant\":" + quoted(variant_) + ",\"pipeline\":" + quoted(pipeline_);
  out += ",\"log\":" + quoted(log_);
  out += ",\n\"files\":" + list(files_, [](const std::string &name) { return quoted(name); });
  out += ",\n\"lines\":" + list(lines_, [](llvm::StringRef line) { return quoted(line); });
  out += ",\n\"links\":" + list(links_, places);
  out += ",\n\"texts\":" + list(texts_, [](const Text &text) {
           return "{\"lines\":" + list(text.lines, number) + ",\"links\":" + list(text.links, number) + "}";
         });
  out += ",\n\"stages\":" + list(stages_, [](const Stage &stage) {
           return "{\"name\":" + quoted(stage.name) + ",\"language\":" + quoted(stage.language) +
                  ",\"text\":" + optional(stage.text) + "}";
         });
  out += ",\n\"passes\":" + list(passes_, [](const Pass &pass) {
           return "{\"name\":" + quoted(pass.name) + ",\"on\":" + quoted(pass.on) +
                  ",\"stage\":" + std::to_string(pass.stage) + ",\"ns\":" + std::to_string(pass.nanoseconds) +
                  ",\"changed\":" + (pass.changed ? "true" : "false") + ",\"text\":" + optional(pass.text) + "}";
         });
  out += ",\n\"remarks\":" + list(remarks_, [](const Remark &remark) {
           return "{\"author\":" + quoted(remark.author) + ",\"kind\":" + quoted(remark.kind) +
                  ",\"link\":" + number(remark.link) + ",\"count\":" + std::to_string(remark.count) +
                  ",\"text\":" + quoted(remark.text) + "}";
         });
  out += ",\n\"facts\":" + list(facts_, [](const Fact &fact) {
           return "[" + quoted(fact.function) + "," + quoted(fact.name) + "," + quoted(fact.value) + "]";
         });
  out += ",\n\"costs\":" + list(costs_, [](const std::pair<const unsigned, Cost> &entry) {
           const auto &[line, cost] = entry;
           return "[" + number(line) + "," + number(cost.latency) + "," + llvm::formatv("{0:F2}", cost.interval).str() +
                  "]";
         });
  out += ",\n\"leftOut\":{\"passes\":" + std::to_string(passesLeftOut_) +
         ",\"remarks\":" + std::to_string(remarksLeftOut_) + ",\"facts\":" + std::to_string(factsLeftOut_) + "}";
  return out + "}";
}

} // namespace kiln::explorer
