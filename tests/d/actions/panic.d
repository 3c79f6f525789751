/* @options: -w */
BEGIN { panic(); exit(0); }
