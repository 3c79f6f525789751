/*
 * @language: symbols of the kernel without a type
 * @dtrace: All variables of the kernel have their types if it was built with CTF; if it was not, they are errors (`D_SYM_NOTYPES`).
 * @erlbpf: The variables listed [above](#variables) have one. Of others, of which the kernel has none, the address can be taken and cast: ``*(int *)&`name``.
 */
BEGIN { trace(`__start_BTF); exit(0); }
