/* A key without a sign. */
/* @options: -q */

BEGIN { @[(uint64_t)-1] = count(); printa("%u %@d\n", @); exit(0); }
