/* So must one of the thread. */

BEGIN { trace(self->nobody); }
