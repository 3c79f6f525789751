/*
 * @compat: calling `strtok(NULL, d)` without a string before
 * @oracle: a fault
 */
/* @options: -q -xcompat=oracle */

BEGIN { this->word = strtok(NULL, ","); printf("%d\n", this->word == NULL); }
BEGIN { exit(0); }
ERROR { printf("fault %d\n", arg4); }
