/* So must one of the clause. */

BEGIN { trace(this->nobody); }
