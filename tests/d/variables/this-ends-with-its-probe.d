/* this-> of another probe is not seen. */
/* @options: -q */

BEGIN { this->x = 5; exit(0); }
END { printf("%d\n", this->x); }
