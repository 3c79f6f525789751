/* Nor decremented. */

BEGIN { --5; }
