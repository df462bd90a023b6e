// </script><script>document.title = "broken"</script> <!-- & "quotes" \ backslash
float twice(float x) {
  return x * 2.5f;
}

__kernel void explored(__global float *to, __global const float *from, int n) {
  int i = get_global_id(0);
  float sum = 0.0f;
  for (int k = 0; k < n; ++k)
    sum += from[k] * from[i];
  if (sum > 3.0f)
    to[i] = twice(sum);
}

__kernel void scattered(__global int *to, __global const int *from) {
  size_t i = get_global_id(0);
  to[from[i]] = from[i] + 1;
}
