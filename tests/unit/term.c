// SPDX-License-Identifier: BSD-2-Clause
/*
 * Terms in a memory that the tests lay out word by word, and memories that no VM would make. What real
 * terms look like is in tests/tools/test_terms.py, against real nodes.
 */
#include "term/format.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "target/reader/procfs.h"
#include "term/number.h"

#define BASE 0x10000ULL
#define WORDS 512
#define TEXT 512

#define SMALL(n) ((uint64_t)(n) << 4 | 0xf)
#define ATOM(index) ((uint64_t)(index) << 6 | 0xb)
#define NIL 0x3bULL
#define LIST(at) (BASE + (at)*8 + 1)
#define BOXED(at) (BASE + (at)*8 + 2)
#define HEADER(arity, subtag) ((uint64_t)(arity) << 6 | (uint64_t)(subtag) << 2)

static uint64_t words[WORDS];

static int read_words(const void *data, uint64_t address, void *to, size_t size)
{
	(void)data;
	if (address < BASE || address + size > BASE + sizeof(words) || address + size < address)
		return -EFAULT;
	memcpy(to, (const char *)words + (address - BASE), size);
	return 0;
}

static const char *const atoms[] = {
	"ok", "Upper", "", "two words", "when", "maybe", "it's\n", "n@h", "\303\237x", "\320\264", "\001\377",
};

static int read_atom(const void *data, uint32_t index, char bytes[TERM_ATOM_BYTES])
{
	(void)data;
	if (index >= COUNT(atoms))
		return -ENOENT;
	memcpy(bytes, atoms[index], strlen(atoms[index]));
	return (int)strlen(atoms[index]);
}

static int show_id(const void *data, uint64_t term, char text[TERM_ID_SIZE])
{
	(void)data;
	snprintf(text, TERM_ID_SIZE, "<%x>", (unsigned int)term);
	return term == 0x503 ? 0 : -ENOENT;
}

static struct term_vm vm_of(int otp)
{
	return (struct term_vm){ .otp = otp, .is_jit = true, .atom = read_atom, .id = show_id };
}

static const char *show(uint64_t term, int otp)
{
	static char text[TEXT];
	struct term_vm vm = vm_of(otp);
	struct term_memory memory = { .vm = &vm, .read = read_words };
	size_t length = term_format(&memory, term, text, sizeof(text));

	cr_assert(eq(sz, length, strlen(text)));
	return text;
}

static void fill(const uint64_t *from, size_t count)
{
	memset(words, 0, sizeof(words));
	memcpy(words, from, count * sizeof(*from));
}

#define MEMORY(...)                                                                                                    \
	do {                                                                                                           \
		const uint64_t laid_out[] = { __VA_ARGS__ };                                                           \
		fill(laid_out, COUNT(laid_out));                                                                       \
	} while (0)

Test(term, immediates)
{
	expect_text(show(SMALL(42), 25), "42");
	expect_text(show(SMALL(-1), 25), "-1");
	expect_text(show(NIL, 25), "[]");
	expect_text(show(0, 25), "(no term)");
	/* THE_NON_VALUE of OTP 25, a catch. */
	expect_text(show(0x18, 25), "(no term)");
	expect_text(show(0x1b, 25), "(no term)");
	expect_text(show(0x503, 25), "<503>");
	expect_text(show(0x603, 25), "(pid)");
	expect_text(show(0x507, 25), "(port)");
}

Test(term, atoms_are_quoted_where_the_syntax_wants_it)
{
	static const char *const shown[] = {
		"ok",	       "'Upper'", "''",	       "'two words'", "'when'",		 "maybe",
		"'it\\'s\\n'", "n@h",	  "\303\237x", "'\\x{434}'",  "'\\001\303\277'",
	};

	for (size_t i = 0; i < COUNT(shown); i++)
		expect_text(show(ATOM(i), 25), shown[i]);
	expect_text(show(ATOM(5), 27), "'maybe'");
	expect_text(show(ATOM(99), 27), "(atom 99)");
}

Test(term, numbers_of_any_size)
{
	static const struct {
		double value;
		const char *text;
	} floats[] = {
		{ 0.0, "0.0" },
		{ -0.0, "-0.0" },
		{ 1.0, "1.0" },
		{ 1e10, "1.0e10" },
		{ 0.1, "0.1" },
		{ 1e22, "1.0e22" },
		{ 5e-324, "5.0e-324" },
		{ 123.456, "123.456" },
		{ 1e-4, "0.0001" },
		{ 1e-5, "1.0e-5" },
		{ 0x1p-44, "5.684341886080802e-14" },
		{ 9007199254740992.0, "9.007199254740992e15" },
		{ 9007199254740991.0, "9007199254740991.0" },
		{ NAN, "(no term)" },
		{ INFINITY, "(no term)" },
	};

	for (size_t i = 0; i < COUNT(floats); i++) {
		MEMORY(HEADER(1, TERM_FLOAT), 0);
		memcpy(&words[1], &floats[i].value, sizeof(words[1]));
		expect_text(show(BOXED(0), 25), floats[i].text);
	}
	MEMORY(HEADER(2, TERM_NEGATIVE_BIG), 0, 1);
	expect_text(show(BOXED(0), 27), "-18446744073709551616");
	MEMORY(HEADER(2, TERM_BIG), 0x8ac7230489e80000ULL, 0);
	expect_text(show(BOXED(0), 27), "10000000000000000000");
}

/* Every chance word that is a float reads back as it, and none of fewer digits does. */
Test(term, floats_have_the_fewest_digits)
{
	uint64_t state = 11;

	for (int i = 0; i < 20000; i++) {
		char text[64], fewer[64];
		struct writer w;
		uint64_t word = check_random(&state);
		double value;

		memcpy(&value, &word, sizeof(value));
		if (!isfinite(value))
			continue;
		write_begin(&w, text, sizeof(text));
		write_float(&w, value);
		write_end(&w);
		cr_assert(strtod(text, NULL) == value, "%s", text);
		if (!strchr(text, 'e') || strstr(text, ".0e"))
			continue;
		/* Without the digit before the point, the point, and one more. */
		snprintf(fewer, sizeof(fewer), "%.*e", (int)(strcspn(text, "e") - 3 - (*text == '-')), value);
		cr_assert(strtod(fewer, NULL) != value, "%s but %s", text, fewer);
	}
}

Test(term, lists_and_strings)
{
	MEMORY(SMALL('h'), LIST(2), SMALL('"'), NIL);
	expect_text(show(LIST(0), 25), "\"h\\\"\"");
	MEMORY(SMALL(1), LIST(2), ATOM(0), NIL);
	expect_text(show(LIST(0), 25), "[1,ok]");
	MEMORY(SMALL('a'), LIST(2), SMALL('b'), ATOM(0));
	expect_text(show(LIST(0), 25), "[97,98|ok]");
	/* Latin-1 is text, what is beyond is not. */
	MEMORY(SMALL(0xe4), NIL);
	expect_text(show(LIST(0), 25), "\"\303\244\"");
	MEMORY(SMALL(0x100), NIL);
	expect_text(show(LIST(0), 25), "[256]");
}

Test(term, tuples_and_maps)
{
	MEMORY(HEADER(2, TERM_TUPLE), BOXED(3), SMALL(1), HEADER(0, TERM_TUPLE));
	expect_text(show(BOXED(0), 25), "{{},1}");
	MEMORY(HEADER(0, TERM_25_MAP), 2, BOXED(5), SMALL(1), SMALL(2), HEADER(2, TERM_TUPLE), ATOM(0), ATOM(4));
	expect_text(show(BOXED(0), 25), "#{ok => 1,'when' => 2}");
	/* A tree: its head with two children, a leaf and a node with one leaf. */
	MEMORY(1ULL << 16 | 1ULL << 19 | 3ULL << 6 | TERM_27_MAP << 2, 2, LIST(4), BOXED(6), SMALL(1), SMALL(2),
	       1ULL << 20 | 1ULL << 6 | TERM_27_MAP << 2, LIST(8), ATOM(0), NIL);
	expect_text(show(BOXED(0), 27), "#{1 => 2,ok => []}");
}

Test(term, binaries)
{
	MEMORY(HEADER(2, TERM_25_HEAP_BINARY), 3, 0x636261);
	expect_text(show(BOXED(0), 25), "<<\"abc\">>");
	MEMORY(HEADER(2, TERM_27_HEAP_BITS), 11, 0xff61);
	expect_text(show(BOXED(0), 27), "<<97,7:3>>");
	MEMORY(HEADER(2, TERM_27_HEAP_BITS), 0, 0);
	expect_text(show(BOXED(0), 27), "<<>>");
	/* A part of the one above it, from its fifth bit on. */
	MEMORY(HEADER(2, TERM_25_HEAP_BINARY), 3, 0x332211, HEADER(5, TERM_25_SUB_BINARY), 1, 0, 0x0404, BOXED(0));
	expect_text(show(BOXED(3), 25), "<<18,2:4>>");
}

static const struct {
	const char *bytes, *text;
} utf8_binaries[] = {
	{ "\303\251t\303\251", "<<\"\303\251t\303\251\"/utf8>>" },
	{ "\320\270 \"\n", "<<\"\320\270 \\\"\\n\"/utf8>>" },
	{ "\360\237\220\207", "<<\"\360\237\220\207\"/utf8>>" },
	/* Latin-1 that is no UTF-8. */
	{ "\351t\351", "<<\"\303\251t\303\251\">>" },
	/* Text that runs the other way, and none at all. */
	{ "a\342\200\256b", "<<\"a\\x{202E}b\"/utf8>>" },
	{ "\303\251\357\273\277", "<<\"\303\251\\x{FEFF}\"/utf8>>" },
	/* Controls, as one byte and as two. */
	{ "\303\251\001", "<<195,169,1>>" },
	{ "\302\233", "<<194,155>>" },
	/* Overlong, a surrogate, too large, no character, broken, cut off. */
	{ "\340\200\257", "<<224,128,175>>" },
	{ "\355\240\200", "<<237,160,128>>" },
	{ "\364\220\200\200", "<<244,144,128,128>>" },
	{ "\357\277\277", "<<\"\303\257\302\277\302\277\">>" },
	{ "\320\270\220", "<<208,184,144>>" },
	{ "\320\270\342\202", "<<208,184,226,130>>" },
};

Test(term, binaries_in_utf8)
{
	for (size_t i = 0; i < COUNT(utf8_binaries); i++) {
		const char *bytes = utf8_binaries[i].bytes;
		uint64_t word = 0;

		memcpy(&word, bytes, strlen(bytes));
		MEMORY(HEADER(2, TERM_25_HEAP_BINARY), strlen(bytes), word);
		expect_text(show(BOXED(0), 25), utf8_binaries[i].text);
	}
	/* Whose end could not be read, which is in the midst of a character. */
	MEMORY(HEADER(3, TERM_25_REFC_BINARY), 100, 0, 0, BASE + sizeof(words) - 8);
	words[WORDS - 1] = 0xd0b8d0b8d0b8d061;
	expect_text(show(BOXED(0), 25), "<<\"a\320\270\320\270\320\270\"/utf8(unreadable)>>");
	words[WORDS - 1] = 0x9bb8d0b8d0b8d061;
	expect_text(show(BOXED(0), 25), "<<97,208,184,208,184,208,184,155,(unreadable)>>");
	words[WORDS - 1] = 0xe963626163626161;
	expect_text(show(BOXED(0), 25), "<<\"aabcabc\303\251\"(unreadable)>>");
}

/* A definition: order of the fields, hash, module, name, is it exported, keys; and the order, a tuple. */
#define RECORD(first, second)                                                                                          \
	MEMORY(HEADER(3, TERM_29_RECORD), BOXED(4), SMALL(1), ATOM(4), HEADER(7, TERM_TUPLE), BOXED(12), SMALL(99),    \
	       ATOM(0), ATOM(1), ATOM(0), ATOM(7), ATOM(5), HEADER(2, TERM_TUPLE), first, second)

Test(term, records_have_their_fields_in_the_order_of_their_definition)
{
	RECORD(SMALL(1), SMALL(0));
	expect_text(show(BOXED(0), 29), "#ok:'Upper'{'maybe' = 'when',n@h = 1}");
	RECORD(SMALL(0), SMALL(1));
	expect_text(show(BOXED(0), 29), "#ok:'Upper'{n@h = 1,'maybe' = 'when'}");
	expect_text(show(BOXED(0), 27), "(no term)");
	/* No such key: the word behind them is none. */
	RECORD(SMALL(1), SMALL(2));
	expect_text(show(BOXED(0), 29), "#ok:'Upper'{'maybe' = 'when',(unreadable)}");
	RECORD(~0ULL, SMALL(2));
	expect_text(show(BOXED(0), 29), "#ok:'Upper'{(unreadable)}");
	MEMORY(HEADER(3, TERM_29_RECORD), 0x7ff000000002ULL, SMALL(1), ATOM(4));
	expect_text(show(BOXED(0), 29), "#(unreadable)");
	MEMORY(HEADER(1, TERM_29_RECORD), BOXED(2), HEADER(5, TERM_TUPLE), BOXED(8), SMALL(9), ATOM(0), ATOM(4),
	       ATOM(0), HEADER(0, TERM_TUPLE));
	expect_text(show(BOXED(0), 29), "#ok:'when'{}");
	words[0] = HEADER(0, TERM_29_RECORD);
	expect_text(show(BOXED(0), 29), "#ok:'when'{}");
}

#define FUN(arity, bound, kind) (TERM_FUN << 2 | (arity) << 8 | (bound) << 16 | (uint64_t)(kind) << 24)

/* What a fun leads to begins with four addresses of code. */
Test(term, funs_of_modules_and_exported_ones)
{
	MEMORY(FUN(1, 1, 0), BASE + 16, 0, 0, 0, 0, ATOM(0), 1, 0, 0, 5ULL << 32, 3);
	expect_text(show(BOXED(0), 27), "#Fun<ok.3.5>");
	MEMORY(FUN(1, 0, 0), BASE + 16, 0, 0, 0, 0, 0, ATOM(0), 0, 0, 0, 3ULL << 32 | 5);
	expect_text(show(BOXED(0), 29), "#Fun<ok.3.5>");
	MEMORY(FUN(2, 0, 0), BASE + 16, 0, 0, 0, 0, 0, 0, 0, 0, ATOM(0), ATOM(5), 2);
	expect_text(show(BOXED(0), 27), "fun ok:maybe/2");
	words[0] = FUN(2, 0, 1);
	expect_text(show(BOXED(0), 29), "fun ok:maybe/2");
}

Test(term, of_a_release_that_is_not_known_only_what_never_changed_is_shown)
{
	MEMORY(SMALL(1), LIST(2), BOXED(4), NIL, HEADER(0, TERM_TUPLE));
	expect_text(show(LIST(0), 31), "[1,(of an unknown release)]");
}

Test(term, what_cannot_be_read_is_said)
{
	MEMORY(SMALL(1), 0x7ff000000001ULL);
	expect_text(show(LIST(0), 25), "[1|(unreadable)]");
	expect_text(show(0x7ff000000002ULL, 25), "(unreadable)");
	MEMORY(HEADER(3, TERM_25_REFC_BINARY), 10, 0, 0, 0x7ff000000000ULL);
	expect_text(show(BOXED(0), 25), "<<(unreadable)>>");
	MEMORY(HEADER(3, TERM_25_REFC_BINARY), 10, 0, 0, BASE + sizeof(words) - 2);
	words[WORDS - 1] = 0x6261000000000000ULL;
	expect_text(show(BOXED(0), 25), "<<\"ab\"(unreadable)>>");
	MEMORY(SMALL('x'), 0x7ff000000001ULL);
	expect_text(show(LIST(0), 25), "\"x\"(unreadable)");
}

/* Ends, and says that there was more. */
static void expect_cut(uint64_t term, int otp)
{
	const char *text = show(term, otp);

	cr_expect(strstr(text, "...") != NULL, "%s", text);
}

Test(term, cycles_end)
{
	MEMORY(SMALL(1), LIST(0));
	expect_cut(LIST(0), 25);
	MEMORY(SMALL('a'), LIST(0));
	expect_cut(LIST(0), 25);
	MEMORY(LIST(0), LIST(0));
	expect_cut(LIST(0), 25);
	MEMORY(HEADER(2, TERM_TUPLE), BOXED(0), BOXED(0));
	expect_cut(BOXED(0), 25);
	MEMORY(HEADER(0, TERM_25_MAP), 1, BOXED(4), BOXED(0), HEADER(1, TERM_TUPLE), BOXED(0));
	expect_cut(BOXED(0), 25);
	/* A tree whose sixteen children are it: without leaves there is no text that would end it. */
	MEMORY(2ULL << 6 | TERM_27_MAP << 2, 16, BOXED(0), BOXED(0), BOXED(0), BOXED(0), BOXED(0), BOXED(0), BOXED(0),
	       BOXED(0), BOXED(0), BOXED(0), BOXED(0), BOXED(0), BOXED(0), BOXED(0), BOXED(0), BOXED(0));
	expect_cut(BOXED(0), 27);
}

Test(term, absurd_sizes_end)
{
	MEMORY(HEADER(1ULL << 57, TERM_TUPLE), SMALL(1));
	cr_expect(show(BOXED(0), 25) != NULL);
	MEMORY(HEADER(1ULL << 57, TERM_BIG), 1);
	expect_text(show(BOXED(0), 25), "...");
	MEMORY(HEADER(2, TERM_25_HEAP_BINARY), UINT64_MAX, 0);
	expect_cut(BOXED(0), 25);
	MEMORY(HEADER(2, TERM_25_HEAP_BINARY), 1ULL << 60, 0);
	expect_cut(BOXED(0), 25);
	MEMORY(HEADER(4, TERM_27_SUB_BITS), BASE, UINT64_MAX, 8);
	cr_expect(show(BOXED(0), 27) != NULL);
	MEMORY(HEADER(0, TERM_25_MAP), UINT64_MAX, BOXED(4), SMALL(1), HEADER(1, TERM_TUPLE), ATOM(0));
	cr_expect(show(BOXED(0), 25) != NULL);
	MEMORY(HEADER(5, TERM_EXTERNAL_REF), BASE, 0, 0x100000006ULL);
	expect_text(show(BOXED(0), 25), "(unreadable)");
}

Test(term, chance_memory_is_no_trouble)
{
	static const int releases[] = { 25, 27, 29 };
	uint64_t state = 5;

	for (size_t i = 0; i < 3000; i++) {
		for (size_t n = 0; n < WORDS; n++) {
			uint64_t word = check_random(&state);

			words[n] = word % 3 ? BASE + word % sizeof(words) : word % 5 ? word % 0x4000 : word;
		}
		cr_assert(strlen(show(BASE + check_random(&state) % sizeof(words), releases[i % COUNT(releases)])) <
			  TEXT);
	}
}

Test(term, any_buffer_will_do)
{
	struct term_vm vm = vm_of(25);
	struct term_memory memory = { .vm = &vm, .read = read_words };
	char text[64];

	MEMORY(HEADER(3, TERM_TUPLE), ATOM(8), SMALL(1234567), LIST(4), SMALL('x'), LIST(6), SMALL('y'), NIL);
	for (size_t size = 1; size < sizeof(text); size++) {
		memset(text, '!', sizeof(text));
		cr_expect(eq(sz, term_format(&memory, BOXED(0), text, size), strlen(text)));
		cr_expect(text[size] == '!' && strlen(text) < size);
	}
	expect_text(text, "{\303\237x,1234567,\"xy\"}");
	term_format(&memory, BOXED(0), text, 12);
	expect_text(text, "{\303\237x,...");
}

static int read_own(const void *data, uint64_t address, void *to, size_t size)
{
	(void)data;
	return procfs_memory(getpid(), address, to, size);
}

Test(term, a_live_process_is_a_memory_too)
{
	static uint64_t live[6];
	struct term_vm vm = vm_of(27);
	struct term_memory memory = { .vm = &vm, .read = read_own };
	char text[64];
	uint64_t at = (uintptr_t)live;

	memcpy(live, (uint64_t[]){ SMALL(1), at + 17, at + 34, 9, HEADER(1, TERM_TUPLE), ATOM(0) }, sizeof(live));
	term_format(&memory, at + 1, text, sizeof(text));
	expect_text(text, "[1,{ok}|(unreadable)]");
}

static struct term_snapshot snapshot;

static void add_line(uint64_t address, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	snapshot.lines[snapshot.count++] = (struct term_line){ .address = address, .words = { a, b, c, d } };
}

static const char *show_snapshot(uint64_t term)
{
	static char text[TEXT];
	struct term_vm vm = vm_of(25);

	snapshot.term = term;
	term_format_snapshot(&vm, &snapshot, text, sizeof(text));
	return text;
}

Test(term, a_snapshot_is_shown_as_far_as_it_goes)
{
	add_line(BASE, SMALL(1), LIST(2), SMALL(2), LIST(8));
	expect_text(show_snapshot(LIST(0)), "[1,2|...]");
	add_line((BASE + 64) | TERM_LINE_FAULT, 0, 0, 0, 0);
	expect_text(show_snapshot(LIST(0)), "[1,2|(unreadable)]");
	snapshot.lines[1] = (struct term_line){ BASE + 64, { BOXED(10), NIL, HEADER(5, TERM_TUPLE), SMALL(3) } };
	expect_text(show_snapshot(LIST(0)), "[1,2,{3,...}]");
	add_line(BASE + 32, SMALL('x'), LIST(20), 0, 0);
	expect_text(show_snapshot(LIST(4)), "\"x\"...");
	expect_text(show_snapshot(LIST(40)), "...");
	/* More lines than there are. */
	snapshot.count = UINT32_MAX;
	expect_text(show_snapshot(LIST(4)), "\"x\"...");
}
