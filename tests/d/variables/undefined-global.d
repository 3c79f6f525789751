/* A variable must have been assigned to. */

BEGIN { trace(nobody); }
