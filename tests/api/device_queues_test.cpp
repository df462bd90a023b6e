// Device queues: their properties, limits and the default one.
#include "tests/api/DeviceEnqueueTest.h"

namespace kiln::test {

TEST_F(DeviceEnqueue, QueueProperties) {
  PROVES("API-5.1a API-5.1f");
  Queue queue = deviceQueue(OnDevice | CL_QUEUE_PROFILING_ENABLE, 65536);
  ASSERT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(query<cl_context>(clGetCommandQueueInfo, queue.get(), CL_QUEUE_CONTEXT), context);
  EXPECT_EQ(query<cl_device_id>(clGetCommandQueueInfo, queue.get(), CL_QUEUE_DEVICE), device);
  EXPECT_EQ(query<cl_uint>(clGetCommandQueueInfo, queue.get(), CL_QUEUE_SIZE), 65536u);
  EXPECT_EQ(query<cl_command_queue_properties>(clGetCommandQueueInfo, queue.get(), CL_QUEUE_PROPERTIES),
            cl_command_queue_properties(OnDevice | CL_QUEUE_PROFILING_ENABLE));
  Queue preferred = deviceQueue();
  EXPECT_EQ(query<cl_uint>(clGetCommandQueueInfo, preferred.get(), CL_QUEUE_SIZE),
            query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE));
  EXPECT_EQ(clRetainCommandQueue(queue), CL_SUCCESS);
  EXPECT_EQ(query<cl_uint>(clGetCommandQueueInfo, queue.get(), CL_QUEUE_REFERENCE_COUNT), 2u);
  EXPECT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
}

TEST_F(DeviceEnqueue, QueueTooLarge) {
  PROVES("API-5.1b");
  cl_uint most = query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE);
  EXPECT_EQ(deviceQueue(OnDevice, most + 1), nullptr);
  EXPECT_EQ(code, CL_INVALID_QUEUE_PROPERTIES);
  Queue largest = deviceQueue(OnDevice, most);
  EXPECT_EQ(code, CL_SUCCESS);
}

TEST_F(DeviceEnqueue, MaxQueues) {
  PROVES("API-5.1a");
  std::vector<Queue> queues;
  for (cl_uint i = 0; i < query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_MAX_ON_DEVICE_QUEUES); ++i) {
    queues.push_back(deviceQueue());
    ASSERT_EQ(code, CL_SUCCESS);
  }
  EXPECT_EQ(deviceQueue(), nullptr);
  EXPECT_EQ(code, CL_OUT_OF_RESOURCES);
  queues.pop_back();
  queues.push_back(deviceQueue());
  EXPECT_EQ(code, CL_SUCCESS);
}

TEST_F(DeviceEnqueue, OneDefaultQueue) {
  PROVES("API-5.1c");
  Queue again = deviceQueue(OnDevice | CL_QUEUE_ON_DEVICE_DEFAULT);
  EXPECT_EQ(again.get(), standard.get());
  EXPECT_EQ(query<cl_uint>(clGetCommandQueueInfo, standard.get(), CL_QUEUE_REFERENCE_COUNT), 2u);
  EXPECT_EQ(query<cl_command_queue>(clGetCommandQueueInfo, queue.get(), CL_QUEUE_DEVICE_DEFAULT), standard.get());
}

TEST_F(DeviceEnqueue, DefaultQueueReplaced) {
  PROVES("API-5.1d DSE-14");
  Queue other = deviceQueue();
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context, device, queue), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(nullptr, device, other), CL_INVALID_CONTEXT);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context, nullptr, other), CL_INVALID_DEVICE);
  Queue foreign = deviceQueue(OnDevice, 0, otherContext);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context, device, foreign), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context, device, other), CL_SUCCESS);
  EXPECT_EQ(query<cl_command_queue>(clGetCommandQueueInfo, other.get(), CL_QUEUE_DEVICE_DEFAULT), other.get());

  constexpr const char *Source =
      "kernel void parent(global int *out, queue_t q) { out[0] = q == get_default_queue(); }";
  Kernel k = kernelOf(Source);
  out = filled(1, -1);
  EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
  EXPECT_EQ(set(k, 1, other.get()), CL_SUCCESS);
  EXPECT_EQ(launch(k, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], 1);
  other.reset(); // after its release there is no default queue
  EXPECT_EQ(query<cl_command_queue>(clGetCommandQueueInfo, queue.get(), CL_QUEUE_DEVICE_DEFAULT), nullptr);
}

TEST_F(DeviceEnqueue, HostCallsRejectDeviceQueues) {
  PROVES("API-5.15a");
  EXPECT_EQ(clFlush(standard), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clFinish(standard), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueMarkerWithWaitList(standard, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
}

TEST_F(DeviceEnqueue, ArgumentMustBeADeviceQueue) {
  PROVES("API-5.9.2a");
  Kernel k = kernelOf("kernel void parent(queue_t q) { }");
  EXPECT_EQ(clSetKernelArg(k, 0, sizeof(cl_command_queue), queue.address()), CL_INVALID_DEVICE_QUEUE);
  EXPECT_EQ(clSetKernelArg(k, 0, sizeof(cl_command_queue), nullptr), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(clSetKernelArg(k, 0, 4, standard.address()), CL_INVALID_ARG_SIZE);
  Queue foreign = deviceQueue(OnDevice, 0, otherContext);
  EXPECT_EQ(clSetKernelArg(k, 0, sizeof(cl_command_queue), foreign.address()), CL_INVALID_DEVICE_QUEUE);
  EXPECT_EQ(clSetKernelArg(k, 0, sizeof(cl_command_queue), standard.address()), CL_SUCCESS);
}

} // namespace kiln::test
