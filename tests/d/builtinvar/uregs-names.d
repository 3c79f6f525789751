/* @options: -q -C */
/* The names of the registers, and their numbers. */
BEGIN
{
#ifdef __x86_64__
	printf("%d %d %d %d ", R_GS, R_FS, R_ES, R_DS);
	printf("%d %d %d %d %d %d %d ", R_EDI, R_ESI, R_EBP, R_EBX, R_EDX, R_ECX, R_EAX);
	printf("%d %d %d %d %d %d %d\n", R_ESP, R_EIP, R_EFL, R_TRAPNO, R_ERR, R_R1, R_R0);
#else
	printf("24 23 22 21 14 13 4 5 12 11 10 19 16 18 25 15 5 10\n");
#endif
	exit(0);
}
