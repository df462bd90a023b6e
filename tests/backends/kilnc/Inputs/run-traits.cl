kernel void plain(global int *o) { o[get_global_id(0)] = 1; }
// The atomic that reserves a printf record is not a trait.
kernel void prints(global int *o) { printf("%d\n", o[get_global_id(0)]); }
// Addition and subtraction commute.
kernel void counts(global int *o, global const int *v) {
  atomic_add(&o[v[get_global_id(0)]], 1);
  atomic_sub(&o[v[get_global_id(0)] + 1], 2);
}
kernel void separate(global int *least, global int *most) {
  atomic_min(least, (int)get_global_id(0));
  atomic_max(most, (int)get_global_id(0));
}
kernel void mixed(global int *o) {
  atomic_min(&o[get_global_id(0) / 2], 5);
  atomic_add(&o[get_global_id(0) / 3], 1);
}
kernel void takes_number(global int *o, global int *next) { o[atomic_inc(next)] = get_global_id(0); }
__attribute__((noinline)) int taken(global int *next) { return atomic_inc(next); }
kernel void in_a_function(global int *o, global int *next) { o[taken(next)] = get_global_id(0); }
kernel void compares(global int *o) { atomic_cmpxchg(o, (int)get_global_id(0), 5); }
kernel void exchanges(global int *o) { atomic_xchg(o, (int)get_global_id(0)); }
kernel void looks(global atomic_int *o, global int *seen) {
  atomic_fetch_add_explicit(o, 1, memory_order_relaxed, memory_scope_device);
  seen[get_global_id(0)] = atomic_load_explicit(o, memory_order_relaxed, memory_scope_device);
}
kernel void only_looks(global atomic_int *o, global int *seen) {
  seen[get_global_id(0)] = atomic_load_explicit(o, memory_order_relaxed, memory_scope_device);
}
kernel void with_host(global atomic_int *o) {
  atomic_fetch_add_explicit(o, 1, memory_order_relaxed, memory_scope_all_svm_devices);
}
struct node { global struct node *next; int value; };
kernel void follows(global struct node *first, global int *o) { *o = first->next->value; }
kernel void pixels(read_only image2d_t from, write_only image2d_t to) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(to, at, read_imagef(from, at));
}
