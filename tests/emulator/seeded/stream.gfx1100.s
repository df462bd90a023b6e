; out[i] = 1 / sqrt(in[i]) for i < n, through local memory, in waves of 32.
	s_load_b128 s[4:7], s[0:1], 0x0
	s_load_b32 s3, s[0:1], 0x10
	s_lshl_b32 s2, s15, 7
	v_lshlrev_b32_e32 v4, 2, v0
	v_add_nc_u32_e32 v1, s2, v0
	s_waitcnt lgkmcnt(0)
;@ no wait for a scalar load in wave32 | s_nop 0 | s3 is used without a wait
	v_cmp_gt_u32_e32 vcc_lo, s3, v1
	s_and_saveexec_b32 s8, vcc_lo
;@ swapped lane mask in wave32 | s_and_not0_saveexec_b32 s8, vcc_lo | a read of 4 bytes
	v_lshlrev_b32_e32 v2, 2, v1
	global_load_b32 v3, v2, s[4:5]
	s_waitcnt vmcnt(0)
;@ load waited for by the counter of stores | s_waitcnt_vscnt null, 0x0 | v3 is used without a wait for 'global_load_b32
	v_cvt_f32_u32_e32 v3, v3
	v_rsq_f32_e32 v3, v3
	s_waitcnt_depctr depctr_va_vdst(0)
;@ no wait for a transcendental result | ; nothing | the result of a transcendental instruction
	v_dual_mul_f32 v3, v3, v3 :: v_dual_mov_b32 v6, 0
;@ half of a dual instruction reads an undefined register | v_dual_mov_b32 v3, v7 :: v_dual_mov_b32 v6, 0 | all 4 bytes that are stored are not initialised
	global_store_b32 v2, v3, s[6:7]
	s_or_b32 exec_lo, exec_lo, s8
;@ lanes not switched on again | s_nop 0 | all 4 bytes that are stored are not initialised
;@ lanes switched on by an undefined mask | s_or_b32 exec_lo, exec_lo, s9 | of EXEC depends on s9, which is not initialised
	ds_store_b32 v4, v1
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_xor_b32_e32 v5, 0x1fc, v4
	ds_load_b32 v5, v5
	s_waitcnt lgkmcnt(0)
;@ no wait for local memory in wave32 | s_nop 0 | v5 is used without a wait for 'ds_load_b32
	v_mov_b16_e32 v6.l, v5.l
	v_mov_b16_e32 v6.h, v5.h
	v_lshlrev_b32_e32 v4, 2, v1
	global_store_b32 v4, v6, s[6:7]
	s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
	s_endpgm
	.amdhsa_kernel k
		.amdhsa_user_sgpr_count 15
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 24
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_wavefront_size32 1
		.amdhsa_group_segment_fixed_size 512
;@ limit of local memory too low in wave32 | .amdhsa_group_segment_fixed_size 128 | of local memory, of which the group has 128 bytes
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 16
	.end_amdhsa_kernel
