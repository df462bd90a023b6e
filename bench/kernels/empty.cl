// As little as a launch can do and still be seen to have run.
__kernel void count(__global int *counter) {
  if (get_global_id(0) == 0)
    counter[0] += 1;
}
