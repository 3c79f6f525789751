/* Behind some of its characters a string goes on. */
/* @options: -q */

BEGIN { this->s = "hello world"; i = 2; printf("%s %s %c %c\n", this->s + 6, i + this->s, this->s[4], *this->s); exit(0); }
