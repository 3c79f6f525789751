/* 9 is no octal digit. */

BEGIN { trace(0129); }
