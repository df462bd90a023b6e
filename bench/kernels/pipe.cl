// The queue of counter.cl as a pipe: one packet per work-item, or one reservation per work-group.
kernel void append(write_only pipe uint words) {
  uint word = (uint)get_global_id(0);
  write_pipe(words, &word);
}

kernel void take(read_only pipe uint words, global uint *out) { read_pipe(words, out + get_global_id(0)); }

kernel void append_block(write_only pipe uint words) {
  uint word = (uint)get_global_id(0);
  reserve_id_t block = work_group_reserve_write_pipe(words, (uint)get_local_size(0));
  if (is_valid_reserve_id(block)) {
    write_pipe(words, block, (uint)get_local_id(0), &word);
    work_group_commit_write_pipe(words, block);
  }
}

kernel void take_block(read_only pipe uint words, global uint *out) {
  reserve_id_t block = work_group_reserve_read_pipe(words, (uint)get_local_size(0));
  if (is_valid_reserve_id(block)) {
    read_pipe(words, block, (uint)get_local_id(0), out + get_global_id(0));
    work_group_commit_read_pipe(words, block);
  }
}
