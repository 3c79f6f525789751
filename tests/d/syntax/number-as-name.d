/* A name does not begin with a digit. */

BEGIN { 1x = 3; }
