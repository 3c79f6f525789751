/* #error may follow #pragma. */
#pragma error not this one
BEGIN { exit(0); }
