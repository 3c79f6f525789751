/* Without a delimiter it is one part. */
/* @options: -q */

BEGIN { printf("%s\n", strtok("abc", ":")); exit(0); }
