/* 200 us is the least: there are no faster ones. */

tick-199us { exit(0); }
