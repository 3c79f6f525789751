/* An option that there is not. */
/* @options: -xnosuchoption */
/* @status: 1 */

BEGIN { exit(0); }
