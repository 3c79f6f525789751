/* With nspec there are more. */
/* @options: -q -xnspec=2 */

BEGIN { i = speculation(); j = speculation(); printf("%d %d\n", i != 0, j != 0 && i != j); exit(0); }
