#include "runtime/check/GpuLaunchCheck.h"
#include "base/abi/ImageAbi.h"
#include "base/support/Checks.h"
#include "runtime/memory/FreedMemory.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace kiln::check {
namespace {

constexpr uint64_t AnyMemory = UINT64_MAX; // GpuCheckRange::size

/// The site in these bytes; null if they are none: a program binary may say anything.
const abi::CheckSite *siteIn(const wire::Bytes &bytes, const std::vector<ArgInfo> &arguments) {
  if (bytes.size() < sizeof(abi::CheckSite) + 2 || bytes.back() != 0)
    return nullptr;
  const auto *site = reinterpret_cast<const abi::CheckSite *>(bytes.data());
  const auto *end = bytes.data() + bytes.size() - 1; // the last zero
  const auto *names = reinterpret_cast<const uint8_t *>(site->name());
  if (std::find(names, end, 0) == end || site->access > abi::CheckedCollective || site->space > Generic ||
      site->argument < -1 || site->argument >= int64_t(arguments.size()))
    return nullptr;
  if (site->access < abi::CheckedBarrier && site->shape) { // of an image
    const unsigned coordinates = (site->shape & abi::ShapeDims) + (site->shape & abi::ShapeLayers ? 1 : 0);
    if (coordinates > 3 || (site->argument >= 0 && arguments[size_t(site->argument)].kind != ArgKind::Image))
      return nullptr;
  }
  return site;
}

} // namespace

GpuLaunchCheck::GpuLaunchCheck(const HostLaunch &launch, const DeviceObject &device)
    : LaunchReports(CheckTarget::of(launch, device), device), reports_(checks().any()) {
  if (checks().memory)
    reportMapped();
}

std::vector<abi::CheckedObject> GpuLaunchCheck::objects() const {
  std::vector<abi::CheckedObject> objects;
  for (const Ref<kiln::Allocation> &one : launch_.program.context().allocations().all(nullptr))
    objects.push_back({uintptr_t(one->begin()), one->size(), 0});
  for (const FreedRange &freed : allFreed())
    objects.push_back({freed.begin, freed.size, 1});
  std::ranges::sort(objects, {}, &abi::CheckedObject::begin);
  return objects;
}

Region GpuLaunchCheck::onDevice(size_t offset, size_t size) const {
  return {.memory = memory_.get(), .offset = offset, .rowPitch = size, .slicePitch = size, .extent = {size, 1, 1}};
}

Region GpuLaunchCheck::onHost(size_t offset, size_t size) const {
  return {.host = static_cast<std::byte *>(copy_->host) + offset,
          .rowPitch = size,
          .slicePitch = size,
          .extent = {size, 1, 1}};
}

Status GpuLaunchCheck::begin(Issuer &issuer, uint64_t &address) {
  std::vector<abi::GpuCheckRange> ranges;
  for (const Argument &argument : arguments_) {
    const bool isAllocation = argument.kind == Argument::Allocation;
    ranges.push_back({argument.begin, reports_ ? argument.allowedBytes() : AnyMemory,
                      isAllocation ? abi::OutsideInAllocation : abi::OutsideIsWrong});
  }
  std::vector<abi::CheckedObject> known;
  if (reports_)
    known = objects();
  // Without allocations only null pointers are known to be wrong, and need no look at them.
  if (reports_ && known.empty())
    ranges.push_back({FirstAddress, AnyMemory - FirstAddress, abi::OutsideUnlessWrong});
  else
    ranges.push_back({0, reports_ ? 0 : AnyMemory, abi::OutsideUnlessWrong});

  static_assert(abi::FirstCheckedAddress == FirstAddress);
  findingsAt_ = sizeof(abi::GpuCheck) + ranges.size() * sizeof(ranges[0]);
  findingsBytes_ = info_.checkSites.size() * sizeof(abi::GpuFinding);
  const size_t objectsAt = findingsAt_ + findingsBytes_, bytes = objectsAt + known.size() * sizeof(abi::CheckedObject);
  memory_ = KILN_TRY(device_.device().allocate(bytes));
  copy_ = KILN_TRY(device_.device().allocateHost(bytes));
  const abi::GpuCheck head{memory_->address + findingsAt_, memory_->address + objectsAt, known.size()};
  auto *host = static_cast<std::byte *>(copy_->host);
  std::memcpy(host, &head, sizeof head);
  std::memcpy(host + sizeof head, ranges.data(), ranges.size() * sizeof(ranges[0]));
  std::memset(host + findingsAt_, 0, findingsBytes_);
  if (!known.empty())
    std::memcpy(host + objectsAt, known.data(), known.size() * sizeof known[0]);
  KILN_TRY(issuer.copy(onDevice(0, bytes), onHost(0, bytes)));
  address = memory_->address;
  return {};
}

Status GpuLaunchCheck::end(Issuer &issuer) {
  return reports_ ? issuer.copy(onHost(findingsAt_, findingsBytes_), onDevice(findingsAt_, findingsBytes_)) : Status();
}

void GpuLaunchCheck::onEnded(const HostLaunch &, const DeviceObject &) noexcept {
  if (!reports_)
    return;
  for (size_t index = 0; index < info_.checkSites.size(); ++index) {
    abi::GpuFinding first;
    std::memcpy(&first, static_cast<std::byte *>(copy_->host) + findingsAt_ + index * sizeof first, sizeof first);
    const abi::CheckSite *site = first.count ? siteIn(info_.checkSites[index], info_.args) : nullptr;
    try {
      if (!site)
        continue;
      Finding finding = findingOf(*site, first);
      finding.count = first.count;
      Findings::get().add(std::move(finding));
    } catch (const std::bad_alloc &) { // the report is lost
    }
  }
}

Finding GpuLaunchCheck::findingOf(const abi::CheckSite &site, const abi::GpuFinding &first) const {
  const std::array<uint64_t, 3> item{first.item[0], first.item[1], first.item[2]};
  const auto &values = first.values;
  if (site.access == abi::CheckedBarrier)
    return findingOfMissing(site, item);
  if (site.access == abi::CheckedCollective)
    return findingOfNumber(site, values[0], values[1], item);
  if (site.alignment) {
    Finding finding = findingOfMisaligned(site, values[0], item);
    if (site.space == Local)
      finding.address = 0;
    return finding;
  }
  if (site.shape) {
    abi::Image image;
    if (site.argument >= 0)
      std::memcpy(&image, launch_.arguments.data + info_.args[size_t(site.argument)].offset, sizeof image);
    return findingOfOutside(
        site, site.argument >= 0 ? &image : nullptr,
        {std::bit_cast<double>(values[0]), std::bit_cast<double>(values[1]), std::bit_cast<double>(values[2])}, item);
  }
  Finding finding = LaunchReports::findingOf({site, values[0], values[1], values[2], values[3], item});
  finding.address = site.space == Private || site.space == Local ? 0 : values[0]; // of these it is an offset
  return finding;
}

} // namespace kiln::check
