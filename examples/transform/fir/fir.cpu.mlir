// For kernel fir on the CPU: Kiln's passes, and the loops of the vector code unrolled by four.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%program: !transform.any_op {transform.consumed}) {
    %ocl = transform.apply_registered_pass "kiln-common" to %program : (!transform.any_op) -> !transform.any_op
    %wg = transform.apply_registered_pass "kiln-group" to %ocl : (!transform.any_op) -> !transform.any_op
    %vectors = transform.apply_registered_pass "wg-vectorize"
        with options = {"machine-width" = 16} to %wg : (!transform.any_op) -> !transform.any_op

    // Loops that count up become scf.for, which transform.loop.unroll takes.
    %counted = transform.apply_registered_pass "wg-count-loops" to %vectors : (!transform.any_op) -> !transform.any_op
    %loops = transform.structured.match ops{["scf.for"]} in %counted : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll %loops {factor = 4} : !transform.any_op

    // To the LLVM dialect.
    %graph = transform.apply_registered_pass "convert-scf-to-cf" to %counted : (!transform.any_op) -> !transform.any_op
    %groups = transform.apply_registered_pass "wg-lower-parallel" to %graph
        : (!transform.any_op) -> !transform.any_op
    %lowered = transform.apply_registered_pass "ocl-to-llvm" to %groups : (!transform.any_op) -> !transform.any_op
    %llvm = transform.apply_registered_pass "convert-to-llvm" to %lowered : (!transform.any_op) -> !transform.any_op
    %end = transform.apply_registered_pass "reconcile-unrealized-casts" to %llvm
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
