/* A probe must exist. */

nosuchprobe { trace(1); }
