/* Nor incremented. */

BEGIN { 5++; }
