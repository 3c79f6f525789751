/* Words of C that D has no meaning for are reserved. */

BEGIN { for = 1; }
