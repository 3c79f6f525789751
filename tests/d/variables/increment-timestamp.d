/* Nor are they incremented. */

BEGIN { timestamp++; }
