/* Each cast cuts. */
/* @options: -q */

BEGIN { printf("%d %d\n", (int8_t)(uint8_t)200, (uint64_t)(int8_t)200 == 0xffffffffffffffc8); exit(0); }
