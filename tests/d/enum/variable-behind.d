/* Variables and enumerators share names. */

enum e { A };
int A;
BEGIN { exit(0); }
