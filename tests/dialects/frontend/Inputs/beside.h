#include "dir/nested.h"
#define BESIDE 1
