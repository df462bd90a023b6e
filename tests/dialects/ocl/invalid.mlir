// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @barrier_of_a_device() {
  // expected-error @+1 {{makes a work_group or a sub_group wait, not a device}}
  ocl.barrier device local
  return
}

// -----

func.func @partial_barrier_of_a_device(%n: i32) {
  // expected-error @+1 {{makes a work_group or a sub_group wait, not a device}}
  ocl.partial_barrier device of %n local
  return
}

// -----

func.func @copy_within_global_memory(%g: !llvm.ptr<1>, %n: i64) {
  // expected-error @+1 {{copies to or from local memory, one of the two}}
  ocl.async_copy %g, %g, %n, %n f32 : !llvm.ptr<1>, !llvm.ptr<1>
  return
}

// -----

func.func @add_of_a_float(%p: !llvm.ptr<1>, %f: f32) {
  // expected-error @+1 {{of this kind works on integers}}
  %0 = ocl.atomic_rmw add %p, %f relaxed device : <1>, f32
  return
}

// -----

func.func @fadd_of_an_integer(%p: !llvm.ptr<1>, %i: i32) {
  // expected-error @+1 {{of this kind works on floating-point values}}
  %0 = ocl.atomic_rmw fadd %p, %i relaxed device : <1>, i32
  return
}

// -----

func.func @narrow_atomic(%p: !llvm.ptr<1>, %i: i8) {
  // expected-error @+1 {{must be 32 or 64 bit scalar}}
  %0 = ocl.atomic_rmw add %p, %i relaxed device : <1>, i8
  return
}

// -----

func.func @releasing_load(%p: !llvm.ptr<1>) {
  // expected-error @+1 {{cannot release}}
  %0 = ocl.atomic_load %p release device : <1> -> i32
  return
}

// -----

func.func @acquiring_store(%p: !llvm.ptr<1>, %i: i32) {
  // expected-error @+1 {{cannot acquire}}
  ocl.atomic_store %i, %p acquire device : i32, <1>
  return
}

// -----

func.func @sine_of_two(%x: f32) {
  // expected-error @+1 {{sin takes 1 operands, not 2}}
  %0 = ocl.math sin(%x, %x) : (f32, f32) -> f32
  return
}

// -----

func.func @sine_of_an_integer(%i: i32) {
  // expected-error @+1 {{operand 0 of sin must be floating-point}}
  %0 = ocl.math sin(%i) : (i32) -> f32
  return
}

// -----

func.func @power_of_two_floats(%x: f32) {
  // expected-error @+1 {{operand 1 of pown must be an integer}}
  %0 = ocl.math pown(%x, %x) : (f32, f32) -> f32
  return
}

// -----

func.func @other_precision(%x: f32) {
  // expected-error @+1 {{floating-point operands must have the result's type}}
  %0 = ocl.math cos(%x) : (f32) -> f64
  return
}

// -----

func.func @wide_cosine(%x: f32) {
  // expected-error @+1 {{floating-point operands must have the result's type}}
  %0 = ocl.math cos(%x) : (f32) -> f64
  return
}

// -----

func.func @integer_cosine(%x: f32) {
  // expected-error @+1 {{result #0 must be floating-point}}
  %0 = ocl.math cos(%x) : (f32) -> i32
  return
}

// -----

func.func @fewer_components(%v: vector<4xf32>) {
  // expected-error @+1 {{operand and result must have equally many components}}
  %0 = ocl.convert rtz %v : vector<4xf32> -> vector<2xi32>
  return
}

// -----

func.func @saturated_float(%i: i32) {
  // expected-error @+1 {{saturates to integers only}}
  %0 = ocl.convert rte saturate %i : i32 -> f32
  return
}

// -----

func.func @reduction_of_a_device(%i: i32) {
  // expected-error @+1 {{is for a work_group or a sub_group, not a device}}
  %0 = ocl.combine reduce add device %i : i32
  return
}

// -----

func.func @prints_a_truth_value(%f: !llvm.ptr<2>, %b: i1) {
  // expected-error @+1 {{prints numbers of 8, 16, 32 or 64 bits, not 'i1'}}
  %0 = ocl.printf %f(%b) : !llvm.ptr<2>, i1
  return
}

// -----

func.func @float_sum_of_integers(%i: i32) {
  // expected-error @+1 {{of this kind works on floating-point values}}
  %0 = ocl.combine reduce fadd work_group %i : i32
  return
}

// -----

func.func @prints_a_matrix(%f: !llvm.ptr<2>, %m: vector<2x2xf32>) {
  // expected-error @+1 {{prints vectors of one dimension, not 'vector<2x2xf32>'}}
  %0 = ocl.printf %f(%m) : !llvm.ptr<2>, vector<2x2xf32>
  return
}

// -----

func.func @integer_product_of_floats(%f: f32) {
  // expected-error @+1 {{of this kind works on integers}}
  %0 = ocl.combine reduce mul work_group %f : f32
  return
}

// -----

func.func @clusters_of_three(%i: i32) {
  // expected-error @+1 {{needs clusters of a power of two, not of 3}}
  %0 = ocl.combine reduce add sub_group cluster 3 %i : i32
  return
}

// -----

func.func @clusters_of_a_scan(%i: i32) {
  // expected-error @+1 {{reduces clusters of a sub-group, nothing else of them}}
  %0 = ocl.combine inclusive_scan add sub_group cluster 4 %i : i32
  return
}

// -----

func.func @shuffle_with_oneself(%i: i32) {
  // expected-error @+1 {{is for a work_group or a sub_group, not a work_item}}
  %0 = ocl.shuffle work_item %i[%i] : i32
  return
}

// -----

func.func @reduction_inside_a_region() {
  %s = wg.slot : !wg.slot<i32>
  wg.parallel {
    // expected-error @+1 {{must be outside wg.parallel}}
    %0 = wg.reduce add %s : !wg.slot<i32>
    wg.yield
  }
  return
}

// -----

func.func @mask_of_integers() {
  %s = wg.slot : !wg.slot<i32>
  // expected-error @+1 {{must have a mask that is a slot of i1, not of 'i32'}}
  %0 = wg.reduce add %s mask %s : !wg.slot<i32>, !wg.slot<i32>
  return
}

// -----

func.func @runs_of_five() {
  %s = wg.slot : !wg.slot<i32>
  %r = wg.slot : !wg.slot<i32>
  // expected-error @+1 {{has width 5, must be a power of two}}
  wg.combine reduce add width 5 %s, %r : !wg.slot<i32>
  return
}

// -----

func.func @scan_in_place() {
  %s = wg.slot : !wg.slot<i32>
  // expected-error @+1 {{must read and write different slots}}
  wg.combine inclusive_scan add %s, %s : !wg.slot<i32>
  return
}

// -----

func.func @prints_a_struct(%f: !llvm.ptr<2>, %s: !llvm.struct<(i32)>) {
  // expected-error @+1 {{must be variadic of number, vector of numbers or pointer}}
  %0 = ocl.printf %f(%s) : !llvm.ptr<2>, !llvm.struct<(i32)>
  return
}

// -----

func.func @no_block() -> i32 {
  // expected-error @+1 {{names @plain, which is no block}}
  %n = ocl.block_number @plain : i32
  return %n : i32
}
func.func @plain() { return }

// -----

func.func @short_range(%a: !llvm.ptr<1>, %q: i64, %n: i32, %p: !llvm.ptr<4>) -> i32 {
  // expected-error @+1 {{has a range of nine numbers, not of 1}}
  %r = ocl.enqueue_kernel %a, %q, %n range %n(%q) waits %n at %p event %p block %n captured %p of %n locals %n at %p : !llvm.ptr<4>, !llvm.ptr<4>, !llvm.ptr<4>, !llvm.ptr<4>
  return %r : i32
}

// -----

// expected-error @+2 {{no feature of a target is called 'wings'}}
// expected-error @+1 {{failed to parse Ocl_TargetAttr parameter 'features'}}
module attributes {ocl.target = #ocl.target<nvptx, sub_group_size = 32, features = [textures, wings]>} {}

// -----

// expected-error @+1 {{a CPU's machine_width is 8, register_bits 100 and vector_registers 16}}
module attributes {ocl.target = #ocl.target<cpu, machine_width = 8, register_bits = 100, vector_registers = 16>} {}

// -----

// expected-error @+1 {{ocl.target must be #ocl.target<...> on a module}}
module attributes {ocl.target = "cpu"} {}

// -----

// expected-error @+1 {{ocl.local_size must be three positive numbers}}
module attributes {ocl.local_size = array<i64: 8, 0, 1>} {}

// -----

func.func @along() {
  // expected-error @+1 {{has rows along dimension 3, must be at most 2}}
  wg.parallel along 3 {
    wg.yield
  }
  return
}

// -----

func.func @along_and_jam() {
  // expected-error @+1 {{jams rows along dimension 1, must be 0}}
  wg.parallel jam 4 along 1 {
    wg.yield
  }
  return
}

// -----

// The verifiers of matrices (dialects/ocl/OclMatrixOps.cpp).
// expected-error @+1 {{a matrix has 0 rows and 8 columns, must be 1 to 256}}
func.func private @no_rows(!ocl.matrix<0x8xf32, a>)

// -----

// expected-error @+1 {{a matrix has components of type 'i1', must be i8 to i64, f16, f32 or f64}}
func.func private @bits(!ocl.matrix<8x8xi1, a>)

// -----

// expected-error @+1 {{must be a, b or accumulator}}
func.func private @use(!ocl.matrix<8x8xf32, c>)

// -----

func.func @shapes(%a: !ocl.matrix<8x4xf32, a>, %b: !ocl.matrix<8x4xf32, b>, %c: !ocl.matrix<8x4xf32, accumulator>) {
  // expected-error @+1 {{has shapes that do not fit}}
  %d = ocl.matrix_multiply_add %a, %b, %c none : !ocl.matrix<8x4xf32, a>, !ocl.matrix<8x4xf32, b>, !ocl.matrix<8x4xf32, accumulator>
  return
}

// -----

func.func @uses(%a: !ocl.matrix<8x8xf32, a>, %c: !ocl.matrix<8x8xf32, accumulator>) {
  // expected-error @+1 {{multiplies an a by a b and adds an accumulator}}
  %d = ocl.matrix_multiply_add %a, %a, %c none : !ocl.matrix<8x8xf32, a>, !ocl.matrix<8x8xf32, a>, !ocl.matrix<8x8xf32, accumulator>
  return
}

// -----

func.func @mixed(%a: !ocl.matrix<8x8xi8, a>, %b: !ocl.matrix<8x8xi8, b>, %c: !ocl.matrix<8x8xf32, accumulator>) {
  // expected-error @+1 {{multiplies integers and floating-point numbers}}
  %d = ocl.matrix_multiply_add %a, %b, %c none : !ocl.matrix<8x8xi8, a>, !ocl.matrix<8x8xi8, b>, !ocl.matrix<8x8xf32, accumulator>
  return
}

// -----

func.func @narrow(%a: !ocl.matrix<8x8xi32, a>, %b: !ocl.matrix<8x8xi8, b>, %c: !ocl.matrix<8x8xi8, accumulator>) {
  // expected-error @+1 {{has an accumulator that is narrower than a factor}}
  %d = ocl.matrix_multiply_add %a, %b, %c a_signed : !ocl.matrix<8x8xi32, a>, !ocl.matrix<8x8xi8, b>, !ocl.matrix<8x8xi8, accumulator>
  return
}

// -----

func.func @map(%a: !ocl.matrix<8x8xf32, a>) {
  // expected-error @+1 {{has matrices of different shapes or uses}}
  %d = ocl.matrix_map %a : (!ocl.matrix<8x8xf32, a>) -> !ocl.matrix<8x4xf32, a> {
  ^bb0(%x: f32):
    ocl.matrix_yield %x : f32
  }
  return
}

// -----

func.func @fill(%x: f16) {
  // expected-error @+1 {{has a component of type 'f16', must be that of '!ocl.matrix<8x8xf32, a>'}}
  %d = ocl.matrix_fill %x : f16 -> !ocl.matrix<8x8xf32, a>
  return
}
