// The smallest kernel whose launch can be verified.
__kernel void count(__global int *counter) {
  if (get_global_id(0) == 0)
    counter[0] += 1;
}
