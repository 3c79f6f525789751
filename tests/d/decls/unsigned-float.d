/* Only integers are unsigned. */

unsigned float x;
BEGIN { trace(1); }
