/* @options: -q */
BEGIN
{
	func((uintptr_t)&`ksys_read);
	printf("\n%a\n", (uintptr_t)&vmlinux`ksys_read);
	exit(0);
}
