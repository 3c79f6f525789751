/* Sizes of writes, by powers of two. */
/* @options: -q -c "dd if=/dev/zero of=/dev/null bs=1000 count=8 status=none" */

syscall::write:entry
/pid == $target/
{
	@["bytes"] = quantize(arg2);
}
