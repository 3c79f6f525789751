/* Two pointers are not added. */

BEGIN { this->p = (int *)8; this->q = this->p + this->p; }
