// KILN_CHECK in blocks that kernels enqueue. A block has the name that Clang gives it: its kernel's and a number.

// DEFINE: %{races} = env KILN_CHECK=races KILN_CPU_THREADS=1 kiln-run --device-queue --options=-cl-std=CL3.0
// DEFINE: %{init} = env KILN_CHECK=init KILN_CPU_THREADS=1 kiln-run --device-queue --options=-cl-std=CL3.0
// DEFINE: %{memory} = env KILN_CHECK=memory KILN_CPU_THREADS=1 kiln-run --device-queue --options=-cl-std=CL3.0
// DEFINE: %{all} = env KILN_CHECK=memory,races,init,barriers KILN_CPU_THREADS=1 kiln-run --device-queue --options=-cl-std=CL3.0

// ---- races

// RUN: %{races} %s same_element inout:u32[64]=0 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: check: kernel __same_element_block_invoke_kernel.block has a race in global memory
// SAME-NEXT: line [[# @LINE + 7]]: to[get_global_id(0) / 2] = 1;
// SAME-NEXT: work-item (1), local id (1) in work-group (0) writes it
// SAME-NEXT: line [[# @LINE + 5]]: to[get_global_id(0) / 2] = 1;
// SAME-NEXT: work-item (0), local id (0) in work-group (0) writes it
// SAME: check: 1 findings, which occurred 32 times
kernel void same_element(global uint *to) {
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64, 64), ^{
    to[get_global_id(0) / 2] = 1;
  });
}

// RUN: %{races} %s across_groups inout:u32[64]=0 2>&1 | FileCheck %s --check-prefix=ACROSS
// ACROSS: check: kernel __across_groups_block_invoke_kernel.block has a race in global memory
// ACROSS-NEXT: line [[# @LINE + 7]]: to[get_local_id(0)] = 1;
// ACROSS-NEXT: work-item (16), local id (0) in work-group (1) writes it
// ACROSS-NEXT: line [[# @LINE + 5]]: to[get_local_id(0)] = 1;
// ACROSS-NEXT: work-item (0), local id (0) in work-group (0) writes it
// ACROSS: check: 1 findings, which occurred 48 times
kernel void across_groups(global uint *to) {
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64, 16), ^{
    to[get_local_id(0)] = 1;
  });
}

// RUN: %{races} %s no_barrier inout:u32[32]=0 2>&1 | FileCheck %s --check-prefix=NO-BARRIER
// NO-BARRIER: check: kernel __no_barrier_block_invoke_kernel.block has a race in
// NO-BARRIER-DAG: line [[# @LINE + 6]]: tile[l] = l;
// NO-BARRIER-DAG: line [[# @LINE + 6]]: to[l] = tile[31 - l];
// NO-BARRIER: hint: a barrier with CLK_LOCAL_MEM_FENCE
kernel void no_barrier(global uint *to) {
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(32, 32), ^(local void *room) {
    uint l = get_local_id(0); local uint *tile = room;
    tile[l] = l;
    to[l] = tile[31 - l];
  }, 128u);
}

// RUN: %{races} %s count inout:u32[1]=0 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: check: kernel __count_block_invoke_kernel.block has a race in global memory
// COUNT-DAG: line [[# @LINE + 6]]: to[0] = 0;
// COUNT-DAG: line [[# @LINE + 6]]: atomic_inc(to);
// COUNT: hint: only one of the two accesses is atomic
kernel void count(global uint *to) {
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(16, 16), ^{
    if (get_global_id(0) == 3)
      to[0] = 0;
    atomic_inc(to);
  });
}

// A block that a block enqueues.
// RUN: %{races} %s nested inout:u32[32]=0 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED: check: kernel {{.*}}nested_block_invoke{{.*}} has a race in global memory
// NESTED-NEXT: line [[# @LINE + 4]]: to[0] = get_global_id(0);
kernel void nested(global uint *to) {
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(32, 32), ^{
      to[0] = get_global_id(0);
    });
  });
}

// ---- memory that was never written

// RUN: %{init} %s unwritten inout:u32[16]=0 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// UNWRITTEN: check: kernel __unwritten_block_invoke_kernel.block reads memory that was never written: the local memory of argument
// UNWRITTEN-NEXT: line [[# @LINE + 7]]: to[l] = tile[l + 1];
// UNWRITTEN-NEXT: work-item (15), local id (15) in work-group (0)
kernel void unwritten(global uint *to) {
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(16, 16), ^(local void *room) {
    uint l = get_local_id(0); local uint *tile = room;
    tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    to[l] = tile[l + 1];
  }, 68u);
}

// RUN: %{init} %s unwritten_private inout:u32[16]=1,5 2>&1 | FileCheck %s --check-prefix=PRIVATE
// PRIVATE: check: kernel __unwritten_private_block_invoke_kernel.block reads bytes of a private variable that were never written
// PRIVATE-NEXT: line [[# @LINE + 7]]: to[l] = own[to[l]];
// PRIVATE-NEXT: work-item (1), local id (1) in work-group (0)
kernel void unwritten_private(global uint *to) {
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(16, 16), ^{
    uint l = get_local_id(0), own[8];
    for (uint k = 0; k < 4; ++k)
      own[k] = l + k;
    to[l] = own[to[l]];
  });
}

// A marker's request to the device library has members that are not set.
// RUN: %{init} %s marker inout:u32[1]=0 2>&1 | FileCheck %s --check-prefix=MARKER
// MARKER-NOT: check:
// MARKER: argument 0: 1
kernel void marker(global uint *to) {
  queue_t queue = get_default_queue();
  clk_event_t events[2];
  events[0] = create_user_event();
  if (enqueue_marker(queue, 1, &events[0], &events[1]) == CLK_SUCCESS)
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 2, events, 0, ^{ *to = 1; });
  set_user_event_status(events[0], CL_COMPLETE);
  release_event(events[1]);
  release_event(events[0]);
}

// ---- wrong accesses

// RUN: %{memory} %s outside inout:u32[16]=0 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: check: kernel __outside_block_invoke_kernel.block writes 4 bytes outside of the local memory of argument {{[0-9]}}{{.*}}, which has 64 bytes: right after its end
// OUTSIDE-NEXT: line [[# @LINE + 5]]: tile[l + 1] = l;
// OUTSIDE-NEXT: work-item (15), local id (15) in work-group (0)
kernel void outside(global uint *to) {
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(16, 16), ^(local void *room) {
    uint l = get_local_id(0); local uint *tile = room;
    tile[l + 1] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    to[l] = tile[l];
  }, 64u);
}

// RUN: %{memory} %s null u64=0 2>&1 | FileCheck %s --check-prefix=NULL
// NULL: check: kernel __null_block_invoke_kernel.block writes 4 bytes
// NULL-NEXT: line [[# @LINE + 4]]: to[get_global_id(0)] = 1;
kernel void null(ulong address) {
  global uint *to = (global uint *)address;
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(16, 16), ^{
    to[get_global_id(0)] = 1;
  });
}

// The captured pointer points into a buffer of the launch by the host.
// RUN: %{memory} %s after_a_buffer inout:u32[16]=7 2>&1 | FileCheck %s --check-prefix=AFTER-A-BUFFER
// AFTER-A-BUFFER: check: kernel __after_a_buffer_block_invoke_kernel.block writes 4 bytes outside of a buffer, which has 64 bytes: right after its end
// AFTER-A-BUFFER-NEXT: line [[# @LINE + 7]]: to[get_global_id(0) + 1] = 5;
// AFTER-A-BUFFER-NEXT: work-item (15), local id (15) in work-group (0)
// AFTER-A-BUFFER-NEXT: created at kiln-run+0x
// AFTER-A-BUFFER: check: 1 findings, which occurred 1 times
// AFTER-A-BUFFER: argument 0: 7 5 5 5
kernel void after_a_buffer(global uint *to) {
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(16, 16), ^{
    to[get_global_id(0) + 1] = 5;
  });
}

// The same in a block that a block enqueues, whose captured pointer is not the buffer's begin.
// RUN: %{memory} %s before_a_buffer inout:u32[16]=7 2>&1 | FileCheck %s --check-prefix=BEFORE-A-BUFFER
// BEFORE-A-BUFFER: check: kernel {{.*}}before_a_buffer_block_invoke{{.*}} reads 4 bytes outside of a buffer, which has 64 bytes: 4 bytes before its begin
// BEFORE-A-BUFFER-NEXT: line [[# @LINE + 6]]: middle[get_global_id(0)] = middle[(int)get_global_id(0) - 9];
// BEFORE-A-BUFFER: check: 1 findings, which occurred 1 times
kernel void before_a_buffer(global uint *to) {
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
    global uint *middle = to + 8;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8, 8), ^{
      middle[get_global_id(0)] = middle[(int)get_global_id(0) - 9];
    });
  });
}

// ---- nothing

// RUN: %{all} %s right inout:u32[64]=0 inout:u32[1]=0 2>&1 | FileCheck %s --check-prefix=RIGHT
// RIGHT-NOT: check:
// RIGHT: argument 0: 15 14 13
// RIGHT: argument 1: 64
kernel void right(global uint *to, global uint *counter) {
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64, 16), ^(local void *room) {
    local uint *tile = room;
    uint l = get_local_id(0);
    tile[l] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    to[get_global_id(0)] = tile[15 - l];
    atomic_inc(counter);
  }, 64u);
}

// ---- buffers that were never written

// Blocks read what their kernel, the blocks before them and they themselves have written, and bytes 64 to 127.
// RUN: %{init} %s never_written new:u32[48] inout:u32[16]=7 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: check: kernel __never_written_block_invoke_2_kernel.block reads memory that was never written: a buffer: byte 64
// NEVER-NEXT: line [[# @LINE + 14]]: own[l] = room[l] + room[l + 16] + room[l + 32];
// NEVER-NEXT: work-item (0), local id (0) in work-group (0), address 0x
// NEVER-NEXT: created at kiln-run+0x
// NEVER: check: 1 findings
kernel void never_written(global uint *room, global uint *own) {
  queue_t queue = get_default_queue();
  clk_event_t first;
  for (uint i = 0; i < 16; ++i)
    room[i + 32] = i;
  enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(16, 16), 0, 0, &first, ^{
    room[get_global_id(0)] = 1;
  });
  enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(16, 16), 1, &first, 0, ^{
    uint l = get_local_id(0);
    own[l] = room[l] + room[l + 16] + room[l + 32];
  });
  release_event(first);
}

// A block that a block enqueues writes a part of the buffer, and a third one reads all of it.
// RUN: %{init} %s never_written_deep new:u32[32] out:u32[32] 2>&1 | FileCheck %s --check-prefix=DEEP
// DEEP: check: kernel {{.*}}never_written_deep_block_invoke{{.*}} reads memory that was never written: a buffer: byte 96
// DEEP-NEXT: line [[# @LINE + 8]]: to[get_global_id(0)] = room[get_global_id(0)];
// DEEP-NEXT: work-item (24), local id (24) in work-group (0), address 0x
// DEEP: check: 1 findings
kernel void never_written_deep(global uint *room, global uint *to) {
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(24, 24), ^{
    room[get_global_id(0)] = 1;
    if (get_global_id(0) == 0)
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(32, 32), ^{
        to[get_global_id(0)] = room[get_global_id(0)];
      });
  });
}

// All is written: by the kernel, and by atomic operations of a block.
// RUN: %{all} %s written new:u32[32] new:u32[32] 2>&1 | FileCheck %s --check-prefix=WRITTEN
// WRITTEN-NOT: check:
// WRITTEN: argument 1: 1 2 3 4
kernel void written(global uint *room, global uint *to) {
  room[31] = 31;
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(31, 31), ^{
    uint i = get_global_id(0);
    atomic_store_explicit((global atomic_uint *)(room + i), i, memory_order_relaxed, memory_scope_device);
    if (i == 0)
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(32, 32), ^{
        to[get_global_id(0)] = room[get_global_id(0)] + 1;
      });
  });
}
