/* More than there can be is an error when the program is compiled. */

BEGIN { p = copyin(0, 257); exit(0); }
