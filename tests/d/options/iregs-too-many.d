/* BPF has nine registers to compute with. */
/* @options: -q */
/* @status: 1 */

#pragma D option iregs=9

BEGIN { exit(0); }
