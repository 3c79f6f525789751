/* SPDX-License-Identifier: BSD-2-Clause */
/* Text into a buffer of a fixed size, as UTF-8; what does not fit becomes "..." at the end. */
#ifndef ERLBPF_TERM_WRITE_H
#define ERLBPF_TERM_WRITE_H

#include <stdbool.h>
#include <stddef.h>

struct writer {
	char *buf;
	size_t size;
	size_t length;
	bool is_full; /* what came after was dropped */
};

/* `size` of at least 1. */
void write_begin(struct writer *w, char *buf, size_t size);

/* Terminates the text; its length. */
size_t write_end(struct writer *w);

/* How many bytes still fit. */
size_t write_room(const struct writer *w);

/* A piece is written whole or not at all. */
void write_text(struct writer *w, const char *text);
void write_format(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

void write_utf8(struct writer *w, unsigned int code); /* one character */

/* One character of the text between quotes (0: none), as io_lib:write_string() escapes it. */
enum write_charset { WRITE_UNICODE, WRITE_LATIN1 };
void write_escaped(struct writer *w, unsigned int code, char quote, enum write_charset charset);

#endif
