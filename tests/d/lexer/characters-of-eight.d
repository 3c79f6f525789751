/* A character constant has up to eight characters. */
/* @options: -q */

BEGIN { printf("%x %x\n", 'abcdefgh', 'ab'); exit(0); }
