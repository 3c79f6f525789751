/* A timer does not run at 0 Hz. */

tick-0 { exit(0); }
