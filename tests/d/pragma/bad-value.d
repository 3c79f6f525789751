/* Its value makes sense. */

#pragma D option bufsize=many
BEGIN { trace(1); }
