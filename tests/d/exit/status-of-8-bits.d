/* As exit(3) has it, the status has 8 bits. */
/* @options: -q */
/* @status: 255 */

BEGIN { exit(0x1ff); }
