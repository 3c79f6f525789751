/* A string that is longer than the scratch memory. */
/* @options: -x scratchsize=100 */

BEGIN { trace(copyinstr(arg1, 201)); }
