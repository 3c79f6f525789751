/* So is the room for strings. */

BEGIN { ustack(5, pid); }
