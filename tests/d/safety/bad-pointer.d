/* Any address can be asked for. */
/* @options: -q */

BEGIN { x = *(long *)0xffffffffffffff00; }
BEGIN { y = *(long *)0x7fffffffffff; }
BEGIN { printf("alive\n"); exit(0); }
