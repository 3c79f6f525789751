/* A constant string is none either. */

BEGIN /"yes"/ { trace(1); }
