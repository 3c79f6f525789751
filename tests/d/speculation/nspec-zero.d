/* Without buffers there is no speculation. */
/* @options: -q -x nspec=0 */

BEGIN { printf("%d\n", speculation()); exit(0); }
