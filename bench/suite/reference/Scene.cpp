#include "bench/suite/reference/Scene.h"
#include "bench/suite/Reference.h"
#include <cmath>

namespace bench {

namespace {
struct Vector {
  double x, y, z;
  Vector(double x, double y, double z) : x(x), y(y), z(z) {}
  Vector(const Vector4 &v) : x(v.x), y(v.y), z(v.z) {}
  friend Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vector operator*(double a, Vector b) { return {a * b.x, a * b.y, a * b.z}; }
  friend double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
};

struct Ray {
  Vector from, direction;
};

/// The index of the first sphere on the ray, or -1, and its distance.
std::pair<int, double> hit(const Spheres &scene, const Ray &ray) {
  std::pair<int, double> found = {-1, 1e9};
  for (size_t i = 0; i < scene.spheres.size(); ++i) {
    Vector centre = Vector(scene.spheres[i]) - ray.from;
    double radius = scene.spheres[i].w, along = dot(centre, ray.direction);
    double inside = radius * radius - dot(centre, centre) + along * along;
    double at = along - std::sqrt(inside);
    if (inside >= 0 && at > 1e-3 && at < found.second)
      found = {int(i), at};
  }
  return found;
}

Vector colourOf(const Spheres &scene, const Ray &ray, int depth) {
  if (!depth)
    return {0, 0, 0};
  auto [which, distance] = hit(scene, ray);
  if (which < 0)
    return (0.5 + 0.5 * ray.direction.y) * Vector(0.5, 0.7, 1.0);
  Vector at = ray.from + distance * ray.direction;
  const Vector4 &sphere = scene.spheres[size_t(which)], &paint = scene.colours[size_t(which)];
  Vector normal = (1 / double(sphere.w)) * (at - Vector(sphere));
  double lit = dot(normal, scene.light);
  if (lit < 0 || hit(scene, {at, scene.light}).first >= 0)
    lit = 0;
  Vector own = (0.1 + 0.9 * lit) * Vector(paint);
  Vector mirrored = colourOf(scene, {at, ray.direction - 2 * dot(ray.direction, normal) * normal}, depth - 1);
  return (1.0 - paint.w) * own + double(paint.w) * mirrored;
}
} // namespace

Spheres spheresOnGround(size_t count) {
  Spheres made;
  std::vector<float> random = randomFloats(count * 7, 0, 1, 6);
  for (size_t i = 0; i + 1 < count; ++i) {
    const float *r = &random[i * 7];
    float radius = 0.2f + 0.4f * r[0];
    made.spheres.push_back({8 * r[1] - 4, radius - 1, -4 - 6 * r[2], radius});
    made.colours.push_back({r[3], r[4], r[5], 0.6f * r[6]});
  }
  made.spheres.push_back({0, -101, -6, 100});
  made.colours.push_back({0.6f, 0.6f, 0.5f, 0.1f});
  made.light = {0.48f, 0.8f, 0.36f, 0};
  return made;
}

std::vector<Vector4> traceRow(const Spheres &scene, int depth, size_t width, size_t height, size_t row) {
  std::vector<Vector4> colours;
  for (size_t column = 0; column < width; ++column) {
    Vector direction((2.0 * double(column) - double(width)) / double(height),
                     (double(height) - 2.0 * double(row)) / double(height), -1.5);
    Vector colour = colourOf(scene, {{0, 0, 0}, 1 / std::sqrt(dot(direction, direction)) * direction}, depth);
    colours.push_back({float(colour.x), float(colour.y), float(colour.z), 1});
  }
  return colours;
}

} // namespace bench
