// The `ocl` dialect: the code of one work-item of a kernel (README.md).
#ifndef KILN_OCL_TD
#define KILN_OCL_TD

include "dialects/ocl/OclBase.td"
include "dialects/ocl/OclTarget.td"
include "dialects/ocl/OclQueryOps.td"
include "dialects/ocl/OclPointerOps.td"
include "dialects/ocl/OclSyncOps.td"
include "dialects/ocl/OclAtomicOps.td"
include "dialects/ocl/OclGroupOps.td"
include "dialects/ocl/OclMathOps.td"
include "dialects/ocl/OclMatrixOps.td"
include "dialects/ocl/OclPrintfOps.td"
include "dialects/ocl/OclCheckOps.td"
include "dialects/ocl/OclEnqueueOps.td"
include "dialects/ocl/OclPipeOps.td"
include "dialects/ocl/OclImageOps.td"

#endif
