/* A number is the probe with that id, and there is none. */

999999999 { trace(1); }
