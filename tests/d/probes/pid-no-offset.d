/* @options: -c /bin/true */
pid$target:libc.so.6:malloc:ffffff { exit(0); }
