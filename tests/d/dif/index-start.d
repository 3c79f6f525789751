/* From a place on; a negative one is the beginning. */
/* @options: -q */

BEGIN { printf("%d %d %d\n", index("banana", "an", 2), index("banana", "an", -5), index("banana", "an", 5)); exit(0); }
