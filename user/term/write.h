/* SPDX-License-Identifier: BSD-2-Clause */
/* Appends UTF-8 text to a buffer of fixed size. Text that does not fit becomes "..." at the end. */
#ifndef ERLBPF_TERM_WRITE_H
#define ERLBPF_TERM_WRITE_H

#include <stdbool.h>
#include <stddef.h>

struct writer {
	char *buf;
	size_t size;
	size_t length;
	bool is_full; /* text was dropped */
};

/* `size` must be at least 1. */
void write_begin(struct writer *w, char *buf, size_t size);

/* Terminates the text and returns its length. */
size_t write_end(struct writer *w);

/* Remaining bytes. */
size_t write_room(const struct writer *w);

/* Appends the whole text or nothing. */
void write_text(struct writer *w, const char *text);
void write_format(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

void write_utf8(struct writer *w, unsigned int code); /* one character */

/* Appends a character of a text between quotes (0: none), with the escapes of io_lib:write_string(). */
enum write_charset { WRITE_UNICODE, WRITE_LATIN1 };
void write_escaped(struct writer *w, unsigned int code, char quote, enum write_charset charset);

#endif
