; Branches on SCC, VCC and to an address in registers.
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_cmp_eq_u32 s2, 0
;@ comparison before a branch left out | s_nop 0 | SCC, which decides the branch, is not initialised
	s_cbranch_scc1 .Lfirst
	v_mov_b32_e32 v3, 2
	s_branch .Lboth
.Lfirst:
	v_mov_b32_e32 v3, 1
;@ value set on one path only | s_nop 0 | v3, a source of the atomic operation, is not initialised
.Lboth:
	v_readfirstlane_b32 s3, v0
	s_cmp_lg_u32 s3, 0
	s_barrier
;@ wave that is at another barrier | s_cbranch_scc1 .Lsecond ; s_barrier | of the group waits at another barrier
	v_mov_b32_e32 v8, 0
	s_barrier
;@ wave that ends instead of coming to a barrier | s_cbranch_scc1 .Lend ; s_barrier | of the group has ended without this barrier
.Lsecond:
	s_barrier
	v_cmp_ne_u32_e32 vcc, v0, v0
;@ branch on VCC that was never written | s_nop 0 | VCC, which decides the branch, is not initialised
;@ branch on lanes of an undefined register | v_cmp_ne_u32_e32 vcc, v0, v6 | VCC, which decides the branch, is not initialised
	s_cbranch_vccnz .Lend
	s_getpc_b64 s[8:9]
.Lhere:
	s_add_u32 s8, s8, .Ltarget-.Lhere
;@ jump into an instruction | s_add_u32 s8, s8, .Ltarget-.Lhere+4 | where no instruction starts
	s_addc_u32 s9, s9, 0
;@ high half of an address of code left out | s_mov_b32 s9, 0 | a jump to
	s_setpc_b64 s[8:9]
;@ jump to a register that was never written | s_setpc_b64 s[12:13] | s12, the operand, is not initialised
	s_trap 2
.Ltarget:
	v_add_u32_e32 v3, 0x12345, v3
	v_lshlrev_b32_e32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v2, v1, s[4:5]
	v_mov_b32_e32 v4, v3
	global_load_dword v2, v1, s[4:5] offset:4
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v5, v2
	global_load_dword v2, v1, s[4:5]
	s_waitcnt vmcnt(0)
;@ register written before its load is complete | v_mov_b32_e32 v2, 0 ; s_waitcnt vmcnt(0) | v2 is used without a wait
	global_atomic_add v5, v1, v3, s[6:7] sc0
;@ operand of an atomic operation never written | global_atomic_add v5, v1, v7, s[6:7] sc0 | v7, a source of the atomic operation, is not initialised
;@ atomic operation outside of every allocation | global_atomic_add v5, v1, v3, s[4:5] offset:1024 sc0 | which is in no allocation
	s_waitcnt vmcnt(0)
;@ no wait for the result of an atomic operation | s_nop 0 | v5 is used without a wait for 'global_atomic_add
	v_add_u32_e32 v5, v5, v2
	s_movk_i32 s10, 0x100
	v_mov_b32_e32 v6, s10
	global_store_dword v1, v5, s[6:7]
	global_store_dword v6, v3, s[6:7]
.Lend:
	s_endpgm
	.amdhsa_kernel k
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 24
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 9
		.amdhsa_next_free_sgpr 16
		.amdhsa_accum_offset 12
	.end_amdhsa_kernel
