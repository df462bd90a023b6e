#line 105 "variables.cl"
int lessThan100(int of);
typedef struct pair { int x; float y; } pair;
kernel void k(global int *out, int extra) {
  local int all[4];
  int id = get_global_id(0);
  pair point = {id, 1.5f};
  int4 vector = (int4)(0, 1, 2, 3) + id;
  int values[3] = {10, 20, id};
  for (int round = 0; round < 2; ++round)
    all[id] = values[2] + (int)point.y - 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  int again = all[get_global_size(0) - 1 - id];
  for (int round = 0; round < 2; ++round)
    out[id] += again + vector.x + extra + point.x;
  {
    int id = 40, shifted = id + 1;
    for (int round = 0; round < 2; ++round)
      out[0] += shifted + id;
    out[0] += lessThan100(out[1] + 64);
  }
}
int lessThan100(int of) {
  int reduced = of * 2;
  while (reduced >= 100)
    reduced -= 100;
  return reduced;
}
