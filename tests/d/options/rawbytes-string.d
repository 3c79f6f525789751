/* A string is dumped with all the bytes that it may have, and its NUL. */
/* @options: -q -xrawbytes -xstrsize=6 */

BEGIN { trace("ab"); exit(0); }
