/* Bars of block characters: whole ones, and eighths of one. */
/* @options: -q -xencoding=utf8 */

BEGIN { @ = lquantize(1, 0, 3); @ = lquantize(2, 0, 3); @ = lquantize(2, 0, 3); exit(0); }
