#define NESTED 2
