"""Prints a kernel of 5,000 lines, of which each fifth computes.

usage: long-kernel.py
"""
LINES = 5000

print("__kernel void many(__global float *to, __global const float *from) {")
print("  size_t i = get_global_id(0);")
print("  float a = from[i], b = 1.0f;")
for line in range(4, LINES - 1):
    print(f"  // {line}" if line % 5 else f"  {'ab'[line % 2]} = {'ba'[line % 2]} * {line}.5f + from[i + {line}];")
print("  to[i] = a + b;")
print("}")
