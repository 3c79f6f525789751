/* @options: -w */
BEGIN { return; exit(0); }
