/* There is no such CPU. */
/* @options: -q -x cpu=99999 */
/* @status: 1 */

BEGIN { exit(0); }
