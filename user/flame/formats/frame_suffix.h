/* SPDX-License-Identifier: BSD-2-Clause */
/* How folded lines say of what kind a frame is: by the end of its name. */
#ifndef ERLBPF_FLAME_FORMATS_FRAME_SUFFIX_H
#define ERLBPF_FLAME_FORMATS_FRAME_SUFFIX_H

#include "flame/profile.h"

/* "_[k]"; "" for Erlang code that is known by its arity. */
const char *frame_suffix(enum frame_kind kind, const char *name);

/* Is there a line behind its arity, as in "lists:map/2:1559"? */
bool frame_has_line(const char *name);

/* The kind of a frame of that name; *length becomes that of the name without its suffix. */
enum frame_kind frame_kind_of(const char *name, size_t *length);

#endif
