global int counter[3] = {7, 8, 9};
global int *global place = &counter[1];
constant int plain[2] = {3, 4};
kernel void next(global int *out) { out[get_global_id(0)] = (*place)++ + counter[2] + plain[get_global_id(0) & 1]; }
