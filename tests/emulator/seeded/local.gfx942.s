; Each group of two waves reverses its elements in local memory, twice.
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_lshl_b32 s2, s2, 7
	v_add_u32_e32 v1, s2, v0
	v_min_u32_e32 v1, 0xf9, v1
	v_lshlrev_b32_e32 v1, 2, v1
	v_readfirstlane_b32 s8, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v2, v1, s[4:5]
	v_lshlrev_b32_e32 v3, 2, v0
;@ wrong stride in local memory | v_lshlrev_b32_e32 v3, 4, v0 | of local memory, of which the group has 1024 bytes
	v_sub_u32_e32 v4, 0, v3
	s_waitcnt vmcnt(0)
	ds_write_b32 v3, v2
;@ local memory that nobody wrote | s_nop 0 | not initialised
;@ half of the elements written | ds_write_b16 v3, v2 | is not initialised
	s_waitcnt lgkmcnt(0)
;@ store to local memory not waited for at a barrier | s_nop 0 | of local memory without a barrier after wave
	s_barrier
;@ barrier left out in all waves | s_nop 0 | of local memory without a barrier after wave
;@ barrier left out in one wave | s_cmp_lg_u32 s8, 0 ; s_cbranch_scc1 .Lskip ; s_barrier ; .Lskip: | of local memory without a barrier after wave
	ds_read_b32 v9, v4 offset:508
;@ offset beyond local memory | ds_read_b32 v9, v4 offset:1024 | an access of 4 bytes at offset 0x400 of local memory
	s_waitcnt lgkmcnt(0)
;@ no wait for local memory | s_nop 0 | v9 is used without a wait for 'ds_read_b32
	v_add_u32_e32 v9, 1, v9
	v_cmp_gt_u32_e32 vcc, 0x3e8, v9
	s_waitcnt lgkmcnt(0)
	s_barrier
;@ barrier between a read and the next write left out | s_nop 0 | of local memory without a barrier after wave
	ds_write_b32 v3, v9
	s_waitcnt lgkmcnt(0)
	s_barrier
;@ last barrier left out in one wave | s_cmp_lg_u32 s8, 0 ; s_cbranch_scc1 .Lend ; s_barrier | has ended without this barrier
	ds_add_u32 v3, v0
;@ atomic operation on memory that nobody wrote | ds_add_u32 v3, v0 offset:512 | an atomic operation on memory that is not initialised
;@ atomic operation at an odd address | ds_add_u32 v3, v0 offset:2 | a multiple of 4
	ds_read_b32 v9, v4 offset:508
	s_waitcnt lgkmcnt(0)
	global_store_dword v1, v9, s[6:7]
.Lend:
	s_endpgm
	.amdhsa_kernel k
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 24
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_group_segment_fixed_size 1024
;@ limit of local memory too low | .amdhsa_group_segment_fixed_size 256 | of local memory, of which the group has 256 bytes
		.amdhsa_next_free_vgpr 12
		.amdhsa_next_free_sgpr 10
		.amdhsa_accum_offset 12
;@ wrong number of vector registers in the descriptor | .amdhsa_accum_offset 8 | v9 is not a register of the kernel, which has 8 vector registers
	.end_amdhsa_kernel
