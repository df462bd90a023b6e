// RUN: not kiln-opt %s --wg-lower-parallel 2>&1 | FileCheck %s
// RUN: not kiln-opt %s --wg-lower-parallel="local-size=16,6,1" 2>&1 | FileCheck %s
// RUN: not kiln-opt %s --wg-lower-parallel="local-size=16,4,2" 2>&1 | FileCheck %s
// RUN: kiln-opt %s --wg-lower-parallel="local-size=16,8,1" | FileCheck %s --check-prefix=FITS
// CHECK: has rows that do not fill the group
// FITS: @fours.group
func.func @fours() attributes {ocl.kernel} {
  wg.parallel rows 4 {
    wg.yield
  }
  return
}
