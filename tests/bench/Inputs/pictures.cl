typedef struct { int x; } S;
kernel void pictures(global float4 *out, read_only image2d_t in, sampler_t s, write_only image2d_array_t layers, S p,
                     local float *t, global S *q) {
  int x = get_global_id(0), y = get_global_id(1);
  float4 v = read_imagef(in, s, (float2)(x, y)) + p.x;
  t[get_local_id(0)] = v.x;
  write_imagef(layers, (int4)(x, y, 1, 0), v);
  out[y * get_global_size(0) + x] = v;
  q[0].x = 5;
}
