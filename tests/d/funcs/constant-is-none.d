/* Nor is a constant. */

BEGIN { 5(1); }
