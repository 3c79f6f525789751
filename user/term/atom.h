/* SPDX-License-Identifier: BSD-2-Clause */
/* Atoms as Erlang writes them: in quotes and with escapes where its syntax wants them. */
#ifndef ERLBPF_TERM_ATOM_H
#define ERLBPF_TERM_ATOM_H

#include <stddef.h>

#include "term/write.h"

enum atom_style {
	ATOM_TERM,   /* as io_lib:write_atom_as_latin1() */
	ATOM_OF_FUN, /* as in `fun m:f/1`, where the VM has rules of its own */
	ATOM_BARE,   /* as in `#Fun<m.1.2>`: never in quotes */
};

/* `bytes` are UTF-8, or what a hostile process has in their place. `otp` is the release. */
void write_atom(struct writer *w, const char *bytes, size_t length, enum atom_style style, int otp);

#endif
