#include "runtime/memory/Context.h"
#include "base/support/Log.h"
#include <algorithm>

namespace kiln {
namespace {

/// Sets `terminable` if the list has CL_CONTEXT_TERMINATE_KHR.
Status checkProperties(const std::vector<cl_context_properties> &list, bool &terminable) {
  std::vector<cl_context_properties> seen;
  for (size_t i = 0; i + 1 < list.size() && list[i]; i += 2) {
    cl_context_properties key = list[i], value = list[i + 1];
    if (std::ranges::find(seen, key) != seen.end())
      return fail(CL_INVALID_PROPERTY, "context property 0x", std::hex, key, " is repeated");
    seen.push_back(key);
    switch (key) {
    case CL_CONTEXT_PLATFORM:
      if (reinterpret_cast<cl_platform_id>(value) != static_cast<cl_platform_id>(&Platform::get()))
        return fail(CL_INVALID_PLATFORM, "CL_CONTEXT_PLATFORM is not this platform");
      break;
    case CL_CONTEXT_INTEROP_USER_SYNC:
      if (value != CL_TRUE && value != CL_FALSE)
        return fail(CL_INVALID_PROPERTY, "CL_CONTEXT_INTEROP_USER_SYNC is ", value, ", must be CL_TRUE or CL_FALSE");
      break;
    case CL_CONTEXT_TERMINATE_KHR:
    case KILN_CONTEXT_TERMINATE_OF_1_2:
      if (value != CL_TRUE && value != CL_FALSE)
        return fail(CL_INVALID_PROPERTY, "CL_CONTEXT_TERMINATE_KHR is ", value, ", must be CL_TRUE or CL_FALSE");
      terminable = value == CL_TRUE;
      break;
    default:
      return fail(CL_INVALID_PROPERTY, "unknown context property 0x", std::hex, key);
    }
  }
  return {};
}

std::vector<DeviceObject *> memoryDevicesOf(const std::vector<DeviceObject *> &devices) {
  std::vector<DeviceObject *> memories;
  for (DeviceObject *device : devices)
    if (std::ranges::none_of(memories, [&](DeviceObject *known) { return &known->root() == &device->root(); }))
      memories.push_back(device);
  return memories;
}

} // namespace

Result<Ref<Context>> Context::create(std::vector<cl_context_properties> properties,
                                     const std::vector<DeviceObject *> &devices, Notify notify, void *userData) {
  bool terminable = false;
  KILN_TRY(checkProperties(properties, terminable));
  if (devices.empty())
    return fail(CL_INVALID_VALUE, "num_devices is 0");
  if (userData && !notify)
    return fail(CL_INVALID_VALUE, "user_data must be null without pfn_notify");
  std::vector<DeviceObject *> once;
  for (DeviceObject *device : devices) {
    if (!device->device().isAvailable())
      return fail(CL_DEVICE_NOT_AVAILABLE, "device ", device->info().name, " is not available");
    if (terminable && !device->hasExtension("cl_khr_terminate_context"))
      return fail(CL_INVALID_PROPERTY, "CL_CONTEXT_TERMINATE_KHR is CL_TRUE, but device ", device->info().name,
                  " cannot end kernels that run");
    if (std::ranges::find(once, device) == once.end())
      once.push_back(device);
  }
  if (size_t memories = memoryDevicesOf(once).size(); memories >= MaxMemoryNodes)
    return fail(CL_OUT_OF_RESOURCES, "number of root devices is ", memories, ", must be at most ", MaxMemoryNodes - 1);
  return Ref<Context>(new Context(std::move(properties), terminable, std::move(once), notify, userData));
}

Context::Context(std::vector<cl_context_properties> properties, bool terminable, std::vector<DeviceObject *> devices,
                 Notify notify, void *userData)
    : Object(Kind), properties_(std::move(properties)), devices_(std::move(devices)),
      deviceRefs_(devices_.begin(), devices_.end()), memoryDevices_(memoryDevicesOf(devices_)), notify_(notify),
      userData_(userData),
      severalNodes_(!std::ranges::all_of(devices_, [](DeviceObject *d) { return d->info().sharesHostMemory; })),
      terminable_(terminable) {}

Result<Ref<Context>> Context::create(std::vector<cl_context_properties> properties, cl_device_type types, Notify notify,
                                     void *userData) {
  bool terminable = false;
  KILN_TRY(checkProperties(properties, terminable));
  std::vector<DeviceObject *> found = KILN_TRY(Platform::get().devices(types));
  std::erase_if(found, [](DeviceObject *device) { return !device->device().isAvailable(); });
  if (found.empty())
    return fail(CL_DEVICE_NOT_AVAILABLE, "no device of type 0x", std::hex, types, " is available");
  return create(std::move(properties), found, notify, userData);
}

Context::~Context() {
  std::vector<std::pair<DestructorCallback, void *>> callbacks;
  {
    Lock lock(mutex_);
    callbacks.swap(destructorCallbacks_);
  }
  for (auto it = callbacks.rbegin(); it != callbacks.rend(); ++it)
    it->first(this, it->second);
  for (const std::atomic<ContextPart *> &part : parts_)
    delete part.load(std::memory_order_relaxed);
}

int Context::indexOf(const DeviceObject *device) const {
  auto found = std::ranges::find(devices_, device);
  return found == devices_.end() ? -1 : int(found - devices_.begin());
}

size_t Context::memoryIndexOf(const DeviceObject &device) const {
  auto found =
      std::ranges::find_if(memoryDevices_, [&](DeviceObject *known) { return &known->root() == &device.root(); });
  assert(found != memoryDevices_.end());
  return size_t(found - memoryDevices_.begin());
}

void Context::addQueue(Object &queue, Action flush) {
  Lock lock(mutex_);
  queues_.emplace_back(&queue, flush);
}

void Context::removeQueue(Object &queue) noexcept {
  Lock lock(mutex_);
  std::erase_if(queues_, [&](const auto &entry) { return entry.first == &queue; });
}

bool Context::freeAndWait(Ref<Allocation> allocation) {
  auto gone = std::make_shared<Allocation::FreedSignal>();
  if (!allocations_.free(*allocation))
    return false;
  allocation->signalOnFree(gone);
  allocation = nullptr;
  forEachOf(&Context::queues_);
  gone->wait();
  return true;
}

void Context::forEachOf(Registered Context::*list) {
  std::vector<std::pair<Ref<Object>, Action>> objects;
  {
    Lock lock(mutex_);
    objects.reserve((this->*list).size()); // no Ref may be destroyed under the lock
    for (auto [object, action] : this->*list)
      if (Ref<Object> alive = Ref<Object>::ifAlive(object))
        objects.emplace_back(std::move(alive), action);
  }
  for (const auto &[object, action] : objects)
    action(*object);
}

void Context::addUserEvent(Object &event, Action end) {
  Lock lock(mutex_);
  userEvents_.emplace_back(&event, end);
}

void Context::removeUserEvent(Object &event) noexcept {
  Lock lock(mutex_);
  std::erase_if(userEvents_, [&](const auto &entry) { return entry.first == &event; });
}

Status Context::terminate() {
  if (!terminable_)
    return fail(CL_INVALID_OPERATION, "the context was created without CL_CONTEXT_TERMINATE_KHR");
  if (terminated_.exchange(true))
    return fail(CL_CONTEXT_TERMINATED_KHR, "the context has been terminated already");
  for (DeviceObject *device : devices_)
    device->device().endTerminatedLaunches();
  forEachOf(&Context::userEvents_); // commands that wait for them
  forEachOf(&Context::queues_);     // commands that no thread runs yet
  report("the context has been terminated");
  return {};
}

void Context::report(const char *message) const noexcept {
  if (notify_)
    notify_(message, nullptr, 0, userData_);
}

void Context::addDestructorCallback(DestructorCallback callback, void *userData) {
  Lock lock(mutex_);
  destructorCallbacks_.emplace_back(callback, userData);
}

} // namespace kiln
