/* What is less stable than asked for is not. */
/* @options: -xamin=Stable/Stable/ISA */

BEGIN { trace(curthread); exit(0); }
