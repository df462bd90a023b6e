kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }
