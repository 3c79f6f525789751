/* With a size the sign must be right, too: timestamp is an uint64_t. */

BEGIN { printf("%lld\n", timestamp); exit(0); }
