/* @options: -xcompat=illumos */
/* There it is translated, so it has no value but those of its members. */

BEGIN { trace(curcpu->cpu_id == cpu && curcpu == NULL); exit(0); }
