/* Output is in the order of time anyway; options of linking do nothing. */
/* @options: -q -xtemporal -xlinkmode=primary -xlate=static */

BEGIN { printf("compiled\n"); exit(0); }
