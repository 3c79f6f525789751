/*
 * @compat: calling `strtok(NULL, d)` without a string before
 * @illumos: NULL
 */
/* @options: -q -xcompat=illumos */

BEGIN { this->word = strtok(NULL, ","); printf("%d\n", this->word == NULL); }
BEGIN { exit(0); }
ERROR { printf("fault %d\n", arg4); }
