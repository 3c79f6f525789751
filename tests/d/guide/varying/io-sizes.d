/* How large requests are, by process. */
/* @options: -q -c "dd if=/dev/zero of=$FILE bs=64k count=16 oflag=direct status=none" */

io:::start
{
	@[args[0]->b_flags & B_WRITE ? "write" : "read"] = quantize(args[0]->b_bcount);
}
