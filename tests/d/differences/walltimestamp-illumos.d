/*
 * @compat: reading `walltimestamp` several times in a clause
 * @illumos: the same
 */
/* @options: -q -xcompat=illumos */

BEGIN { w = walltimestamp; printf("%d\n", walltimestamp == w); exit(0); }
