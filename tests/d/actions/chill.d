/* @options: -w */
BEGIN { chill(5); exit(0); }
