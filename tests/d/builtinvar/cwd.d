/* @options: -q */
BEGIN { printf("%s %s %s %d\n", basename(cwd), root, zonename, ipl); exit(0); }
