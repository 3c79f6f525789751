/* A format is not enough. */

BEGIN { @a = count(); printa("%@d"); }
