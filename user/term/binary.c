// SPDX-License-Identifier: BSD-2-Clause
/*
 * Source: printable_bin() of io_lib_pretty.erl, write_binary_body() and printable_latin1_list() of io_lib.erl, the same
 * in OTP 25.2.3, 27.3.4.1 and 29.1.1. ~p without t prints a binary as text if its bytes are Latin-1, so UTF-8 text with
 * an accented letter would show two characters for it. Here, UTF-8 is printed as <<"..."/utf8>>, as ~tp does for text
 * that is not Latin-1.
 */
#include "term/binary.h"

#include <string.h>

#include "base/text.h"

bool is_printable(uint64_t code)
{
	return (code >= ' ' && code <= '~') || (code >= 0xa0 && code <= 0xff) ||
	       (code && code <= 0x1b && memchr("\n\r\t\v\b\f\033", (int)code, 7));
}

static bool is_text(const uint8_t *bytes, size_t bits)
{
	for (size_t i = 0; i < bits / 8; i++) {
		if (!is_printable(bytes[i]))
			return false;
	}
	return bits && bits % 8 == 0;
}

static void write_as_text(struct writer *w, const uint8_t *bytes, size_t count, const char *more)
{
	write_text(w, "\"");
	for (size_t i = 0; i < count; i++)
		write_escaped(w, bytes[i], '"', WRITE_UNICODE);
	write_text(w, "\"");
	write_text(w, more);
}

/* Is this a UTF-8 character whose last bytes are cut off? */
static bool is_begun(const uint8_t *bytes, size_t left)
{
	size_t length = *bytes < 0xc2 || *bytes > 0xf4 ? 0 : *bytes < 0xe0 ? 2 : *bytes < 0xf0 ? 3 : 4;

	if (left >= length)
		return false;
	for (size_t i = 1; i < left; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return false;
	}
	return true;
}

/* is_printable() for all of Unicode, as in printable_unicode_list() of io_lib.erl. */
static bool is_printable_unicode(unsigned int code)
{
	return is_printable(code) || (code > 0xff && code < 0xfffe) || code > 0xffff;
}

/*
 * How many of the bytes are complete characters of UTF-8 text. 0 if it is none, or only ASCII: a character that is cut
 * off may then be Latin-1.
 */
static size_t utf8_size(const uint8_t *bytes, size_t count, bool is_cut)
{
	bool is_ascii = true;
	size_t at = 0;

	while (at < count) {
		unsigned int code;
		size_t length = text_utf8((const char *)bytes + at, count - at, &code);

		if (!length && is_cut && is_begun(bytes + at, count - at))
			break;
		if (!length || !is_printable_unicode(code))
			return 0;
		is_ascii &= length == 1;
		at += length;
	}
	return is_ascii ? 0 : at;
}

/* Escapes characters that could deceive a reader, in Erlang syntax. */
static void write_as_utf8(struct writer *w, const uint8_t *bytes, size_t count, const char *more)
{
	unsigned int code;

	write_text(w, "\"");
	for (size_t at = 0; at < count;) {
		at += text_utf8((const char *)bytes + at, count - at, &code);
		if (code > 0xff && text_is_unsafe(code))
			write_format(w, "\\x{%X}", code);
		else
			write_escaped(w, code, '"', WRITE_UNICODE);
	}
	write_text(w, "\"/utf8");
	write_text(w, more);
}

static void write_as_numbers(struct writer *w, const uint8_t *bytes, size_t bits, const char *more)
{
	for (size_t i = 0; i < bits / 8; i++)
		write_format(w, "%s%u", i ? "," : "", bytes[i]);
	if (*more)
		write_format(w, "%s%s", bits / 8 ? "," : "", more);
	else if (bits % 8)
		write_format(w, "%s%u:%u", bits / 8 ? "," : "", bytes[bits / 8] >> (8 - bits % 8),
			     (unsigned int)(bits % 8));
}

void write_binary(struct writer *w, const uint8_t *bytes, size_t bits, const char *more)
{
	size_t utf8;

	if (*more)
		bits -= bits % 8;
	utf8 = bits % 8 ? 0 : utf8_size(bytes, bits / 8, *more);
	write_text(w, "<<");
	if (utf8)
		write_as_utf8(w, bytes, utf8, more);
	else if (is_text(bytes, bits))
		write_as_text(w, bytes, bits / 8, more);
	else
		write_as_numbers(w, bytes, bits, more);
	write_text(w, ">>");
}
