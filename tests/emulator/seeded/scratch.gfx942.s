; Saves values in scratch memory and takes them back, as a compiler does with registers.
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_mov_b32 s32, 16
	v_writelane_b32 v7, s2, 0
	s_waitcnt lgkmcnt(0)
	v_lshlrev_b32_e32 v1, 2, v0
	global_load_dword v2, v1, s[4:5]
	s_waitcnt vmcnt(0)
	scratch_store_dword off, v2, off offset:4
;@ value never saved | s_nop 0 | all 4 bytes that are stored are not initialised
	scratch_store_dword off, v1, s32
;@ half of an address saved | scratch_store_short off, v1, s32 | v4, part of the address, is not initialised
;@ save beyond the stack | scratch_store_dword off, v1, s32 offset:16 | of scratch memory, of which a lane has 32 bytes
	v_mov_b32_e32 v2, 0
	s_waitcnt vmcnt(0)
	scratch_load_dword v3, off, off offset:4
;@ wrong scratch offset | scratch_load_dword v3, off, off offset:8 | all 4 bytes that are stored are not initialised
	scratch_load_dword v4, off, s32
;@ offset that is not a multiple of the element | scratch_load_dword v4, off, s32 offset:2 | v4, part of the address, is not initialised
;@ wrong stack pointer | scratch_load_dword v4, off, s32 offset:4 | v4, part of the address, is not initialised
;@ negative scratch offset | scratch_load_dword v4, off, s32 offset:-24 | of scratch memory, of which a lane has 32 bytes
	s_waitcnt vmcnt(1)
	v_and_b32_e32 v5, 0xff, v3
	s_waitcnt vmcnt(0)
;@ no wait for the reload of an address | s_nop 0 | v4 is used without a wait for 'scratch_load_dword
	v_readlane_b32 s8, v7, 0
;@ wrong lane of a register with saved scalars | v_readlane_b32 s8, v7, 1 | s8, the operand, is not initialised
	v_lshlrev_b32_e32 v6, 16, v5
	v_and_b32_e32 v6, 0xffff0000, v6
	v_lshl_or_b32 v6, v5, 1, v6
	s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s8
	v_mad_u32_u24 v6, v6, v3, v5
	global_store_dword v4, v6, s[6:7]
	s_endpgm
	.amdhsa_kernel k
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 24
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_enable_private_segment 1
		.amdhsa_private_segment_fixed_size 32
;@ size of scratch memory too low | .amdhsa_private_segment_fixed_size 16 | of scratch memory, of which a lane has 16 bytes
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 33
;@ wrong number of scalar registers in the descriptor | .amdhsa_next_free_sgpr 10 | s32 is not a register of the kernel, which has 16 scalar registers
		.amdhsa_accum_offset 8
	.end_amdhsa_kernel
