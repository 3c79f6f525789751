/* Each has its own name. */

enum e { A, A };
BEGIN { trace(1); }
