/* A string is not cast to a number. */

BEGIN { trace((int)"12"); }
