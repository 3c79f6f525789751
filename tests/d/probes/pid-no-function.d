/* @options: -c /bin/true */
pid$target:libc.so.6:no_such_function:entry { exit(0); }
