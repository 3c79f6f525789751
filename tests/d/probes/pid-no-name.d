/* @options: -c /bin/true */
pid$target:libc.so.6:malloc:begin { exit(0); }
