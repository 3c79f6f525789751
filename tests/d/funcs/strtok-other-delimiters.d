/* The next token begins with the character that ended the last one. */
/* @options: -q */

BEGIN { strtok("a:b/c", ":"); printf("%s\n", strtok(NULL, "/")); exit(0); }
