/* @options: -c /bin/true */
pid$target:libc.so.6:malloc:1 { exit(0); }
