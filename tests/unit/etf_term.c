// SPDX-License-Identifier: BSD-2-Clause
/* Terms in the external format: what a port sends is read within its bounds, and what is written is as Erlang writes
 * it. */
#include "etf/term.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

/* term_to_binary({7, compile, <<"x">>, [300], []}) */
static const unsigned char command[] = {
	131, 104, 5, 97,  7,   119, 7, 'c', 'o', 'm', 'p', 'i', 'l', 'e', 109, 0,
	0,   0,	  1, 'x', 108, 0,   0, 0,   1,	 98,  0,   0,	1,   44,  106, 106,
};

static void read_command(struct etf_reader *reader, const unsigned char *data, size_t size)
{
	char name[ETF_ATOM];
	size_t length;

	etf_begin(reader, data, size);
	etf_tuple(reader);
	etf_integer(reader);
	etf_atom(reader, name);
	etf_binary(reader, &length);
	if (etf_list(reader)) {
		etf_integer(reader);
		etf_list_end(reader);
	}
	etf_list(reader);
}

Test(etf_term, a_command_is_read)
{
	struct etf_reader reader;
	char name[ETF_ATOM];
	const char *text;
	size_t size;

	etf_begin(&reader, command, sizeof(command));
	cr_expect(eq(sz, etf_tuple(&reader), 5));
	cr_expect(eq(i64, etf_integer(&reader), 7));
	expect_text(etf_atom(&reader, name), "compile");
	text = etf_binary(&reader, &size);
	cr_expect(eq(sz, size, 1));
	cr_expect(eq(chr, *text, 'x'));
	cr_expect(eq(sz, etf_list(&reader), 1));
	cr_expect(eq(i64, etf_integer(&reader), 300));
	etf_list_end(&reader);
	cr_expect(eq(sz, etf_list(&reader), 0));
	cr_expect(etf_is_over(&reader));
}

Test(etf_term, what_ends_too_early_is_bad_wherever_it_ends)
{
	struct etf_reader reader;

	for (size_t size = 0; size < sizeof(command); size++) {
		unsigned char *copy = malloc(size + 1);

		/* A copy of that size, so that a sanitizer sees who reads behind it. */
		memcpy(copy, command, size);
		read_command(&reader, copy, size);
		cr_expect(not(etf_is_over(&reader)), "%zu", size);
		free(copy);
	}
	read_command(&reader, command, sizeof(command));
	cr_expect(etf_is_over(&reader));
}

/* Reads as a list, a binary, an atom, an integer, a tuple: all of them must find it bad. */
static void expect_bad(const void *data, size_t size)
{
	struct etf_reader reader;
	char name[ETF_ATOM];
	size_t length;

	for (int what = 0; what < 5; what++) {
		etf_begin(&reader, data, size);
		switch (what) {
		case 0: etf_list(&reader); break;
		case 1: etf_binary(&reader, &length); break;
		case 2: etf_atom(&reader, name); break;
		case 3: etf_integer(&reader); break;
		case 4: etf_tuple(&reader); break;
		}
		cr_expect(not(etf_is_over(&reader)), "%d", what);
	}
}

Test(etf_term, lengths_are_not_trusted)
{
	static const unsigned char list[] = { 131, 108, 255, 255, 255, 255, 106 };
	static const unsigned char binary[] = { 131, 109, 255, 255, 255, 255, 'x' };
	static const unsigned char atom[] = { 131, 119, 255, 'x' };
	static const unsigned char empty[] = { 131, 108, 0, 0, 0, 0, 106 };
	static const unsigned char unknown[] = { 131, 255 };
	static const unsigned char version[] = { 130, 106 };

	expect_bad(list, sizeof(list));
	expect_bad(binary, sizeof(binary));
	expect_bad(atom, sizeof(atom));
	expect_bad(empty, sizeof(empty));
	expect_bad(unknown, sizeof(unknown));
	expect_bad(version, sizeof(version));
}

static void expect_written(const char *json, const unsigned char *bytes, size_t size)
{
	json_object *value = json_tokener_parse(json);
	struct etf_writer writer = {};

	etf_write_begin(&writer);
	etf_write_json(&writer, value);
	cr_expect(not(writer.is_bad));
	cr_expect(eq(sz, writer.size, size), "%s", json);
	cr_expect(writer.size == size && !memcmp(writer.data, bytes, size), "%s", json);
	free(writer.data);
	json_object_put(value);
}

#define EXPECT_WRITTEN(json, ...)                                                                                      \
	expect_written(json, (const unsigned char[]){ __VA_ARGS__ }, sizeof((const unsigned char[]){ __VA_ARGS__ }))

Test(etf_term, values_are_written_as_erlang_writes_them)
{
	EXPECT_WRITTEN("7", 131, 97, 7);
	EXPECT_WRITTEN("-1", 131, 98, 255, 255, 255, 255);
	EXPECT_WRITTEN("2147483648", 131, 110, 8, 0, 0, 0, 0, 128, 0, 0, 0, 0);
	EXPECT_WRITTEN("-9223372036854775808", 131, 110, 8, 1, 0, 0, 0, 0, 0, 0, 0, 128);
	EXPECT_WRITTEN("18446744073709551615", 131, 110, 8, 0, 255, 255, 255, 255, 255, 255, 255, 255);
	EXPECT_WRITTEN("[]", 131, 106);
	EXPECT_WRITTEN("[null]", 131, 108, 0, 0, 0, 1, 119, 9, 'u', 'n', 'd', 'e', 'f', 'i', 'n', 'e', 'd', 106);
	EXPECT_WRITTEN("{\"a\":\"b\"}", 131, 116, 0, 0, 0, 1, 119, 1, 'a', 109, 0, 0, 0, 1, 'b');
	EXPECT_WRITTEN("1.5", 131, 70, 63, 248, 0, 0, 0, 0, 0, 0);
}
