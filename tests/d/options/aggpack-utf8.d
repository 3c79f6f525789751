/* In block characters, whatever the terminal is. */
/* @options: -q -xaggpack -xencoding=utf8 */

BEGIN { @[1] = quantize(1); @[1] = quantize(2); @[1] = quantize(3); exit(0); }
