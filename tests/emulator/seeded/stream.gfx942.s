; out[i] = in[i] + 1 for i < n. The buffers have n elements and end where they end.
;
; Lines that start with ;@ are faults for the line before them: a name, what replaces the line, and a part of the report.
	s_load_dwordx4 s[4:7], s[0:1], 0x0
;@ base taken from registers that were never written | s_load_dwordx4 s[4:7], s[10:11], 0x0 | s10, part of the address, is not initialised
	s_load_dword s3, s[0:1], 0x10
;@ load from outside of the arguments | s_load_dword s3, s[0:1], 0xfff00 | which is in no allocation
	s_lshl_b32 s2, s2, 7
	v_add_u32_e32 v1, s2, v0
;@ second register used for the first | v_add_u32_e32 v1, s2, v5 | is not initialised
	s_waitcnt lgkmcnt(0)
;@ no wait for a scalar load | s_nop 0 | s3 is used without a wait for 's_load_dword s3
;@ scalar loads waited for by number | s_waitcnt lgkmcnt(1) | s3 is used without a wait
	v_cmp_gt_u32_e32 vcc, s3, v1
;@ comparison left out | s_nop 0 | lane 0 of EXEC depends on vcc
;@ comparison with an undefined register | v_cmp_gt_u32_e32 vcc, s20, v1 | s20 is not a register of the kernel
	s_and_saveexec_b64 s[8:9], vcc
;@ swapped lane mask | s_andn1_saveexec_b64 s[8:9], vcc | a read of 4 bytes
;@ mask of the other register | s_and_saveexec_b64 s[8:9], s[12:13] | of EXEC depends on s13, which is not initialised
	s_cbranch_execz .Lend
	v_lshlrev_b32_e32 v2, 2, v1
;@ address in elements, not bytes, then out of range | v_lshlrev_b32_e32 v2, 4, v1 | a read of 4 bytes
	global_load_dword v3, v2, s[4:5]
;@ out of range by an offset | global_load_dword v3, v2, s[4:5] offset:4 | lane 57: a read of 4 bytes
;@ two words loaded where one is there | global_load_dwordx2 v[4:5], v2, s[4:5] | lane 57: a read of 8 bytes
	s_waitcnt vmcnt(0)
;@ no wait for a vector load | s_nop 0 | v3 is used without a wait for 'global_load_dword v3
;@ wait for the wrong counter | s_waitcnt lgkmcnt(0) | v3 is used without a wait
;@ wait with a count that is too high | s_waitcnt vmcnt(1) | v3 is used without a wait
	v_add_u32_e32 v3, 1, v3
;@ register beyond those of the descriptor | v_add_u32_e32 v9, 1, v3 | v9 is not a register of the kernel, which has 8
	global_store_dword v2, v3, s[6:7]
;@ stored register was never written | global_store_dword v2, v6, s[6:7] | lane 0: all 4 bytes that are stored are not initialised
;@ store to the arguments | v_mov_b32_e32 v2, 0 ; global_store_dword v2, v3, s[0:1] | which is read-only
;@ instruction that the processor does not have | .long 0xffffffff | the bytes are no instruction of the processor
.Lend:
	s_endpgm
;@ end left out | s_nop 0 | no instruction
	.amdhsa_kernel k
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 24
		.amdhsa_system_sgpr_workgroup_id_x 1
;@ descriptor without the work-group id | .amdhsa_system_sgpr_workgroup_id_x 0 | is not initialised
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 10
		.amdhsa_accum_offset 8
	.end_amdhsa_kernel
