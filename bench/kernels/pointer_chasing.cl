// Linked lists in random order: each work-item follows one list and adds up its values. Nodes refer to the next node by
// address or by index in a buffer.
struct Node {
  __global struct Node *next;
  int value, unused;
};
struct NumberedNode {
  ulong next;
  int value, unused;
};

__kernel void by_pointer(__global const struct Node *nodes, __global int *sums, uint steps) {
  __global const struct Node *at = nodes + get_global_id(0);
  int sum = 0;
  for (uint i = 0; i < steps; ++i) {
    sum += at->value;
    at = at->next;
  }
  sums[get_global_id(0)] = sum;
}

__kernel void by_number(__global const struct NumberedNode *nodes, __global int *sums, uint steps) {
  ulong at = get_global_id(0);
  int sum = 0;
  for (uint i = 0; i < steps; ++i) {
    sum += nodes[at].value;
    at = nodes[at].next;
  }
  sums[get_global_id(0)] = sum;
}
