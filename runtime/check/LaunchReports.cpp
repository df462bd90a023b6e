#include "runtime/check/LaunchReports.h"
#include "base/protocol/Protocol.h"
#include "base/support/Log.h"
#include "base/support/SourceLine.h"
#include "runtime/memory/FreedMemory.h"
#include <cstring>

namespace kiln::check {
namespace {

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

} // namespace

CheckTarget CheckTarget::of(const HostLaunch &launch, const DeviceObject &device) {
  return {*launch.kernel->info(device),
          launch.grid,
          launch.kernel->program(),
          *launch.arguments,
          launch.uses,
          launch.localArguments,
          launch.requestedLocalSize};
}

LaunchReports::LaunchReports(const CheckTarget &launch, const DeviceObject &device)
    : launch_(launch), device_(device), info_(launch.info) {
  const MemoryUse *use = launch.uses.data();
  for (size_t index = 0; index < info_.args.size(); ++index)
    arguments_.push_back(argumentOf(index, info_.args[index], use));
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
  if (!isPointer(info.kind))
    return {};
  uint64_t address;
  std::memcpy(&address, launch_.arguments.data + info.offset, sizeof address);
  if (!address)
    return {Argument::Null};
  if (use != end && use->argument == int64_t(index))
    return {use->object->parent() ? Argument::SubBuffer : Argument::Buffer, uintptr_t(address), use->object->size()};
  return pointedBy(uintptr_t(address));
}

LaunchReports::Argument LaunchReports::pointedBy(uintptr_t address) const {
  Context &context = launch_.program.context();
  if (Ref<kiln::Allocation> found = allocationAt(address))
    return {Argument::Allocation, uintptr_t(found->begin()), found->size()};
  if (Ref<Buffer> buffer = context.deviceAddresses().find(context.memoryIndexOf(device_), address))
    if (Result<uint64_t> begin = buffer->address(device_); begin.ok())
      return {Argument::Buffer, uintptr_t(*begin), buffer->size()};
  if (const auto freed = findFreed(address))
    return {Argument::Freed, freed->begin, freed->size};
  return {}; // memory of the application (fine-grain system SVM)
}

Ref<kiln::Allocation> LaunchReports::allocationAt(uintptr_t address) const {
  return launch_.program.context().allocations().find(reinterpret_cast<const void *>(address));
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
  Ref<kiln::Allocation> found = allocationAt(access.address);
  return found ? text("outside of an allocation, which has ", found->size(),
                      " bytes: ", distanceText(access.address, access.bytes, uintptr_t(found->begin()), found->size()))
               : std::string("outside of every object");
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
  return finding;
}

Finding LaunchReports::findingOfMissing(const abi::CheckSite &barrier, const std::array<uint64_t, 3> &item) const {
  Finding finding = findingAt(barrier, item);
  finding.check = "barriers";
  finding.what = "has a barrier that other work-items of the group reach, and this one does not";
  return finding;
}

} // namespace kiln::check
