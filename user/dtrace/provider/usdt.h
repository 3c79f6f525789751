/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sites of SDT notes in any process. A site belongs to its file, because it is the same in each process that maps the
 * file.
 */
#ifndef ERLBPF_DTRACE_PROVIDER_USDT_H
#define ERLBPF_DTRACE_PROVIDER_USDT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "erl.h"

struct note_site {
	int fd;			    /* of the file, owned by the provider */
	const char *file;	    /* its name */
	const char *function;	    /* the enclosing function, "" if unknown */
	uint64_t offset, semaphore; /* in the file, 0: none */
	struct erl_operand args[ERL_MAX_ARGS];
	const char *unreadable[ERL_MAX_ARGS]; /* the reason why an operand is missing, NULL: present */
	int argc;
};

/* The C type of an argument in the note, NULL: no such argument. */
const char *note_site_type(const struct note_site *site, int arg);

#endif
