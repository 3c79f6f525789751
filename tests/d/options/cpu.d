/* What DTrace starts itself starts on that CPU, and nowhere else: aggregations have one key. */
/* @options: -q -x cpu=0 */

BEGIN, END { @[cpu] = count(); }
profile-1000 { @[cpu] = count(); n++; }
tick-5ms { @[cpu] = count(); }
tick-5ms /n > 20/ { exit(0); }
END { printa("%d\n", @); }
