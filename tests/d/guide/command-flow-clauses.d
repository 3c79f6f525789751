/* A second clause of a probe is not one more entry or return. */
/* @options: -F -c "dd if=/dev/zero of=/dev/null bs=10 count=1 status=none" */

syscall::write:
/pid == $target && (probename == "return" || arg0 == 1)/
{
	printf("one");
}

syscall::write:
/pid == $target && (probename == "return" || arg0 == 1)/
{
	printf("two");
}
