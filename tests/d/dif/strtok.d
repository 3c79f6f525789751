/* A string is taken apart. */
/* @options: -q */

BEGIN { s = "lists:seq/2"; this->m = strtok(s, ":/"); this->f = strtok(NULL, ":/"); this->a = strtok(NULL, ":/");
	printf("%s %s %s\n", this->m, this->f, this->a); exit(0); }
