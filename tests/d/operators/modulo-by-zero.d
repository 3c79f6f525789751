/* So is it with %. */

BEGIN { x = 1 % 0; }
