// One step of Floyd-Warshall: allows paths through `middle`.
__kernel void lead_over(__global uint *distances, uint nodes, uint middle) {
  uint to = get_global_id(0), from = get_global_id(1);
  if (to >= nodes || from >= nodes)
    return;
  uint length = distances[from * nodes + middle] + distances[middle * nodes + to];
  if (length < distances[from * nodes + to])
    distances[from * nodes + to] = length;
}
