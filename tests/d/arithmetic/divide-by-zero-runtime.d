/* A divisor that is zero when it runs is a fault. */
/* @options: -q */
/* @status: 1 */

BEGIN { z = 0; printf("%d\n", 1 / z); }
ERROR { printf("fault %d\n", arg4); exit(1); }
