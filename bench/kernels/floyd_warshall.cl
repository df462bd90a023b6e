// The step of all shortest paths that lets them lead over one more node.
__kernel void lead_over(__global uint *distances, uint nodes, uint middle) {
  uint to = get_global_id(0), from = get_global_id(1);
  if (to >= nodes || from >= nodes)
    return;
  uint way = distances[from * nodes + middle] + distances[middle * nodes + to];
  if (way < distances[from * nodes + to])
    distances[from * nodes + to] = way;
}
