/* Only of what the program defines. */

#pragma D attributes Stable/Stable/Common timestamp

BEGIN { exit(0); }
