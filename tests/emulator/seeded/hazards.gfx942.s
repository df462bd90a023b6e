; Pairs of instructions that need wait states between them on gfx942.
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	v_lshlrev_b32_e32 v2, 2, v0
	v_lshlrev_b32_e32 v8, 4, v0
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v4, s4
	v_mov_b32_e32 v5, s5
	s_nop 0
;@ no wait state before v_readfirstlane | ; nothing | v5 is used 0 wait states after its write; there must be 1
	v_readfirstlane_b32 s9, v5
	v_readfirstlane_b32 s8, v4
	s_nop 4
;@ no s_nop before vector memory reads a scalar register | ; nothing | s8 is used 0 wait states after its write; there must be 5
;@ one s_nop too few before vector memory | s_nop 3 | there must be 5
	global_load_dword v3, v2, s[8:9]
	v_cmp_gt_u32_e32 vcc, 32, v0
	s_nop 1
;@ no s_nop between a comparison and v_cndmask | ; nothing | vcc is used 0 wait states after its write; there must be 2
	v_cndmask_b32_e32 v6, v2, v8, vcc
	s_waitcnt vmcnt(0)
	v_cvt_f32_u32_e32 v3, v3
	v_div_scale_f32 v6, vcc, v3, v3, 1.0
	s_nop 3
;@ no s_nop before v_div_fmas | s_nop 0 | vcc is used 1 wait states after its write; there must be 4
	v_div_fmas_f32 v6, v6, v3, v3
	s_nop 1
;@ no s_nop before DPP | ; nothing | v6 is used 0 wait states after its write; there must be 2
	v_mov_b32_dpp v7, v6 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cmpx_le_u32_e32 vcc, 0, v0
	s_nop 4
;@ no s_nop between a write of EXEC and DPP | s_nop 1 | exec is used 2 wait states after its write; there must be 5
	v_mov_b32_dpp v7, v3 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_readfirstlane_b32 s10, v0
	s_nop 3
;@ no s_nop before the number of a lane is used | s_nop 1 | s10 is used 2 wait states after its write; there must be 4
	v_readlane_b32 s11, v2, s10
	v_rcp_f32_e32 v6, v3
	s_nop 0
;@ no s_nop after a transcendental instruction | ; nothing | the result of a transcendental instruction
	v_add_f32_e32 v6, v6, v3
	v_add_u16_sdwa v6, v0, v0 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD
	s_nop 0
;@ no s_nop after dst_sel | ; nothing | the result of op_sel or dst_sel
	v_mov_b32_e32 v7, v6
	v_mov_b32_e32 v9, v6
	v_mov_b32_e32 v12, v6
	v_mov_b32_e32 v13, v6
	v_mov_b32_e32 v14, v6
	v_mov_b32_e32 v15, v6
	global_store_dwordx4 v8, v[12:15], s[6:7]
	s_nop 1
;@ no s_nop before the data of a wide store are overwritten | ; nothing | a store of more than 8 bytes
	v_mov_b32_e32 v13, 0
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0
	s_nop 1
;@ no s_nop between s_setreg and s_getreg | ; nothing | the hardware register is used 0 wait states after s_setreg
	s_getreg_b32 s12, hwreg(HW_REG_MODE, 0, 4)
	s_mov_b32 m0, 1
	s_nop 0
;@ no s_nop between a write of M0 and its use | ; nothing | m0 is used 0 wait states after its write; there must be 1
	s_movrels_b32 s13, s4
	s_endpgm
	.amdhsa_kernel k
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 24
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 16
		.amdhsa_accum_offset 16
	.end_amdhsa_kernel
