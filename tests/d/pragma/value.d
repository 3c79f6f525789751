/* With a value. */

#pragma D option quiet
#pragma D option nspec=3
BEGIN { a = speculation(); b = speculation(); c = speculation(); d = speculation(); printf("%d %d\n", c != 0, d); exit(0); }
