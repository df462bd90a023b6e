// Arguments of OpenCL 2.0: a pipe, and a device queue.
kernel void send(global int *failed, write_only pipe int packets) {
  int value = get_global_id(0);
  failed[value] = write_pipe(packets, &value);
}
kernel void receive(global int *failed, read_only pipe int packets) {
  int value;
  failed[get_global_id(0)] = read_pipe(packets, &value);
}
kernel void launch_more(global int *numbers, queue_t queue) {
  if (get_global_id(0) == 0)
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(64), ^{ numbers[get_global_id(0)] = 7; });
}
