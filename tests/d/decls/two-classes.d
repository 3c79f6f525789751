/* A variable is of one class. */

self this int x;
BEGIN { trace(1); }
