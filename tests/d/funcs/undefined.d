/* A function must exist. */

BEGIN { nosuchfunction(1); }
