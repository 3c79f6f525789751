/* The command that is traced is an argument. */
/* @options: -q -c "dd if=/dev/zero of=/dev/null bs=1000 count=8 status=none" */
/* @args: dd */

syscall::write:entry
/execname == $$1 && pid == $target/
{
	@ = quantize(arg2);
}
