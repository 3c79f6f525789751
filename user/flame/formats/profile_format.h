/* SPDX-License-Identifier: BSD-2-Clause */
/* Formats of profiles by name, for command lines and HTTP requests. */
#ifndef ERLBPF_FLAME_FORMATS_PROFILE_FORMAT_H
#define ERLBPF_FLAME_FORMATS_PROFILE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "flame/profile.h"

enum profile_format {
	PROFILE_TEXT,
	PROFILE_FOLDED,
	PROFILE_HTML,
	PROFILE_SVG,
	PROFILE_PPROF,
	PROFILE_SPEEDSCOPE,
	PROFILE_JSON,
	PROFILE_FORMATS,
};

/* "html", "pprof", ... False: no such format. */
bool profile_format_find(const char *name, enum profile_format *format);

/* Its MIME type. */
const char *profile_format_type(enum profile_format format);

/* Do readers of the format merge the lines of a function? Then frames are written with lines. */
bool profile_format_has_lines(enum profile_format format);

/* `rows` and `width` are for text only, see profile_write_text(). 0 or -errno. */
int profile_write(const struct profile *profile, enum profile_format format, FILE *to, size_t rows, size_t width);

#endif
