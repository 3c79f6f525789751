/* Switched on and off in between: with and without bars, which are scaled to the longest. */
/* @options: -q -xaggzoom */

BEGIN { @[1] = sum(-20); @[2] = sum(10); setopt("agghist"); }
BEGIN { printa(@); setopt("agghist", "off"); }
BEGIN { printa(@); exit(0); }
