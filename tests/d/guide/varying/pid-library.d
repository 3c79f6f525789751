/* Functions of a library, and what they are called with. */
/* @options: -q -c $TARGET */

pid$target:libc.so:malloc:entry
/arg0 >= 4096 && arg0 <= 65536/
{
	@ = quantize(arg0);
}
