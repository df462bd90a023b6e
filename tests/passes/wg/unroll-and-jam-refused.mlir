// RUN: not kiln-opt %s --wg-lower-parallel 2>&1 | FileCheck %s
// RUN: not kiln-opt %s --wg-lower-parallel="local-size=16,6,1" 2>&1 | FileCheck %s
// RUN: not kiln-opt %s --wg-lower-parallel="local-size=16,4,2" 2>&1 | FileCheck %s
// RUN: kiln-opt %s --wg-lower-parallel="local-size=16,8,1" | FileCheck %s --check-prefix=FITS
// CHECK: jams 4 rows, which must divide the fixed local size in y
// FITS: @jammed.group
func.func @jammed() attributes {ocl.kernel} {
  wg.parallel jam 4 {
    wg.yield
  }
  return
}
