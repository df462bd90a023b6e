// Fuzzes the importer. If the first byte is even, the module is validated first. If it is odd, validation is skipped:
// an allowed validation error ends validation early, so the importer must handle invalid modules.
//
// Mutations change words and instructions, so that most inputs pass the decoder.
#include "dialects/import/Link.h"
#include "dialects/import/ModuleImporter.h"
#include <cstring>
#include <random>

using namespace mlir;
using namespace kiln;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {
constexpr uint32_t Magic = 0x07230203;
constexpr size_t HeaderWords = 5;

/// Returns a context that is replaced after a few hundred inputs. Creating one takes longer than an import, but a
/// context never frees uniqued types and attributes.
MLIRContext &freshContext() {
  static std::unique_ptr<MLIRContext> context;
  static unsigned uses = 0;
  if (!context || ++uses % 512 == 0) {
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
    import::loadDialects(*context);
    context->getDiagEngine().registerHandler([](Diagnostic &) { return success(); });
  }
  return *context;
}

struct Span {
  size_t begin, length;
};

std::vector<Span> instructions(const std::vector<uint32_t> &words) {
  std::vector<Span> spans;
  for (size_t at = HeaderWords; at < words.size();) {
    size_t length = words[at] >> 16;
    if (!length || length > words.size() - at)
      break;
    spans.push_back({at, length});
    at += length;
  }
  return spans;
}

void mutate(std::vector<uint32_t> &words, std::minstd_rand &random) {
  std::vector<Span> spans = instructions(words);
  if (spans.empty())
    return;
  auto pick = [&](size_t count) { return random() % count; };
  Span span = spans[pick(spans.size())], other = spans[pick(spans.size())];
  auto begin = words.begin() + static_cast<ptrdiff_t>(span.begin);
  switch (pick(8)) {
  case 0: // replace an operand by another id
  case 1:
    if (span.length > 1)
      words[span.begin + 1 + pick(span.length - 1)] = 1 + pick(words[3] ? words[3] : 1);
    break;
  case 2: { // replace an operand by a special literal
    static constexpr uint32_t literals[] = {0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 64, 0x7fffffff, 0x80000000, 0xffffffff};
    if (span.length > 1)
      words[span.begin + 1 + pick(span.length - 1)] = literals[pick(std::size(literals))];
    break;
  }
  case 3: // copy an operand of another instruction
    if (span.length > 1 && other.length > 1)
      words[span.begin + 1 + pick(span.length - 1)] = words[other.begin + 1 + pick(other.length - 1)];
    break;
  case 4: // replace the opcode, by that of an instruction of the same length if possible
    words[span.begin] = (words[span.begin] & 0xffff0000) |
                        (other.length == span.length ? words[other.begin] & 0xffff : static_cast<uint32_t>(pick(500)));
    break;
  case 5: // erase the instruction
    words.erase(begin, begin + static_cast<ptrdiff_t>(span.length));
    break;
  case 6: { // insert a copy of another instruction
    std::vector<uint32_t> copy(words.begin() + static_cast<ptrdiff_t>(other.begin),
                               words.begin() + static_cast<ptrdiff_t>(other.begin + other.length));
    words.insert(begin, copy.begin(), copy.end());
    break;
  }
  default: // insert or erase a word
    if (span.length > 1 && pick(2)) {
      words.erase(begin + 1 + static_cast<ptrdiff_t>(pick(span.length - 1)));
      words[span.begin] -= 0x10000;
    } else if (span.length < 0xffff) {
      words.insert(begin + static_cast<ptrdiff_t>(span.length), 1 + static_cast<uint32_t>(pick(64)));
      words[span.begin] += 0x10000;
    }
    break;
  }
}
} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  std::minstd_rand random(seed);
  uint32_t magic = 0;
  if (size >= 1 + HeaderWords * 4)
    std::memcpy(&magic, data + 1, 4);
  if (magic != Magic || random() % 16 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::vector<uint32_t> words((size - 1) / 4);
  std::memcpy(words.data(), data + 1, words.size() * 4);
  for (unsigned count = 1 + random() % 3; count--;)
    mutate(words, random);
  if (random() % 8 == 0)
    data[0] ^= 1;
  size_t bytes = std::min(words.size() * 4, (maxSize - 1) / 4 * 4);
  std::memcpy(data + 1, words.data(), bytes);
  return 1 + bytes;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size)
    return 0;
  MLIRContext &context = freshContext();
  ArrayRef<uint8_t> bytes(data + 1, size - 1);
  import::Options options;
  options.variables = true;
  options.specConstants.push_back({data[0], {1, 2, 3, 4}});
  OwningOpRef<ModuleOp> module;
  if (data[0] % 2 == 0) {
    module = import::importSpirv(bytes, context, options);
    std::vector<import::SpecConstantDecl> decls;
    (void)import::inspect(bytes, context, decls);
  } else if (auto binary = import::decode(bytes, context)) {
    module = import::ModuleImporter(context, *binary, options).run();
  }
  if (module) {
    OwningOpRef<ModuleOp> modules[] = {std::move(module)};
    (void)import::linkModules(modules);
  }
  return 0;
}
