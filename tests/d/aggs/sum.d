/* sum() adds up. */
/* @options: -q */

BEGIN { @s = sum(3); @s = sum(-1); @s = sum(40); exit(0); }
