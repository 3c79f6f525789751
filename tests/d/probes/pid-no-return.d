/* @options: -c /bin/true */
pid$target:libc.so.6:setjmp:return { exit(0); }
