/* There is no goto. */

BEGIN { goto out; }
