/* The names of all enumerators are in one space. */

enum e { A };
enum f { A };
BEGIN { exit(0); }
