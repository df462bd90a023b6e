// What every file of entries includes.
#pragma once
#include "api/Enter.h"
#include "api/Info.h"
#include "api/check/Enqueue.h"
#include "api/check/Object.h"
#include "api/check/Platform.h"

/// The cases of a switch over a section of Queries.def.
#define KILN_QUERY_CASE(name, type, value)                                                                             \
  case name:                                                                                                           \
    return writer.write<type>(value);
