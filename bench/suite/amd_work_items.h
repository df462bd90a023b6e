// Work-item functions for bench/compare_amd.py, as ROCm's device library has them for uniform work-groups: libclc's own
// are for Mesa's kernel arguments. The hidden arguments are those of code object version 5.
#define IMPLICIT(type, offset)                                                                                         \
  (*(__constant const type *)((__constant const char *)__builtin_amdgcn_implicitarg_ptr() + (offset)))
#define BY_DIMENSION(name, suffix)                                                                                     \
  (dimension == 0 ? name##_x suffix : dimension == 1 ? name##_y suffix : dimension == 2 ? name##_z suffix : 0)

__attribute__((overloadable, always_inline)) size_t get_local_id(uint dimension) {
  return BY_DIMENSION(__builtin_amdgcn_workitem_id, ());
}
__attribute__((overloadable, always_inline)) size_t get_group_id(uint dimension) {
  return BY_DIMENSION(__builtin_amdgcn_workgroup_id, ());
}
__attribute__((overloadable, always_inline)) size_t get_num_groups(uint dimension) {
  return dimension < 3 ? IMPLICIT(uint, dimension * 4) : 1;
}
__attribute__((overloadable, always_inline)) size_t get_local_size(uint dimension) {
  return dimension < 3 ? IMPLICIT(ushort, 12 + dimension * 2) : 1;
}
__attribute__((overloadable, always_inline)) size_t get_global_offset(uint dimension) {
  return dimension < 3 ? IMPLICIT(ulong, 40 + dimension * 8) : 0;
}
__attribute__((overloadable, always_inline)) size_t get_global_size(uint dimension) {
  return get_num_groups(dimension) * get_local_size(dimension);
}
__attribute__((overloadable, always_inline)) size_t get_global_id(uint dimension) {
  return (uint)get_group_id(dimension) * (uint)get_local_size(dimension) + (uint)get_local_id(dimension) +
         get_global_offset(dimension);
}
