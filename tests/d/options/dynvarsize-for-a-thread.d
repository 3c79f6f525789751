/* @options: -xdynvarsize=3 */
/* @status: 1 */

BEGIN { self->x = 1; exit(0); }
