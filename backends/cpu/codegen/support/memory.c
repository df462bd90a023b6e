// The memory functions that LLVM calls for copies and fills of structs and arrays.
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  void *result = to;
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size)::"memory");
  return result;
}

void *memmove(void *to, const void *from, size_t size) {
  unsigned char *target = to;
  const unsigned char *source = from;
  if (target <= source || target >= source + size)
    return memcpy(to, from, size);
  while (size--)
    target[size] = source[size];
  return to;
}

void *memset(void *to, int value, size_t size) {
  void *result = to;
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(value) : "memory");
  return result;
}

int memcmp(const void *left, const void *right, size_t size) {
  const unsigned char *a = left, *b = right;
  for (size_t i = 0; i < size; ++i)
    if (a[i] != b[i])
      return a[i] - b[i];
  return 0;
}
