/* How much in a second: divided by the seconds so far, then cleared. */
/* @options: -q -w */


BEGIN { @rate["x"] = sum(600); }
BEGIN { normalize(@rate, 3); printa("%@d\n", @rate); clear(@rate); system("true"); }

/* Where a script has its next second: here, when that command ends, which is behind clear(). */
proc:::exit
/progenyof($pid)/
{
	@rate["x"] = sum(30);
	normalize(@rate, 3);
	printa("%@d\n", @rate);
	exit(0);
}
