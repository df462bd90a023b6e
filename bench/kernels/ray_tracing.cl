// Ray tracing of spheres under one light, seen from the origin along -z: shadows, and at most `depth` reflections.

// The index of the nearest sphere ahead within *distance, or -1. Sets *distance to the distance of the sphere.
int nearest(__constant float4 *spheres, int count, float3 from, float3 direction, float *distance) {
  int found = -1;
  for (int i = 0; i < count; ++i) {
    float4 sphere = spheres[i];
    float3 centre = sphere.xyz - from;
    float along = dot(centre, direction);
    float inside = sphere.w * sphere.w - dot(centre, centre) + along * along;
    if (inside < 0.0f)
      continue;
    float at = along - sqrt(inside);
    if (at > 1e-3f && at < *distance) {
      *distance = at;
      found = i;
    }
  }
  return found;
}

// w of a colour is the reflected fraction.
__kernel void trace(__constant float4 *spheres, __constant float4 *colours, int count, float4 light, int depth,
                    __global float4 *picture, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height)
    return;
  float3 from = (float3)(0.0f);
  float across = (float)(2 * x - width) / (float)height, up = (float)(height - 2 * y) / (float)height;
  float3 direction = normalize((float3)(across, up, -1.5f));
  float3 colour = (float3)(0.0f);
  float share = 1.0f;
  for (int bounce = 0; bounce < depth; ++bounce) {
    float distance = 1e9f;
    int hit = nearest(spheres, count, from, direction, &distance);
    if (hit < 0) {
      colour += share * (0.5f + 0.5f * direction.y) * (float3)(0.5f, 0.7f, 1.0f);
      break;
    }
    from += distance * direction;
    float3 normal = (from - spheres[hit].xyz) / spheres[hit].w;
    float lit = dot(normal, light.xyz), far = 1e9f;
    if (lit > 0.0f && nearest(spheres, count, from, light.xyz, &far) >= 0)
      lit = 0.0f;
    float mirror = colours[hit].w;
    colour += share * (1.0f - mirror) * (0.1f + 0.9f * fmax(lit, 0.0f)) * colours[hit].xyz;
    share *= mirror;
    direction -= 2.0f * dot(direction, normal) * normal;
  }
  picture[y * width + x] = (float4)(colour, 1.0f);
}
