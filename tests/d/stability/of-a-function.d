/* Functions of the network are a little less stable. */
/* @options: -xamin=Stable/Stable/Common */

BEGIN { trace(htonl(1)); exit(0); }
