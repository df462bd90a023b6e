func.func @empty() attributes {ocl.kernel = "empty"} {
  return
}
