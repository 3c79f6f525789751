/* Of nothing, and of slashes at the end. */
/* @options: -q */

BEGIN { printf("%s|%s|%s|%s\n", basename(""), basename("a//"), dirname(""), dirname("/a")); exit(0); }
