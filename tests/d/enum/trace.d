/* They are ints. */

enum color { RED, GREEN = 5, BLUE };
BEGIN { trace(BLUE); exit(0); }
