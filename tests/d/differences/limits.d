/*
 * @language: how large a program can be
 * @dtrace: There are few limits but memory.
 * @erlbpf: What nests, widths of formats and the number of clauses have the limits that are [above](#limits-of-a-program),
 *   because BPF has few registers, 512 bytes of stack and a verifier; what is beyond them is refused with the reason.
 */

BEGIN
{
	printf("%2000000d", 1);
	exit(0);
}
