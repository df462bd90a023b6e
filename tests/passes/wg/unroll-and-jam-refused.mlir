// RUN: not kiln-opt %s --wg-lower-parallel 2>&1 | FileCheck %s
// RUN: not kiln-opt %s --ocl-set-target=local-size=16,6,1 --wg-lower-parallel 2>&1 | FileCheck %s
// RUN: not kiln-opt %s --ocl-set-target=local-size=16,4,2 --wg-lower-parallel 2>&1 | FileCheck %s
// RUN: kiln-opt %s --ocl-set-target=local-size=16,8,1 --wg-lower-parallel | FileCheck %s --check-prefix=FITS
// CHECK: jams 4 rows, which must divide the fixed local size in y
// FITS: @jammed.group
func.func @jammed() attributes {ocl.kernel} {
  wg.parallel jam 4 {
    wg.yield
  }
  return
}
