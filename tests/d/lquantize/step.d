/* In larger steps. */
/* @options: -q */

BEGIN { @ = lquantize(7, 0, 20, 5); @ = lquantize(12, 0, 20, 5); exit(0); }
