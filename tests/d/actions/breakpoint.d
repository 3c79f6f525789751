/* @options: -w */
BEGIN { breakpoint(); exit(0); }
