/* A pointer is one. */
/* @options: -q */

BEGIN { this->p = (int *)8; }
BEGIN /this->p/ { printf("yes\n"); exit(0); }
