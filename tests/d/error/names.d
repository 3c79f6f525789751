/* ERROR is a probe like others. */
/* @options: -q */

BEGIN { z = 0; x = 10 / z; }
ERROR { printf("%s:::%s\n", probeprov, probename); exit(0); }
