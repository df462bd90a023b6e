#include "runtime/check/LaunchReports.h"
#include "base/abi/ImageAbi.h"
#include "base/protocol/Protocol.h"
#include "base/support/CallSite.h"
#include "base/support/Log.h"
#include "base/support/SourceLine.h"
#include "runtime/memory/FreedMemory.h"
#include <cmath>
#include <cstring>

namespace kiln::check {
namespace {

const char *kindOf(const MemObject &object) {
  switch (object.type()) {
  case CL_MEM_OBJECT_BUFFER:
    return object.parent() ? "the sub-buffer" : "the buffer";
  case CL_MEM_OBJECT_PIPE:
    return "the pipe";
  default:
    return "the image";
  }
}

constexpr const char *SpaceName[] = {"private", "global", "constant", "local", "generic"};

/// How the bytes are outside of an object: "4 bytes after the end".
std::string distanceText(uintptr_t address, uint64_t bytes, uintptr_t base, uint64_t size) {
  const auto offset = int64_t(address - base);
  if (offset < 0)
    return text(-offset, " bytes before its begin");
  if (uint64_t(offset) >= size)
    return uint64_t(offset) == size ? "right after its end" : text(uint64_t(offset) - size, " bytes after its end");
  return text("of which the last ", uint64_t(offset) + bytes - size, " are after its end");
}

/// A coordinate; one of 32 bits without an exponent.
std::string coordinateText(double coordinate) {
  const bool isInteger = std::abs(coordinate) <= 0x1p32 && coordinate == std::trunc(coordinate);
  return isInteger ? text(int64_t(coordinate)) : text(coordinate);
}

/// The image and the coordinates of an access: "the image of argument 0 (to), which has 16 x 8 pixels: at (16, 3)".
std::string outsideText(const abi::CheckSite &site, const abi::Image *image, const std::array<double, 3> &at) {
  const unsigned dims = site.shape & abi::ShapeDims;
  const bool hasLayers = site.shape & abi::ShapeLayers;
  const char *name = site.name();
  std::string place, sizes;
  for (unsigned i = 0; i < dims + hasLayers; ++i)
    place += text(i ? ", " : "", coordinateText(at[i]));
  if (image) {
    sizes = text(", which has ", image->width);
    if (dims > 1)
      sizes += text(" x ", image->height);
    if (dims > 2)
      sizes += text(" x ", image->slices);
    sizes += hasLayers ? text(" pixels and ", image->slices, " layers") : " pixels";
  }
  return text(site.argument >= 0 ? text("the image of argument ", site.argument) : std::string("an image"),
              *name ? text(" (", name, ")") : std::string(), sizes, ": at (", place, ")");
}

std::string numberText(uint8_t what, uint64_t number, uint64_t limit) {
  switch (what) {
  case abi::NumberOfGroupItem:
    return text("reads the value of the work-item with the linear local id ", number, " in a work-group of ", limit,
                " work-items");
  case abi::DistanceInSubGroup:
    return text("shuffles over a distance of ", number, " in sub-groups of ", limit, " work-items");
  case abi::IndexInPair:
    return text("shuffles two values of each work-item with the index ", number, " in sub-groups of ", limit / 2,
                " work-items");
  case abi::ItemsOfCluster:
    return text("reduces over clusters of ", number, " in sub-groups of ", limit, " work-items");
  default: // abi::NumberOfSubGroupItem
    return text("reads the value of work-item ", number, " in a sub-group of ", limit, " work-items");
  }
}

} // namespace

CheckTarget CheckTarget::of(const HostLaunch &launch, const DeviceObject &device) {
  return {*launch.kernel->info(device),
          launch.grid,
          launch.kernel->program(),
          *launch.arguments,
          launch.uses,
          launch.localArguments,
          launch.requestedLocalSize,
          {},
          launch.enqueuedAt};
}

LaunchReports::LaunchReports(const CheckTarget &launch, const DeviceObject &device)
    : launch_(launch), device_(device), info_(launch.info) {
  const MemoryUse *use = launch.uses.data();
  for (size_t index = 0; index < info_.args.size(); ++index)
    arguments_.push_back(argumentOf(index, info_.args[index], use));
  for (const MemoryUse &captured : launch.captured)
    if (captured.object->type() == CL_MEM_OBJECT_BUFFER)
      if (Result<uint64_t> begin = captured.object->storage().address(device); begin.ok()) {
        arguments_.push_back(ofObject(*captured.object, uintptr_t(*begin)));
        arguments_.back().captured = &captured;
      }
}

LaunchReports::Argument LaunchReports::ofObject(const MemObject &object, uintptr_t begin) {
  return {object.parent() ? Argument::SubBuffer : Argument::Buffer, begin, object.size(), object.createdAt()};
}

LaunchReports::Argument LaunchReports::argumentOf(size_t index, const ArgInfo &info, const MemoryUse *&use) const {
  if (info.kind == ArgKind::Local) {
    for (const LocalArgument &local : launch_.localArguments)
      if (local.index == index)
        return {Argument::Local, 0, local.bytes};
    return {};
  }
  const MemoryUse *end = launch_.uses.data() + launch_.uses.size();
  while (use != end && use->argument < int64_t(index))
    ++use;
  const bool isObject = use != end && use->argument == int64_t(index);
  if (!isPointer(info.kind))
    return {.createdAt = isObject ? use->object->createdAt() : nullptr};
  uint64_t address;
  std::memcpy(&address, launch_.arguments.data + info.offset, sizeof address);
  if (!address)
    return {Argument::Null};
  if (isObject)
    return ofObject(*use->object, uintptr_t(address));
  return pointedBy(uintptr_t(address));
}

LaunchReports::Argument LaunchReports::pointedBy(uintptr_t address) const {
  Context &context = launch_.program.context();
  if (Ref<kiln::Allocation> found = allocationAt(address))
    return {Argument::Allocation, uintptr_t(found->begin()), found->size(), found->allocatedAt()};
  if (Ref<Buffer> buffer = context.deviceAddresses().find(context.memoryIndexOf(device_), address))
    if (Result<uint64_t> begin = buffer->address(device_); begin.ok())
      return {Argument::Buffer, uintptr_t(*begin), buffer->size(), buffer->createdAt()};
  if (const auto freed = findFreed(address))
    return {Argument::Freed, freed->begin, freed->size, freed->allocatedAt};
  return {}; // memory of the application (fine-grain system SVM)
}

Ref<kiln::Allocation> LaunchReports::allocationAt(uintptr_t address) const {
  return launch_.program.context().allocations().find(reinterpret_cast<const void *>(address));
}

LaunchReports::Argument LaunchReports::objectAt(uintptr_t address) const {
  for (const Argument &argument : arguments_)
    if (argument.isLive() && contains(argument.begin, argument.size, address, 1))
      return argument;
  if (Ref<kiln::Allocation> found = allocationAt(address))
    return {Argument::Allocation, uintptr_t(found->begin()), found->size(), found->allocatedAt()};
  return {};
}

bool LaunchReports::isInSomeObject(uintptr_t address, uint64_t bytes) const {
  for (const Argument &argument : arguments_)
    if (argument.isLive() && contains(argument.begin, argument.size, address, bytes))
      return true;
  Ref<kiln::Allocation> found = allocationAt(address);
  return found && contains(uintptr_t(found->begin()), found->size(), address, bytes);
}

std::string LaunchReports::objectOf(const Access &access) const {
  const abi::CheckSite &site = access.site;
  const char *name = site.name();
  const std::string called = *name ? text(" (", name, ")") : "";
  const std::string distance = distanceText(access.address, access.bytes, access.base, access.size);
  if (site.argument >= 0) {
    const Argument &argument = arguments_[size_t(site.argument)];
    const std::string which = text(" of argument ", site.argument, called);
    switch (argument.kind) {
    case Argument::Null:
      return text("through the null pointer", which);
    case Argument::Freed:
      return text("in the allocation", which, ", which has been freed: byte ", access.address - argument.begin, " of ",
                  argument.size);
    default: {
      constexpr const char *Kind[] = {"memory", "the buffer", "the sub-buffer",  "the allocation",
                                      "",       "",           "the local memory"};
      return text("outside of ", Kind[argument.kind], which, ", which has ", access.size, " bytes: ", distance);
    }
    }
  }
  if (access.size)
    return text("outside of a ", SpaceName[site.space], " variable", called, ", which has ", access.size,
                " bytes: ", distance);
  if (access.address < FirstAddress)
    return "through a null pointer";
  if (const auto freed = findFreed(access.address))
    return text("in an allocation of ", freed->size, " bytes that has been freed: byte ",
                access.address - freed->begin);
  const Argument object = pointedInto(access);
  constexpr const char *Kind[] = {"", "a buffer", "a sub-buffer", "an allocation"};
  return object.isLive() ? text("outside of ", Kind[object.kind], ", which has ", object.size,
                                " bytes: ", distanceText(access.address, access.bytes, object.begin, object.size))
                         : std::string("outside of every object");
}

LaunchReports::Argument LaunchReports::pointedInto(const Access &access) const {
  const Argument found = objectAt(access.address);
  return found.isLive() ? found : objectAt(access.base);
}

std::string LaunchReports::itemText(const std::array<uint64_t, 3> &item) const {
  std::string global = "(", group = "(", local = "(";
  for (uint32_t d = 0; d < launch_.grid.workDim; ++d) {
    const char *separator = d ? ", " : "";
    uint64_t id = item[d];
    if (id == UnknownId && launch_.grid.globalSize[d] == 1)
      id = launch_.grid.globalOffset[d];
    if (id == UnknownId) {
      for (std::string *text : {&global, &group, &local})
        *text += text->size() > 1 ? ", ?" : "?";
      continue;
    }
    const uint64_t inLaunch = id - launch_.grid.globalOffset[d], size = launch_.localSize[d];
    global += text(separator, id);
    group += text(separator, inLaunch / size);
    local += text(separator, inLaunch % size);
  }
  return text("work-item ", global, "), local id ", local, ") in work-group ", group, ")");
}

Finding LaunchReports::findingAt(const abi::CheckSite &site, const std::array<uint64_t, 3> &item) const {
  Finding finding;
  finding.kernel = info_.name;
  finding.file = site.name() + std::strlen(site.name()) + 1;
  finding.line = site.line, finding.column = site.column;
  finding.access = site.access;
  finding.argument = site.argument;
  finding.item = itemText(item);
  // Clang may name the folder. The text of other files is not known.
  if (finding.file.substr(finding.file.rfind('/') + 1) == protocol::SourceName)
    finding.source = sourceLine(launch_.program.source(), finding.line);
  for (uint32_t d = 0; d < launch_.grid.workDim; ++d)
    finding.globalId.push_back(item[d] == UnknownId ? launch_.grid.globalOffset[d] : item[d]);
  return finding;
}

Finding LaunchReports::findingOf(const Access &access) const {
  Finding finding = findingAt(access.site, access.item);
  finding.what = text(Verb[access.site.access], " ", access.bytes, " bytes ", objectOf(access));
  if (access.site.argument >= 0)
    addCreation(finding, arguments_[size_t(access.site.argument)].createdAt);
  else if (const auto freed = access.size ? std::nullopt : findFreed(access.address))
    addCreation(finding, freed->allocatedAt);
  else if (!access.size)
    addCreation(finding, pointedInto(access).createdAt);
  return finding;
}

std::string LaunchReports::placeOf(const abi::CheckSite &site, uintptr_t address) const {
  const char *name = site.name();
  const std::string called = *name ? text(" (", name, ")") : "";
  if (site.argument < 0)
    return text(site.space == Local     ? "a local variable"
                : site.space == Private ? "a private variable"
                                        : "global memory",
                called);
  const Argument &argument = arguments_[size_t(site.argument)];
  constexpr const char *Kind[] = {"memory", "the buffer", "the sub-buffer",  "the allocation",
                                  "memory", "memory",     "the local memory"};
  const bool hasBegin = argument.kind != Argument::Any && argument.kind != Argument::Local;
  return text(Kind[argument.kind], " of argument ", site.argument, called,
              hasBegin ? text(": byte ", address - argument.begin) : "");
}

const void *LaunchReports::creationOf(const abi::CheckSite &site, uintptr_t address) const {
  return site.argument >= 0    ? arguments_[size_t(site.argument)].createdAt
         : site.space == Local ? nullptr
                               : objectAt(address).createdAt;
}

Finding LaunchReports::findingOfOutside(const abi::CheckSite &site, const abi::Image *image,
                                        const std::array<double, 3> &at, const std::array<uint64_t, 3> &item) const {
  Finding finding = findingAt(site, item);
  finding.what = text(Verb[site.access], " outside of ", outsideText(site, image, at));
  if (site.argument >= 0)
    addCreation(finding, arguments_[size_t(site.argument)].createdAt);
  return finding;
}

Finding LaunchReports::findingOfMisaligned(const abi::CheckSite &site, uintptr_t address,
                                           const std::array<uint64_t, 3> &item) const {
  Finding finding = findingAt(site, item);
  finding.check = "alignment";
  const char *verb = site.access == 2 ? "has an atomic operation" : Verb[site.access];
  finding.what = text(verb, " at an address that is not a multiple of ", uint64_t(1) << site.alignment,
                      " bytes, the alignment of the type: ", placeOf(site, address));
  finding.address = site.space == Private ? 0 : address;
  addCreation(finding, creationOf(site, address));
  return finding;
}

void LaunchReports::addCreation(Finding &finding, const void *createdAt) { addCall(finding, "created", createdAt); }

void LaunchReports::addCall(Finding &finding, const char *what, const void *returnAddress) {
  if (const auto place = describeCallSite(returnAddress); place[0])
    finding.calls.push_back({what, place.data()});
}

void LaunchReports::reportMapped() const {
  for (const MemoryUse &use : launch_.uses)
    if (IssuedMaps *maps = use.object->storage().issuedMaps(); maps && (use.reads || use.writes)) {
      const size_t begin = use.object->storage().offset();
      if (const auto map = maps->against(begin, begin + use.object->size(), use.writes))
        reportMapped(*map, use.argument, use.writes, kindOf(*use.object), use.object->createdAt());
    }
  for (size_t index = 0; index < info_.args.size(); ++index) {
    const Argument &argument = arguments_[index];
    const ArgInfo &info = info_.args[index];
    if (argument.kind != Argument::Allocation || !(info.read || info.written))
      continue;
    if (Ref<kiln::Allocation> found = allocationAt(argument.begin); found && found->issuedMaps())
      if (const auto map = found->issuedMaps()->against(0, found->size(), info.written))
        reportMapped(*map, int64_t(index), info.written, "the allocation", found->allocatedAt());
  }
}

void LaunchReports::reportMapped(const IssuedMaps::Map &map, int64_t argument, bool writes, const char *kind,
                                 const void *createdAt) const {
  Finding finding;
  finding.kernel = info_.name;
  finding.access = writes;
  finding.argument = int32_t(argument);
  const std::string name = argument >= 0 ? info_.args[size_t(argument)].name : "";
  finding.what = text(
      map.writes ? "accesses " : "may write ", kind, argument >= 0 ? text(" of argument ", argument) : std::string(),
      name.empty() ? "" : " (" + name + ")", ", which is mapped for ", map.writes ? "writing" : "reading");
  addCall(finding, "mapped", map.mappedAt);
  addCall(finding, "enqueued", launch_.enqueuedAt);
  addCreation(finding, createdAt);
  Findings::get().add(std::move(finding));
}

Finding LaunchReports::findingOfNumber(const abi::CheckSite &collective, uint64_t number, uint64_t limit,
                                       const std::array<uint64_t, 3> &item) const {
  Finding finding = findingAt(collective, item);
  finding.check = "collectives";
  finding.what = numberText(collective.shape, number, limit);
  const bool needsLarger = collective.shape == abi::NumberOfSubGroupItem ? number >= info_.plan.subGroupSize
                                                                         : collective.shape != abi::NumberOfGroupItem;
  if (needsLarger && !info_.requiredSubGroupSize)
    finding.hint = "the kernel requires no sub-group size: __attribute__((intel_reqd_sub_group_size(n))) does";
  return finding;
}

Finding LaunchReports::findingOfMissing(const abi::CheckSite &barrier, const std::array<uint64_t, 3> &item) const {
  Finding finding = findingAt(barrier, item);
  finding.check = "barriers";
  finding.what = "has a barrier that other work-items of the group reach, and this one does not";
  return finding;
}

} // namespace kiln::check
