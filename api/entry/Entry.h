// Included by every file of entries.
#pragma once
#include "api/Enter.h"
#include "api/Info.h"
#include "api/check/Enqueue.h"
#include "api/check/Object.h"
#include "api/check/Platform.h"

/// Expands a row of Queries.def to a case of a switch.
#define KILN_QUERY_CASE(name, type, value)                                                                             \
  case name:                                                                                                           \
    return writer.write<type>(value);
