/* The last part of a path. */
/* @options: -q */

BEGIN { printf("%s %s %s %s %s\n", basename("/a/b"), basename("/a/b/"), basename("c"), basename("/"), basename("")); exit(0); }
