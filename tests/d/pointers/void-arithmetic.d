/* Nor has it a size. */

BEGIN { this->p = (void *)8; this->p++; }
