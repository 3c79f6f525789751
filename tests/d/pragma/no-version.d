/* Numbers with points between them. */

#pragma D binding "1.a" x

BEGIN { x = 1; exit(0); }
