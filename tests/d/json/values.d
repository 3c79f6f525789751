/* true, false and an object as they are written. */
/* @options: -q */

BEGIN { j = "{\"t\": true, \"o\": {\"x\":1}}"; printf("%s %s\n", json(j, "t"), json(j, "o")); exit(0); }
