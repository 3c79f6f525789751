/* @options: -w */
BEGIN { panic(1); exit(0); }
