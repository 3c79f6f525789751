/* A char is neither long nor short. */

long char x;
BEGIN { trace(1); }
