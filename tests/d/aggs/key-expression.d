/* So is the key. */
/* @options: -q */

BEGIN { x = 6; @[x * 7, strjoin("a", "b")] = count(); exit(0); }
