/* Values are constant. */

enum e { A = pid };
BEGIN { trace(1); }
