/* The number of frames is positive. */

BEGIN { ustack(-1); }
