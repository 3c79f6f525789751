/* A clause of a file needs actions. */

BEGIN
tick-1s { exit(0); }
