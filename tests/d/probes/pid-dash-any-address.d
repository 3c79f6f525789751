/* The function "-" needs an address. */
/* @options: -c /bin/true */

pid$target::-:4* { exit(0); }
