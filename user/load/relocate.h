/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs whose maps and functions are found already, as libbpf does it once for each object. They are loaded from
 * here as often as they are wanted, with other maps, registers and types each time.
 */
#ifndef ERLBPF_LOAD_RELOCATE_H
#define ERLBPF_LOAD_RELOCATE_H

#include <bpf/libbpf.h>
#include <stddef.h>

#include "erl.h"
#include "load/optimiser/code_confine.h"

struct relocated;

/*
 * Make the object's maps and give its programs to `programs`, which has room for all of them. None is loaded. The
 * object must have been opened after relocate_begin(), and must outlive them. 0 or -errno.
 */
void relocate_begin(void);
int relocate_object(struct bpf_object *object, struct relocated **programs, size_t *count);
void relocated_free(struct relocated *program);

const char *relocated_name(const struct relocated *program);

#define RELOCATED_OWN_MAPS 2

/* What one load of a program has for itself. */
struct relocated_request {
	enum bpf_prog_type type;
	unsigned int attach_type;
	enum code_reads reads;
	bool keeps_stack;		    /* it is not to have a stack of its own for each CPU: see keep_stack() */
	const struct erl_config *registers; /* put into its loads: see ERL_PATCH_BASE; NULL: it has none */
	struct {
		int shared, own; /* fds of the object's map, and of the one in its place */
	} maps[RELOCATED_OWN_MAPS];
	size_t map_count;
};

/* fd, which is the caller's, or -errno. */
int relocated_load(const struct relocated *program, const struct relocated_request *request);

#endif
