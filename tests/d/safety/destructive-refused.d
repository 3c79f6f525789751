/* What changes other things needs -w. */
/* @status: 1 */

BEGIN { system("echo hello"); exit(0); }
