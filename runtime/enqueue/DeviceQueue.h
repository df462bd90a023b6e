// A device queue, which kernels enqueue to. On the host it is little more than a capacity.
#pragma once
#include "runtime/memory/Context.h"

namespace kiln {

class DeviceQueues;

class DeviceQueue final : public _cl_command_queue, public Object {
public:
  static constexpr ObjectKind Kind = ObjectKind::DeviceQueue;

  /// As Queue::create, for properties with CL_QUEUE_ON_DEVICE. With CL_QUEUE_ON_DEVICE_DEFAULT, returns the device's
  /// default queue in the context if there is one. `size` is in bytes; 0 selects the device's preferred size.
  static Result<Ref<DeviceQueue>> create(Context &context, DeviceObject &device, cl_command_queue_properties properties,
                                         std::vector<cl_queue_properties> list, cl_uint size);
  ~DeviceQueue() override;

  Context &context() const { return *context_; }
  DeviceObject &device() const { return *device_; }
  /// The queues of its device in the context.
  DeviceQueues &deviceQueues() const { return deviceQueues_; }
  cl_command_queue_properties properties() const { return properties_; }
  const std::vector<cl_queue_properties> &propertyList() const { return list_; }
  cl_uint size() const { return size_; }
  /// The value of a queue_t in kernels.
  uint64_t address() const { return address_; }

private:
  friend class DeviceQueues;
  void lastHandleReleased() override;
  DeviceQueue(Context &context, DeviceObject &device, DeviceQueues &deviceQueues,
              cl_command_queue_properties properties, std::vector<cl_queue_properties> list, cl_uint size)
      : Object(Kind), context_(&context), device_(&device), deviceQueues_(deviceQueues), properties_(properties),
        list_(std::move(list)), size_(size) {}

  const Ref<Context> context_; // owns `deviceQueues_`
  DeviceObject *const device_;
  DeviceQueues &deviceQueues_;
  const cl_command_queue_properties properties_;
  const std::vector<cl_queue_properties> list_;
  const cl_uint size_;
  // Set by DeviceQueues::add.
  size_t index_ = 0;
  uint64_t address_ = 0;
};

} // namespace kiln
