/*
 * @compat: reading `walltimestamp` several times in a clause
 * @oracle: read anew each time
 */
/* @options: -q -xcompat=oracle */

BEGIN { w = walltimestamp; printf("%d\n", walltimestamp == w); exit(0); }
