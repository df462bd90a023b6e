// KILN_EXPLORE writes a page of the program with the launches that the process made, and a folder that cannot be written
// does not disturb the application.
// RUN: rm -rf %t && env KILN_EXPLORE=%t/pages KILN_LOG=info,program kiln-run %s scale --global=64 --local=16 out:f32[64] in:f32[64]=iota > %t.log 2>&1
// RUN: FileCheck %s --input-file=%t.log
// RUN: cat %t/pages/*.html | grep -E "^.(files|variants|launches)" | cut -c1-300 | FileCheck %s --check-prefix=PAGE
// RUN: env KILN_EXPLORE=/proc/none kiln-run %s scale --global=64 --local=16 out:f32[64] in:f32[64]=iota 2>&1 | FileCheck %s --check-prefix=FOLDER
// CHECK-DAG: argument 0: 1 3 5 7 9
// CHECK-DAG: the explorer's page is {{.*}}/pages/program-{{.*}}.html
// PAGE: "files":[{"name":"\u003csource\u003e","text":"// KILN_EXPLORE writes
// PAGE: "target":"cpu","variant":"generic"
// PAGE: "launches":[{"kernel":"scale","device":{{.*}},"variant":"generic","global":[64,1,1],"local":[16,1,1],"count":1,
// FOLDER-DAG: page /proc/none/{{.*}}.html cannot be written: No such file or directory
// FOLDER-DAG: argument 0: 1 3 5 7 9
__kernel void scale(__global float *to, __global const float *from) {
  size_t i = get_global_id(0);
  to[i] = from[i] * 2.0f + 1.0f;
}
