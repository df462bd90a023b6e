kernel void empty() {}
