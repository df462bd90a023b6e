#include "bench/bundle/PlacedMemory.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <sys/mman.h>
#include <utility>

namespace bench {
namespace {

constexpr uint64_t Page = 4096;
/// Kernels may read vectors past the end of a buffer.
constexpr uint64_t Slack = 256;

} // namespace

PlacedMemory::PlacedMemory(const Bundle &bundle) {
  auto add = [&](uint64_t address, uint64_t size) {
    constexpr uint64_t End = UINT64_MAX - Slack - Page;
    if (address > End || size > End - address)
      throw std::runtime_error("the bundle has memory beyond the address space");
    pages_.push_back({address / Page * Page, (address + size + Slack + Page - 1) / Page * Page});
  };
  for (const Bundle::Range &range : bundle.memory)
    add(range.address, range.size);
  for (const Bundle::Argument &argument : bundle.arguments)
    if (argument.kind == Bundle::Argument::Kind::Buffer)
      add(argument.address, argument.rootSize);
  std::ranges::sort(pages_, {}, &Pages::begin);
  std::vector<Pages> merged;
  for (const Pages &pages : pages_)
    if (!merged.empty() && pages.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, pages.end);
    else
      merged.push_back(pages);
  pages_ = std::move(merged);
  if (!map(false)) {
    atAddresses_ = false;
    if (!map(true))
      throw std::runtime_error(std::string("no memory for the bundle: ") + strerror(errno));
  }
  for (const Bundle::Range &range : bundle.memory)
    restore(range);
}

PlacedMemory::~PlacedMemory() { unmap(); }

void PlacedMemory::unmap() {
  for (Pages &pages : pages_)
    if (std::byte *mapped = std::exchange(pages.mapped, nullptr))
      munmap(mapped, pages.end - pages.begin);
}

bool PlacedMemory::map(bool anywhere) {
  for (Pages &pages : pages_) {
    void *wanted = anywhere ? nullptr : reinterpret_cast<void *>(pages.begin);
    void *got = mmap(wanted, pages.end - pages.begin, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | (anywhere ? 0 : MAP_FIXED_NOREPLACE), -1, 0);
    if (got != MAP_FAILED)
      pages.mapped = static_cast<std::byte *>(got);
    if (got == MAP_FAILED || (wanted && got != wanted)) {
      unmap();
      return false;
    }
  }
  return true;
}

std::byte *PlacedMemory::at(uint64_t address) const {
  for (const Pages &pages : pages_)
    if (address >= pages.begin && address < pages.end)
      return pages.mapped + (address - pages.begin);
  return nullptr;
}

void PlacedMemory::restore(const Bundle::Range &range) const {
  std::memcpy(at(range.address), range.before.data(), range.size);
}

} // namespace bench
