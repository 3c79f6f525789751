/* A value has a conversion. */

BEGIN { printf("%d", 1, 2); }
