/* An enumerator is of one enum. */
/* @options: -q */

enum a { X };
enum b { X };
BEGIN { exit(0); }
