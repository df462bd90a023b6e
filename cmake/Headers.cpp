// The source of targets that only precompile headers: kiln_add_headers.
