/* By the second key. */
/* @options: -q -xaggsortkey -xaggsortkeypos=1 */

BEGIN { @["b", 3] = sum(1); @["a", 9] = sum(2); @["c", 1] = sum(3); exit(0); }
