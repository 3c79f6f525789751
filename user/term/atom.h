/* SPDX-License-Identifier: BSD-2-Clause */
/* Atoms in Erlang syntax, with quotes and escapes where needed. */
#ifndef ERLBPF_TERM_ATOM_H
#define ERLBPF_TERM_ATOM_H

#include <stddef.h>

#include "term/write.h"

enum atom_style {
	ATOM_TERM,   /* as io_lib:write_atom_as_latin1() */
	ATOM_OF_FUN, /* as in `fun m:f/1`, for which the VM has its own rules */
	ATOM_BARE,   /* as in `#Fun<m.1.2>`: without quotes */
};

/* `bytes` should be UTF-8, but may be anything in a hostile process. `otp`: release. */
void write_atom(struct writer *w, const char *bytes, size_t length, enum atom_style style, int otp);

#endif
