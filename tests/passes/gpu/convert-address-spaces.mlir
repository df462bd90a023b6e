// RUN: kiln-opt %s --ocl-set-target=target=nvptx,sub_group_size=32 --gpu-convert-address-spaces | FileCheck %s --check-prefixes=CHECK,NV
// RUN: kiln-opt %s --ocl-set-target=target=amdgpu,sub_group_size=64 --gpu-convert-address-spaces | FileCheck %s --check-prefixes=CHECK,AMD

// NV: llvm.mlir.global internal constant @table({{.*}}) {addr_space = 1 : i32
// AMD: llvm.mlir.global internal constant @table({{.*}}) {addr_space = 4 : i32
llvm.mlir.global internal constant @table(5 : i32) {addr_space = 2 : i32} : i32
// CHECK: @tile() {addr_space = 3 : i32
llvm.mlir.global internal @tile() {addr_space = 3 : i32} : i32

// CHECK-LABEL: @numbers
// NV-SAME: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<3>, %{{.*}}: !llvm.ptr)
// AMD-SAME: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<4>, %{{.*}}: !llvm.ptr<3>, %{{.*}}: !llvm.ptr)
llvm.func @numbers(%g: !llvm.ptr<1>, %c: !llvm.ptr<2>, %l: !llvm.ptr<3>, %any: !llvm.ptr<4>) {
  // NV: llvm.alloca %{{.*}} x i32 {{.*}} -> !llvm.ptr
  // AMD: llvm.alloca %{{.*}} x i32 {{.*}} -> !llvm.ptr<5>
  %one = llvm.mlir.constant(1 : i32) : i32
  %p = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  // Private variables have generic addresses on NVPTX: the cast is removed.
  // NV-NOT: llvm.addrspacecast
  // AMD: llvm.addrspacecast %{{.*}} : !llvm.ptr<5> to !llvm.ptr
  %q = llvm.addrspacecast %p : !llvm.ptr to !llvm.ptr<4>
  llvm.store %one, %q : i32, !llvm.ptr<4>
  // NV: %[[IS:.*]] = llvm.icmp "eq"
  // NV: %[[CAST:.*]] = llvm.inline_asm "cvta.shared.u64 $0, $1;", "=l,l" %{{.*}} : (!llvm.ptr<3>) -> !llvm.ptr
  // NV: llvm.select %[[IS]], %{{.*}}, %[[CAST]]
  // AMD: llvm.addrspacecast %{{.*}} : !llvm.ptr<3> to !llvm.ptr
  %r = llvm.addrspacecast %l : !llvm.ptr<3> to !llvm.ptr<4>
  llvm.store %one, %r : i32, !llvm.ptr<4>
  llvm.return
}

// Four bytes in a register, eight in memory, so that offsets do not change. Global pointers are unchanged.
// CHECK-LABEL: @in_memory
// NV: llvm.alloca %{{.*}} x !llvm.struct<(ptr<3>, ptr<1>, array<2 x ptr>)>
// AMD: llvm.alloca %{{.*}} x !llvm.struct<(i64, ptr<1>, array<2 x i64>)>
// AMD: llvm.getelementptr %{{.*}}[0, 2, 1] : (!llvm.ptr<5>) -> !llvm.ptr<5>, !llvm.struct<(i64, ptr<1>, array<2 x i64>)>
// AMD: llvm.getelementptr %{{.*}}[3] : (!llvm.ptr<5>) -> !llvm.ptr<5>, i64
// AMD: llvm.store %{{.*}}, %{{.*}} : !llvm.ptr<5>, !llvm.ptr<5>
// AMD: llvm.load %{{.*}} : !llvm.ptr<5> -> !llvm.struct<(i64, ptr<1>, array<2 x i64>)>
// AMD: llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<3>
// AMD: llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i64
llvm.func @in_memory(%l: !llvm.ptr<3>) -> !llvm.ptr<3> {
  %one = llvm.mlir.constant(1 : i32) : i32
  %p = llvm.alloca %one x !llvm.struct<(ptr<3>, ptr<1>, array<2 x ptr>)> : (i32) -> !llvm.ptr
  %e = llvm.getelementptr %p[0, 2, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(ptr<3>, ptr<1>, array<2 x ptr>)>
  %f = llvm.getelementptr %p[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  llvm.store %e, %f : !llvm.ptr, !llvm.ptr
  %s = llvm.load %p : !llvm.ptr -> !llvm.struct<(ptr<3>, ptr<1>, array<2 x ptr>)>
  %x = llvm.extractvalue %s[0] : !llvm.struct<(ptr<3>, ptr<1>, array<2 x ptr>)>
  %t = llvm.insertvalue %l, %s[0] : !llvm.struct<(ptr<3>, ptr<1>, array<2 x ptr>)>
  llvm.store %t, %p : !llvm.struct<(ptr<3>, ptr<1>, array<2 x ptr>)>, !llvm.ptr
  llvm.return %x : !llvm.ptr<3>
}

// Address 0 is valid: null is the cast of the generic null, or where LLVM's cast does not convert it another number.
// CHECK-LABEL: @null
// AMD: %[[GENERIC:.*]] = llvm.mlir.zero : !llvm.ptr
// AMD: llvm.addrspacecast %[[GENERIC]] : !llvm.ptr to !llvm.ptr<3>
// NV: %[[BITS:.*]] = llvm.mlir.constant(4294967295 : i64)
// NV: %[[NULL:.*]] = llvm.inttoptr %[[BITS]] : i64 to !llvm.ptr<3>
// CHECK: llvm.mlir.zero : !llvm.ptr<1>
llvm.func @null(%l: !llvm.ptr<3>, %g: !llvm.ptr<1>) -> i1 {
  %z = llvm.mlir.zero : !llvm.ptr<3>
  %y = llvm.mlir.zero : !llvm.ptr<1>
  // NV: llvm.icmp "eq" %{{.*}}, %[[NULL]]
  %a = llvm.icmp "eq" %l, %z : !llvm.ptr<3>
  %b = llvm.icmp "eq" %g, %y : !llvm.ptr<1>
  %c = llvm.or %a, %b : i1
  llvm.return %c : i1
}

// NVPTX: a variable's address is not null; a generic null becomes the other null.
// CHECK-LABEL: @casts
// NV-NOT: llvm.select
// NV: llvm.addrspacecast %{{.*}} : !llvm.ptr<3> to !llvm.ptr
// NV: %[[ZERO:.*]] = llvm.mlir.zero : !llvm.ptr
// NV: %[[IS:.*]] = llvm.icmp "eq" %{{.*}}, %[[ZERO]]
// NV: %[[BACK:.*]] = llvm.addrspacecast %{{.*}} : !llvm.ptr to !llvm.ptr<3>
// NV: llvm.select %[[IS]], %{{.*}}, %[[BACK]]
llvm.func @casts(%any: !llvm.ptr<4>) -> !llvm.ptr<3> {
  %t = llvm.mlir.addressof @tile : !llvm.ptr<3>
  %g = llvm.addrspacecast %t : !llvm.ptr<3> to !llvm.ptr<4>
  %v = llvm.load %g : !llvm.ptr<4> -> i32
  llvm.store %v, %any : i32, !llvm.ptr<4>
  %l = llvm.addrspacecast %any : !llvm.ptr<4> to !llvm.ptr<3>
  llvm.return %l : !llvm.ptr<3>
}

// Private memory is written by the kernel itself, so a load from it is not invariant; a load from a parameter is.
// CHECK-LABEL: llvm.func @invariant_loads
// CHECK: llvm.load %{{.*}} : !llvm.ptr{{(<5>)?}} -> i32
// CHECK: llvm.load %{{.*}} invariant : !llvm.ptr<{{[14]}}> -> i32
llvm.func @invariant_loads(%description: !llvm.ptr, %parameter: !llvm.ptr<2>) -> i32 {
  %0 = llvm.load %description invariant : !llvm.ptr -> i32
  %1 = llvm.load %parameter invariant : !llvm.ptr<2> -> i32
  %2 = llvm.add %0, %1 : i32
  llvm.return %2 : i32
}
