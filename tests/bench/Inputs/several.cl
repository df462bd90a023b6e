typedef struct { int x; } S;
kernel void one(global int *a) { *a = 1; }
kernel void two(global S *a) { a->x = 1; }
kernel void three(global int *a, local float2 *l, uchar4 v, int w, int h) {
  l[get_local_id(0)] = 1;
  a[get_global_id(1) * w + get_global_id(0)] = v.x + h;
}
