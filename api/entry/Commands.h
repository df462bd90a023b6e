// The commands that an application can enqueue and record in a command buffer. Each function checks the parameters of
// the clEnqueue* call of its name, except the queue and the wait list, for a queue that exists, and returns the
// command. The definitions are beside the entries: Transfer.cpp, Image.cpp, Launch.cpp,
// Kernel.cpp and Svm.cpp.
#pragma once
#include "runtime/queue/Queue.h"

namespace kiln::api {

Result<CopyBuffer> copyBuffer(const Queue &queue, cl_mem source, cl_mem destination, size_t sourceOffset,
                              size_t destinationOffset, size_t size);
Result<CopyBuffer> copyBufferRect(const Queue &queue, cl_mem source, cl_mem destination, const size_t *sourceOrigin,
                                  const size_t *destinationOrigin, const size_t *region, size_t sourceRowPitch,
                                  size_t sourceSlicePitch, size_t destinationRowPitch, size_t destinationSlicePitch);
Result<FillBuffer> fillBuffer(const Queue &queue, cl_mem buffer, const void *pattern, size_t patternSize, size_t offset,
                              size_t size);

Result<CopyBuffer> copyImage(const Queue &queue, cl_mem source, cl_mem destination, const size_t *sourceOrigin,
                             const size_t *destinationOrigin, const size_t *region);
Result<CopyBuffer> copyImageToBuffer(const Queue &queue, cl_mem source, cl_mem destination, const size_t *origin,
                                     const size_t *region, size_t offset);
Result<CopyBuffer> copyBufferToImage(const Queue &queue, cl_mem source, cl_mem destination, size_t offset,
                                     const size_t *origin, const size_t *region);
Result<FillBuffer> fillImage(const Queue &queue, cl_mem handle, const void *color, const size_t *origin,
                             const size_t *region);

/// clEnqueueNDRangeKernel, up to the enqueue. The records of what the kernel enqueues are missing:
/// LaunchRecords::addTo.
Result<HostLaunch> prepareLaunch(const Queue &queue, cl_kernel kernel, const LaunchSizes &sizes);
/// The same for a checked kernel of the queue's context.
Result<HostLaunch> prepareLaunch(const Queue &queue, Kernel &kernel, const LaunchSizes &sizes);

/// clSetKernelArg and clSetKernelArgSVMPointer.
Status setKernelArg(Kernel &kernel, cl_uint index, size_t size, const void *value);
Status setKernelArgSvm(Kernel &kernel, cl_uint index, const void *pointer);

} // namespace kiln::api
