/* An enumerator is not named as a built-in variable. */

enum e { pid };
BEGIN { exit(0); }
