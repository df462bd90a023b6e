# Joins the support objects into one and writes an assembly file that holds its bytes.
execute_process(COMMAND ${LINKER} -r -o ${COMBINED} ${OBJECTS} COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${OUTPUT} "  .section .rodata
  .globl kiln_cpu_support_begin, kiln_cpu_support_end
kiln_cpu_support_begin:
  .incbin \"${COMBINED}\"
kiln_cpu_support_end:
  .section .note.GNU-stack,\"\",@progbits
")
