/* Several delimiters in a row are one. */
/* @options: -q */

BEGIN { this->a = strtok("::a::b:", ":"); this->b = strtok(NULL, ":"); printf("%s %s %d\n", this->a, this->b, strtok(NULL, ":") == NULL); exit(0); }
