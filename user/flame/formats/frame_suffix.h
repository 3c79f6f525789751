/* SPDX-License-Identifier: BSD-2-Clause */
/* Folded lines mark the kind of a frame with a suffix of its name. */
#ifndef ERLBPF_FLAME_FORMATS_FRAME_SUFFIX_H
#define ERLBPF_FLAME_FORMATS_FRAME_SUFFIX_H

#include "flame/profile.h"

/* "_[k]"; "" for Erlang code, which has an arity. */
const char *frame_suffix(enum frame_kind kind, const char *name);

/* Does a line number follow the arity, as in "lists:map/2:1559"? */
bool frame_has_line(const char *name);

/* The kind of the frame `name`; *length is set to the length without the suffix. */
enum frame_kind frame_kind_of(const char *name, size_t *length);

#endif
