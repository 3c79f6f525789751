/* A unit of time that there is not. */

tick-10parsecs { exit(0); }
