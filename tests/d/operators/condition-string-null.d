/* A string that was never set is like 0. */
/* @options: -q */

BEGIN { names[1] = "one"; this->s = names[2]; printf("%s\n", this->s == NULL ? "none" : this->s); exit(0); }
