#!/usr/sbin/dtrace -qs
BEGIN { printf("ok\n"); exit(0); }
/* The first line of a script can name its interpreter. */
/* @options: -q */
