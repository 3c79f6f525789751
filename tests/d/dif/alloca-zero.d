/* Fresh memory can be written at once. */
/* @options: -q */

BEGIN { this->a = (char *)alloca(3); this->a[0] = 'o'; this->a[1] = 'k'; this->a[2] = '\0'; printf("%s\n", stringof(this->a)); exit(0); }
