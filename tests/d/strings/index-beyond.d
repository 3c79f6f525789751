/* A constant index outside of the room of a string is known when the program is compiled. */

BEGIN { s = "hello"; trace(s[300]); }
