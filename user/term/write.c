// SPDX-License-Identifier: BSD-2-Clause
/* Source of the escapes: string_char() of io_lib.erl, the same in OTP 25.2.3, 27.3.4.1 and 29.1.1. */
#include "term/write.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DOTS "..."
#define FIRST_LATIN1 0xa0
#define LAST_LATIN1 0xff

void write_begin(struct writer *w, char *buf, size_t size)
{
	*w = (struct writer){ .buf = buf, .size = size };
}

size_t write_room(const struct writer *w)
{
	size_t kept = w->length + sizeof(DOTS);

	return w->is_full || kept >= w->size ? 0 : w->size - kept;
}

static void write_bytes(struct writer *w, const char *bytes, size_t count)
{
	if (count > write_room(w)) {
		w->is_full = true;
		return;
	}
	memcpy(w->buf + w->length, bytes, count);
	w->length += count;
}

size_t write_end(struct writer *w)
{
	if (w->is_full && w->length + sizeof(DOTS) <= w->size) {
		memcpy(w->buf + w->length, DOTS, strlen(DOTS));
		w->length += strlen(DOTS);
	}
	w->buf[w->length] = '\0';
	return w->length;
}

void write_text(struct writer *w, const char *text)
{
	write_bytes(w, text, strlen(text));
}

void write_format(struct writer *w, const char *format, ...)
{
	char text[128];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	write_text(w, text);
}

void write_utf8(struct writer *w, unsigned int code)
{
	char bytes[4];
	size_t count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = count - 1; i > 0; i--) {
		bytes[i] = (char)(0x80 | (code & 0x3f));
		code >>= 6;
	}
	bytes[0] = (char)(count == 1 ? code : (0xf00 >> count & 0xff) | code);
	write_bytes(w, bytes, count);
}

static const char *short_escape(unsigned int code)
{
	switch (code) {
	case '\n': return "\\n";
	case '\r': return "\\r";
	case '\t': return "\\t";
	case '\v': return "\\v";
	case '\b': return "\\b";
	case '\f': return "\\f";
	case 0x1b: return "\\e";
	case 0x7f: return "\\d";
	case '\\': return "\\\\";
	default: return NULL;
	}
}

void write_escaped(struct writer *w, unsigned int code, char quote, enum write_charset charset)
{
	const char *escape = short_escape(code);

	if (quote && code == (unsigned char)quote)
		write_format(w, "\\%c", quote);
	else if (escape)
		write_text(w, escape);
	else if (code < ' ' || (code > '~' && code < FIRST_LATIN1))
		write_format(w, "\\%03o", code);
	else if (code > LAST_LATIN1 && charset == WRITE_LATIN1)
		write_format(w, "\\x{%X}", code);
	else
		write_utf8(w, code);
}
