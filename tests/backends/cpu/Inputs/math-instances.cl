kernel void work_items(global const float *in, global float *out) {
  size_t i = get_global_id(0);
  out[i] = sin(in[i]);
}
kernel void vectors(global const float *in, global float *out, global double16 *numbers) {
  size_t i = get_global_id(0);
  vstore3(tgamma(vload3(i, in)), i, out);
  numbers[i] = fmod(numbers[i], 3.0);
}
kernel void brief(global float *numbers) {
  size_t i = get_global_id(0);
  numbers[3 * i] = exp(numbers[3 * i]);
}
kernel void fast(global float *numbers) {
  size_t i = get_global_id(0);
  numbers[3 * i] = native_sin(numbers[3 * i]);
}
kernel void powers(global float *numbers) {
  size_t i = get_global_id(0);
  numbers[i] = exp(numbers[i]);
}
