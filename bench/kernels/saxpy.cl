__kernel void saxpy(float a, __global const float4 *x, __global float4 *y, int n) {
  int i = get_global_id(0);
  if (i < n)
    y[i] = a * x[i] + y[i];
}
