// Memory runs out while the runtime starts what kernels have enqueued.
#include "tests/process/out_of_memory/OutOfMemory.h"

namespace kiln::test {
namespace {

// The third child waits for two events that are not complete when its record is read.
const char *const Source = R"(
kernel void parent(global int *out) {
  queue_t queue = get_default_queue();
  clk_event_t gate = create_user_event(), both[2], last;
  enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), 1, &gate, &both[0],
                 ^{ out[get_global_id(0)] = 1; });
  enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), 1, &gate, &both[1],
                 ^{ out[4 + get_global_id(0)] = 2; });
  enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), 2, both, &last,
                 ^{ out[8 + get_global_id(0)] = out[get_global_id(0)] + out[4 + get_global_id(0)]; });
  set_user_event_status(gate, CL_COMPLETE);
  release_event(gate);
  release_event(both[0]);
  release_event(both[1]);
  release_event(last);
}
)";

// If a child cannot be created, its parent fails, its event is complete and its bytes of the queue are free: the
// parent, enqueued again, has room. The queue holds the records of one parent and no more.
TEST_F(OutOfMemory, ChildCommands) {
  PROVES("R1 API-5.1g");
  everywhere([](Calls &run) {
    Begun app(run);
    Queue onDevice;
    const cl_queue_properties properties[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
        0};
    run.create("clCreateCommandQueueWithProperties", onDevice, [&](cl_int *code) {
      return clCreateCommandQueueWithProperties(app.context, app.device, properties, code);
    });
    Program program;
    run.create("clCreateProgramWithSource", program, [&](cl_int *code) {
      const char *text = Source;
      return clCreateProgramWithSource(app.context, 1, &text, nullptr, code);
    });
    run.call("clBuildProgram", [&] { return clBuildProgram(program, 0, nullptr, "-cl-std=CL2.0", nullptr, nullptr); });
    Kernel parent;
    run.create("clCreateKernel", parent, [&](cl_int *code) { return clCreateKernel(program, "parent", code); });
    Mem buffer;
    run.create("clCreateBuffer", buffer,
               [&](cl_int *code) { return clCreateBuffer(app.context, 0, 48, nullptr, code); });
    run.call("clSetKernelArg", [&] { return clSetKernelArg(parent, 0, sizeof(cl_mem), buffer.address()); });
    for (int i = 0; i < 3; ++i) {
      const int zero = 0;
      run.command("clEnqueueFillBuffer", [&](cl_event *event) {
        return clEnqueueFillBuffer(app.queue, buffer, &zero, 4, 0, 48, 0, nullptr, event);
      });
      const size_t one = 1;
      run.command("clEnqueueNDRangeKernel", [&](cl_event *event) {
        return clEnqueueNDRangeKernel(app.queue, parent, 1, nullptr, &one, nullptr, 0, nullptr, event);
      });
      std::vector<int> found(12);
      run.call("clEnqueueReadBuffer", [&] {
        return clEnqueueReadBuffer(app.queue, buffer, CL_TRUE, 0, 48, found.data(), 0, nullptr, nullptr);
      });
      EXPECT_EQ(found, (std::vector<int>{1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}));
    }
  });
}

} // namespace
} // namespace kiln::test
