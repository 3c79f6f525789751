/* Variables and enumerators share names. */

int A;
enum e { A };
BEGIN { exit(0); }
