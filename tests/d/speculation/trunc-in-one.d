/* trunc() and clear() of a speculation happen when it is committed. */
/* @options: -q */

BEGIN { @a[1] = sum(5); @b[1] = sum(6); i = speculation(); j = speculation(); }
BEGIN { speculate(i); trunc(@a); }
BEGIN { speculate(j); clear(@b); }
BEGIN { commit(i); discard(j); }
BEGIN { printa("%d %@d\n", @a); printa("%d %@d\n", @b); exit(0); }
