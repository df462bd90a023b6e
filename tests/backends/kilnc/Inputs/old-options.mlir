module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%program: !transform.any_op {transform.consumed}) {
    %ocl = transform.apply_registered_pass "kiln-common" to %program : (!transform.any_op) -> !transform.any_op
    %wg = transform.apply_registered_pass "kiln-group" to %ocl : (!transform.any_op) -> !transform.any_op
    %merged = transform.apply_registered_pass "wg-merge-regions" with options = {"local-size" = "$local_size"} to %wg
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
