kernel __attribute__((reqd_work_group_size(64, 1, 1))) void reversed(global const float *in, global float *out) {
  local float tile[64];
  const size_t item = get_local_id(0);
  const float mine = in[get_global_id(0)] * 2.0f;
  tile[63 - item] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[item] + mine;
}
