/* exit() wants a status. */

BEGIN { exit(); }
