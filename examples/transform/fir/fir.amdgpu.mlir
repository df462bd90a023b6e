// For kernel fir on AMD's GPUs: control flow becomes structured, and its loops are unrolled by four.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%program: !transform.any_op {transform.consumed}) {
    %ocl = transform.apply_registered_pass "kiln-gpu-common" to %program : (!transform.any_op) -> !transform.any_op
    %graphs = transform.structured.match ops{["func.func"]} in %ocl : (!transform.any_op) -> !transform.any_op
    transform.apply_registered_pass "lift-cf-to-scf" to %graphs : (!transform.any_op) -> !transform.any_op
    %structured = transform.apply_registered_pass "canonicalize" to %ocl : (!transform.any_op) -> !transform.any_op

    // Loops that count up become scf.for, which transform.loop.unroll takes.
    %counted = transform.apply_registered_pass "wg-count-loops" to %structured
        : (!transform.any_op) -> !transform.any_op
    %loops = transform.structured.match ops{["scf.for"]} in %counted : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll %loops {factor = 4} : !transform.any_op

    // To the LLVM dialect.
    %graph = transform.apply_registered_pass "convert-scf-to-cf" to %counted : (!transform.any_op) -> !transform.any_op
    %end = transform.apply_registered_pass "kiln-amdgpu" to %graph : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
