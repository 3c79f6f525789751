/* Nor can two probes have the same. */

BEGIN, END { trace(args[0]); }
