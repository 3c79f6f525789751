// SPDX-License-Identifier: BSD-2-Clause
/* The BPF functions that D programs call, each run in a program of its own: tests/bpf/d_library.bpf.c. */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <net/if_arp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "d.h"
#include "erl.h"
#include "d_library.skel.h"

#include "check.h"

#define SCRATCH 256
#define NO_TEXT "\001" /* stands for NULL, as an argument or a result */

/* Where things are in the frame: the same in the programs. */
struct library {
	struct d_library_bpf *bpf;
	size_t size, room, frame_size, scratch;
	unsigned char *frame;
	uint64_t taken; /* of the scratch, before a program runs */
};

static size_t slot(const struct library *l, int n)
{
	return sizeof(struct d_frame) + (size_t)n * l->room;
}

/* Loops are of two kinds, as the kernel has them: both are tested. */
static bool kernel_has_loop(void)
{
	return libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_loop, NULL) == 1;
}

static void open_library_with(struct library *l, size_t strsize, bool with_loop)
{
	struct bpf_program *program;

	l->taken = 0;
	if (geteuid() != 0)
		cr_skip_test("needs root");
	libbpf_set_print(NULL);
	l->size = strsize;
	l->room = (strsize + 8) / 8 * 8;
	l->scratch = slot(l, 6) + 512;
	l->bpf = d_library_bpf__open();
	cr_assert(ne(ptr, l->bpf, NULL));
	bpf_object__for_each_program(program, l->bpf->obj)
		bpf_program__set_type(program, BPF_PROG_TYPE_RAW_TRACEPOINT);
	l->bpf->rodata->d_string_size = strsize;
	l->bpf->rodata->d_string_room = l->room;
	l->bpf->rodata->d_scratch_offset = l->scratch;
	l->bpf->rodata->d_scratch_size = SCRATCH;
	l->bpf->rodata->d_work_offset = l->scratch + SCRATCH;
	l->bpf->rodata->d_has_loop = with_loop;
	l->frame_size = l->scratch + SCRATCH + d_work_size(l->room);
	l->frame = calloc(1, l->frame_size);
	bpf_map__set_value_size(l->bpf->maps.frames, (__u32)l->frame_size);
}

static void open_library(struct library *l, size_t strsize)
{
	open_library_with(l, strsize, kernel_has_loop());
}

/* Some of the programs, by their names: all would take the verifier seconds. */
static void load_library(struct library *l, const char *names)
{
	struct bpf_program *program;
	char *copy = strdup(names), *rest = copy, *name;

	bpf_object__for_each_program(program, l->bpf->obj)
		bpf_program__set_autoload(program, false);
	while ((name = strsep(&rest, " ")))
		bpf_program__set_autoload(bpf_object__find_program_by_name(l->bpf->obj, name), true);
	free(copy);
	cr_assert(eq(int, d_library_bpf__load(l->bpf), 0), "strsize %zu", l->size);
}

static void close_library(struct library *l)
{
	d_library_bpf__destroy(l->bpf);
	free(l->frame);
}

static struct d_frame *head(struct library *l)
{
	return (struct d_frame *)(void *)l->frame;
}

static void set_string(struct library *l, int n, const char *text)
{
	char *to = (char *)l->frame + slot(l, n);

	memset(to, 0, l->room);
	if (!strcmp(text, NO_TEXT))
		to[l->room - 1] = 1;
	else
		strncpy(to, text, l->size);
}

/* Runs it with the frame, which is then what it left. */
static uint64_t run(struct library *l, struct bpf_program *program)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);
	__u32 zero = 0;
	int map = bpf_map__fd(l->bpf->maps.frames);

	head(l)->fault = 0;
	head(l)->scratch_used = l->taken;
	cr_assert(eq(int, bpf_map_update_elem(map, &zero, l->frame, 0), 0));
	cr_assert(eq(int, bpf_prog_test_run_opts(bpf_program__fd(program), &options), 0));
	cr_assert(eq(int, bpf_map_lookup_elem(map, &zero, l->frame), 0));
	return head(l)->args[9];
}

static uint64_t run_with(struct library *l, struct bpf_program *program, uint64_t a, uint64_t b, uint64_t c)
{
	head(l)->args[0] = a;
	head(l)->args[1] = b;
	head(l)->args[2] = c;
	return run(l, program);
}

static uint64_t run_strings(struct library *l, struct bpf_program *program, const char *a, const char *b)
{
	set_string(l, 0, "what was there before, which has to go");
	set_string(l, 1, a);
	set_string(l, 2, b);
	set_string(l, 3, "after it");
	return run(l, program);
}

/* The string in slot 0; it has zeros up to the end, and so have the others what they had. */
static const char *result(struct library *l, const char *about)
{
	const char *text = (const char *)l->frame + slot(l, 0);
	size_t length = strnlen(text, l->room);

	cr_expect(le(sz, length, l->size), "%s: too long", about);
	for (size_t i = length; i < l->room - 1; i++)
		cr_assert(eq(chr, text[i], '\0'), "%s: %s: byte %zu of %zu is not 0", about, text, i, l->room);
	return text[l->room - 1] ? NO_TEXT : text;
}

#define EXPECT_RESULT(l, wanted, about) expect_text(result(l, about), wanted, "%s, strsize %zu", about, (l)->size)

/* Cut to strsize, as every string is. */
static char *cut(const struct library *l, const char *text)
{
	static char kept[16384];

	snprintf(kept, sizeof(kept), "%.*s", (int)l->size, text);
	return kept;
}

static const size_t sizes[] = { 16, 256, 1024 };

/* With each kind of loops that the kernel has: i_ % 2. */
static bool open_size(struct library *l, size_t i, const char *names)
{
	if (i / 2 >= COUNT(sizes))
		return false;
	open_library_with(l, sizes[i / 2], i % 2);
	load_library(l, names);
	return true;
}

#define FOR_EACH_SIZE(l, names)                                                                                        \
	for (size_t i_ = 0; open_size(l, i_, names); close_library(l), i_ += 1 + !kernel_has_loop())

/* --- Strings ------------------------------------------------------------------------------------- */

static const char long_text[] = "0123456789abcdefghijklmnopqrstuvwxyz, 0123456789abcdefghijklmnopqrstuvwxyz, "
				"0123456789abcdefghijklmnopqrstuvwxyz, "
				"0123456789abcdefghijklmnopqrstuvwxyz, 0123456789abcdefghijklmnopqrstuvwxyz, "
				"0123456789abcdefghijklmnopqrstuvwxyz, "
				"0123456789abcdefghijklmnopqrstuvwxyz, 0123456789abcdefghijklmnopqrstuvwxyz, "
				"0123456789abcdefghijklmnopqrstuvwxyz, ";

Test(d_library, strings_of_the_process_are_copied_and_cut)
{
	static const char *const texts[] = {
		"", "a", "1234567", "12345678", "123456789012345", "1234567890123456", "12345678901234567", long_text
	};
	struct library l;

	FOR_EACH_SIZE(&l, "copyinstr copyinstr_n")
	{
		for (size_t i = 0; i < COUNT(texts); i++) {
			memset(l.frame + slot(&l, 0), 'x', l.room);
			run_with(&l, l.bpf->progs.copyinstr, (uint64_t)(uintptr_t)texts[i], 0, 0);
			EXPECT_RESULT(&l, cut(&l, texts[i]), texts[i]);
			cr_expect(eq(u64, head(&l)->fault, 0));
			run_with(&l, l.bpf->progs.copyinstr_n, (uint64_t)(uintptr_t)texts[i], 5, 0);
			cr_expect(eq(int, strncmp(result(&l, texts[i]), texts[i], 5), 0));
			cr_expect(le(sz, strlen(result(&l, texts[i])), 5));
		}
		run_with(&l, l.bpf->progs.copyinstr, 0x10, 0, 0);
		cr_expect(eq(u64, head(&l)->fault, D_FAULT_BADADDR));
		cr_expect(eq(u64, head(&l)->fault_value, 0x10));
		EXPECT_RESULT(&l, "", "a bad address");
	}
}

/* A record in the strings' places: a field, and texts behind it. */
static void begin_record(struct library *l)
{
	memset(l->frame + slot(l, 0), 'x', 4 * l->room);
	head(l)->record_size = 8;
}

/* The record's last text; `before` is where the record ended. */
static void expect_in_record(struct library *l, uint64_t before, const char *wanted)
{
	const unsigned char *record = l->frame + slot(l, 0);
	uint32_t place[2];

	memcpy(place, record, sizeof(place));
	cr_expect(eq(u64, place[0], before), "%s", wanted);
	cr_expect(eq(u64, place[1], strlen(wanted)), "%s", wanted);
	cr_expect(eq(int, memcmp(record + place[0], wanted, strlen(wanted)), 0), "%s", wanted);
	cr_expect(eq(u64, head(l)->record_size, before + strlen(wanted)), "%s", wanted);
}

Test(d_library, texts_are_made_in_a_record_one_behind_the_other)
{
	static const char *const texts[] = { "", "a", "1234567", "12345678", "1234567890123456", long_text };
	struct library l;

	FOR_EACH_SIZE(&l, "record_copyinstr record_copyinstr_n record_execname")
	{
		for (size_t i = 0; i < COUNT(texts); i++) {
			uint64_t address = (uint64_t)(uintptr_t)texts[i], end = 8 + strlen(cut(&l, texts[i]));

			begin_record(&l);
			run_with(&l, l.bpf->progs.record_copyinstr, address, 0, 0);
			expect_in_record(&l, 8, cut(&l, texts[i]));
			run_with(&l, l.bpf->progs.record_copyinstr_n, (uint64_t)(uintptr_t) "abcdefg", 5, 0);
			expect_in_record(&l, end, "abcde");
			run_with(&l, l.bpf->progs.record_copyinstr_n, address, 0, 0);
			expect_in_record(&l, end + 5, "");
			cr_expect(eq(u64, head(&l)->fault, 0));
			cr_expect(eq(int, memcmp(l.frame + slot(&l, 0) + 8, texts[i], end - 8), 0), "what was before");
		}
		begin_record(&l);
		run_with(&l, l.bpf->progs.record_copyinstr, 0x10, 0, 0);
		cr_expect(eq(u64, head(&l)->fault, D_FAULT_BADADDR));
		cr_expect(eq(u64, head(&l)->fault_value, 0x10));
		begin_record(&l);
		run(&l, l.bpf->progs.record_execname);
		cr_expect(gt(u64, head(&l)->record_size, 8));
		cr_expect(le(u64, head(&l)->record_size, 8 + 15));
	}
}

Test(d_library, lengths_and_orders)
{
	static const struct {
		const char *a, *b;
		int order;
	} rows[] = {
		{ "", "", 0 },
		{ "a", "", 1 },
		{ "", "a", -1 },
		{ "abc", "abd", -1 },
		{ "abcdefgh1", "abcdefgh2", -1 },
		{ "b", "aaaaaaaaaaaa", 1 },
		{ "12345678", "12345678", 0 },
		{ "\xff", "a", 1 },
		{ NO_TEXT, "", 0 },
		{ NO_TEXT, "a", -1 },
		{ "1234567890123456", "1234567890123456", 0 },
		{ "1234567890123456", "123456789012345", 1 },
	};
	struct library l;

	FOR_EACH_SIZE(&l, "strcmp_ strlen_")
	{
		for (size_t i = 0; i < COUNT(rows); i++) {
			cr_expect(eq(i64, (int64_t)run_strings(&l, l.bpf->progs.strcmp_, rows[i].a, rows[i].b),
				     rows[i].order),
				  "%s %s", rows[i].a, rows[i].b);
			if (strcmp(rows[i].a, NO_TEXT))
				cr_expect(eq(u64, run_strings(&l, l.bpf->progs.strlen_, rows[i].a, ""),
					     strlen(rows[i].a)));
		}
		cr_expect(eq(u64, run_strings(&l, l.bpf->progs.strlen_, long_text, ""), strlen(cut(&l, long_text))));
		run_strings(&l, l.bpf->progs.strlen_, NO_TEXT, "");
		cr_expect(eq(u64, head(&l)->fault, D_FAULT_BADADDR));
	}
}

Test(d_library, strings_are_joined_and_cut)
{
	static const char *const texts[] = { "", "a", "1234567", "12345678", "lists", "1234567890123456", long_text };
	struct library l;
	char both[2048];

	FOR_EACH_SIZE(&l, "strjoin")
	{
		for (size_t i = 0; i < COUNT(texts) * COUNT(texts); i++) {
			const char *a = texts[i / COUNT(texts)], *b = texts[i % COUNT(texts)];

			snprintf(both, sizeof(both), "%.*s%.*s", (int)l.size, a, (int)l.size, b);
			run_strings(&l, l.bpf->progs.strjoin, a, b);
			EXPECT_RESULT(&l, cut(&l, both), both);
		}
		run_strings(&l, l.bpf->progs.strjoin, "a", NO_TEXT);
		cr_expect(eq(u64, head(&l)->fault, D_FAULT_BADADDR));
	}
}

Test(d_library, parts_of_strings_count_from_both_ends)
{
	static const struct {
		const char *text;
		int64_t from, size;
		const char *part;
	} rows[] = {
		{ "abcdef", 0, 3, "abc" }, { "abcdef", 2, 3, "cde" },	     { "abcdef", 2, 100, "cdef" },
		{ "abcdef", 6, 3, "" },	   { "abcdef", 7, 3, "" },	     { "abcdef", -2, 3, "ef" },
		{ "abcdef", -6, 2, "ab" }, { "abcdef", -8, 4, "ab" },	     { "abcdef", -8, 2, "" },
		{ "abcdef", -8, 1, "" },   { "abcdef", 1, -1, "bcde" },	     { "abcdef", -3, -1, "de" },
		{ "abcdef", 1, -10, "" },  { "abcdef", 3, 0, "" },	     { "", 0, 5, "" },
		{ "", -1, 5, "" },	   { "abcdef", INT64_MIN, 100, "" }, { "abcdef", 1, INT64_MAX, "bcdef" },
	};
	struct library l;

	FOR_EACH_SIZE(&l, "substr_n substr")
	{
		for (size_t i = 0; i < COUNT(rows); i++) {
			head(&l)->args[0] = (uint64_t)rows[i].from;
			head(&l)->args[1] = (uint64_t)rows[i].size;
			run_strings(&l, l.bpf->progs.substr_n, rows[i].text, "");
			expect_text(result(&l, rows[i].text), rows[i].part, "%s %ld %ld", rows[i].text,
				    (long)rows[i].from, (long)rows[i].size);
			if (rows[i].size < 100)
				continue;
			head(&l)->args[0] = (uint64_t)rows[i].from;
			run_strings(&l, l.bpf->progs.substr, rows[i].text, "");
			EXPECT_RESULT(&l, rows[i].part, rows[i].text);
		}
	}
}

/* Perl's, as DTrace's. */
static int64_t index_of(const char *s, const char *sub, int64_t from, bool backwards)
{
	int64_t length = (int64_t)strlen(s), wanted = (int64_t)strlen(sub);

	if (!wanted)
		return from < 0 ? 0 : from > length ? length : from;
	if (backwards) {
		for (int64_t at = from < length ? from : length; at >= 0; at--)
			if (!strncmp(s + at, sub, (size_t)wanted))
				return at;
		return -1;
	}
	for (int64_t at = from < 0 ? 0 : from; at < length; at++)
		if (!strncmp(s + at, sub, (size_t)wanted))
			return at;
	return -1;
}

Test(d_library, strings_are_found_in_strings)
{
	static const char *const texts[] = { "",
					     "a",
					     "ab",
					     "aaaaaaaa",
					     "aaaaaaaab",
					     "abcabcabcabcabc",
					     "lists:seq/2",
					     "bcbcbc",
					     "the quick brown fox jumps over the lazy dog",
					     long_text };
	static const char *const parts[] = {
		"",	     "a",     "b",	"ab",	     "aab",	 "abc",	 "c",
		":",	     "/",     "seq",	"aaaaaaaab", "lazy dog", "dogs", "jumps over the lazy dog",
		"abcabcabc", "xyz, ", long_text
	};
	static const int64_t places[] = { 0, 1, 3, 7, 8, 15, 16, 200, -1, 1000, INT32_MAX };
	struct library l;
	char s[2048], sub[2048];

	FOR_EACH_SIZE(&l, "index_ rindex_ strstr_ index_n rindex_n")
	{
		for (size_t i = 0; i < COUNT(texts) * COUNT(parts); i++) {
			const char *found;

			strcpy(s, cut(&l, texts[i / COUNT(parts)]));
			strcpy(sub, cut(&l, parts[i % COUNT(parts)]));
			cr_expect(eq(i64, (int64_t)run_strings(&l, l.bpf->progs.index_, s, sub),
				     index_of(s, sub, 0, false)),
				  "%s %s", s, sub);
			cr_expect(eq(i64, (int64_t)run_strings(&l, l.bpf->progs.rindex_, s, sub),
				     index_of(s, sub, INT32_MAX, true)),
				  "%s %s", s, sub);
			found = strstr(s, sub);
			run_strings(&l, l.bpf->progs.strstr_, s, sub);
			EXPECT_RESULT(&l, found ? found : NO_TEXT, sub);
			for (size_t p = 0; p < COUNT(places); p++) {
				head(&l)->args[0] = (uint64_t)places[p];
				cr_expect(eq(i64, (int64_t)run_strings(&l, l.bpf->progs.index_n, s, sub),
					     index_of(s, sub, places[p], false)),
					  "%s %s %ld", s, sub, (long)places[p]);
				head(&l)->args[0] = (uint64_t)places[p];
				cr_expect(eq(i64, (int64_t)run_strings(&l, l.bpf->progs.rindex_n, s, sub),
					     places[p] < 0 && *sub ? -1 : index_of(s, sub, places[p], true)),
					  "%s %s %ld", s, sub, (long)places[p]);
			}
		}
	}
}

Test(d_library, characters_are_found_in_strings)
{
	static const char *const texts[] = { "",       "a", "banana", "xxxxxxxxa", "12345678a12345a8a", "\x01\x80\xff",
					     long_text };
	static const char letters[] = "abn8x\x01\x80\xff";
	struct library l;
	char s[2048];

	FOR_EACH_SIZE(&l, "strchr_ strrchr_")
	{
		for (size_t i = 0; i < COUNT(texts) * sizeof(letters); i++) {
			char c = letters[i % sizeof(letters)];
			const char *found;

			strcpy(s, cut(&l, texts[i / sizeof(letters)]));
			head(&l)->args[0] = (uint64_t)(int64_t)c;
			run_strings(&l, l.bpf->progs.strchr_, s, "");
			found = strchr(s, c);
			EXPECT_RESULT(&l, found ? found : NO_TEXT, s);
			head(&l)->args[0] = (uint64_t)(int64_t)c;
			run_strings(&l, l.bpf->progs.strrchr_, s, "");
			found = strrchr(s, c);
			EXPECT_RESULT(&l, found ? found : NO_TEXT, s);
		}
	}
}

Test(d_library, letters_change_their_case)
{
	struct library l;

	FOR_EACH_SIZE(&l, "toupper_ tolower_")
	{
		run_strings(&l, l.bpf->progs.toupper_, "aZ@[`{\xe4 mnoz", "");
		EXPECT_RESULT(&l, "AZ@[`{\xe4 MNOZ", "toupper");
		run_strings(&l, l.bpf->progs.tolower_, "aZ@[`{\xc4 MNOA", "");
		EXPECT_RESULT(&l, "az@[`{\xc4 mnoa", "tolower");
	}
}

Test(d_library, strtok_gives_one_word_after_another)
{
	static const struct {
		const char *text, *delimiters;
		const char *words[5];
	} rows[] = {
		{ "lists:seq/2", ":/", { "lists", "seq", "2" } },
		{ "", ",", { NULL } },
		{ ",,,", ",", { NULL } },
		{ ",a,,b,", ",", { "a", "b" } },
		{ "one word", "", { "one word" } },
		{ "a b\tc", " \t", { "a", "b", "c" } },
		{ "1234567890123456", "8", { "1234567", "90123456" } },
	};
	struct library l;

	FOR_EACH_SIZE(&l, "strtok_more strtok_")
	{
		run_strings(&l, l.bpf->progs.strtok_more, "", ",");
		EXPECT_RESULT(&l, NO_TEXT, "nothing to go on with");
		for (size_t i = 0; i < COUNT(rows); i++) {
			struct bpf_program *program = l.bpf->progs.strtok_;

			for (size_t n = 0; n < COUNT(rows[i].words); n++) {
				run_strings(&l, program, rows[i].text, rows[i].delimiters);
				EXPECT_RESULT(&l, rows[i].words[n] ? rows[i].words[n] : NO_TEXT, rows[i].text);
				if (!rows[i].words[n])
					break;
				program = l.bpf->progs.strtok_more;
			}
		}
	}
}

/* --- Numbers, paths, JSON, addresses ---------------------------------------------------------------- */

Test(d_library, numbers_become_texts)
{
	static const struct {
		int64_t number;
		uint64_t base;
		const char *text;
	} rows[] = {
		{ 0, 10, "0" },
		{ 7, 10, "7" },
		{ -7, 10, "-7" },
		{ INT64_MIN, 10, "-9223372036854775808" },
		{ INT64_MAX, 10, "9223372036854775807" },
		{ 255, 16, "0xff" },
		{ 0, 16, "0x0" },
		{ 8, 8, "010" },
		{ 0, 8, "0" },
		{ 5, 2, "101" },
		{ 35, 36, "z" },
		{ -1, 16, "0xffffffffffffffff" },
		{ 0, 2, "0" },
		{ -1, 2, "1111111111111111111111111111111111111111111111111111111111111111" },
		{ -1, 8, "01777777777777777777777" },
	};
	struct library l;

	FOR_EACH_SIZE(&l, "lltostr_n lltostr")
	{
		for (size_t i = 0; i < COUNT(rows); i++) {
			run_with(&l, l.bpf->progs.lltostr_n, (uint64_t)rows[i].number, rows[i].base, 0);
			EXPECT_RESULT(&l, cut(&l, rows[i].text), rows[i].text);
			if (rows[i].base != 10)
				continue;
			run_with(&l, l.bpf->progs.lltostr, (uint64_t)rows[i].number, 0, 0);
			EXPECT_RESULT(&l, cut(&l, rows[i].text), rows[i].text);
		}
		run_with(&l, l.bpf->progs.lltostr_n, 1, 37, 0);
		cr_expect(eq(u64, head(&l)->fault, D_FAULT_ILLOP));
	}
}

Test(d_library, texts_become_numbers)
{
	static const struct {
		const char *text;
		uint64_t base;
		int64_t number;
	} rows[] = {
		{ "", 10, 0 },		 { "42", 10, 42 },
		{ "-42", 10, -42 },	 { "+42x", 10, 42 },
		{ "  \t 42 7", 10, 42 }, { "x", 10, 0 },
		{ "ff", 16, 255 },	 { "0xFf", 16, 255 },
		{ "-0x10", 16, -16 },	 { "101", 2, 5 },
		{ "102", 2, 2 },	 { "zz", 36, 35 * 37 },
		{ "777", 8, 511 },	 { "123456789012345", 10, 123456789012345 },
	};
	struct library l;

	FOR_EACH_SIZE(&l, "strtoll_n strtoll_")
	{
		for (size_t i = 0; i < COUNT(rows); i++) {
			head(&l)->args[0] = rows[i].base;
			cr_expect(eq(i64, (int64_t)run_strings(&l, l.bpf->progs.strtoll_n, rows[i].text, ""),
				     rows[i].number),
				  "%s", rows[i].text);
			if (rows[i].base == 10)
				cr_expect(eq(i64, (int64_t)run_strings(&l, l.bpf->progs.strtoll_, rows[i].text, ""),
					     rows[i].number));
		}
	}
}

Test(d_library, paths_are_taken_apart)
{
	static const struct {
		const char *path, *base, *directory, *clean;
	} rows[] = {
		{ "", ".", ".", "" },
		{ "/", "/", "/", "/" },
		{ "//", "/", "/", "/" },
		{ "a", "a", ".", "a" },
		{ "/a", "a", "/", "/a" },
		{ "a/b", "b", "a", "a/b" },
		{ "/a/b", "b", "/a", "/a/b" },
		{ "/a/b/", "b", "/a", "/a/b" },
		{ "//a//b//", "b", "//a", "/a/b" },
		{ "/a/./b/../c", "c", "/a/./b/..", "/a/c" },
		{ "/a/..", "..", "/a", "/" },
		{ "/a/b/..", "..", "/a/b", "/a" },
		{ "/..", "..", "/", "/" },
		{ "/../a", "a", "/..", "/a" },
		{ "/a.b/..c", "..c", "/a.b", "/a.b/..c" },
		{ "/a/.b/...", "...", "/a/.b", "/a/.b/..." },
		{ "/.a", ".a", "/", "/.a" },
		{ "a/../b", "b", "a/..", "b" },
		{ "/a/b/c/../../d", "d", "/a/b/c/../..", "/a/d" },
		{ "/a/.", ".", "/a", "/a" },
		{ ".", ".", ".", "." },
		{ "..", "..", ".", ".." },
		{ "./a", "a", ".", "a" },
		{ "a/", "a", ".", "a" },
		{ "a/..", "..", "a", "." },
		{ "../..", "..", "..", "../.." },
		{ "../../a/../..", "..", "../../a/..", "../../.." },
		{ "a/../../b", "b", "a/../..", "../b" },
		{ "/a/b/../../../c", "c", "/a/b/../../..", "/c" },
	};
	struct library l;

	FOR_EACH_SIZE(&l, "basename_ dirname_ cleanpath")
	{
		for (size_t i = 0; i < COUNT(rows); i++) {
			run_strings(&l, l.bpf->progs.basename_, rows[i].path, "");
			EXPECT_RESULT(&l, rows[i].base, rows[i].path);
			run_strings(&l, l.bpf->progs.dirname_, rows[i].path, "");
			EXPECT_RESULT(&l, rows[i].directory, rows[i].path);
			run_strings(&l, l.bpf->progs.cleanpath, rows[i].path, "");
			EXPECT_RESULT(&l, rows[i].clean, rows[i].path);
		}
		run_strings(&l, l.bpf->progs.cleanpath, long_text, "");
		EXPECT_RESULT(&l, cut(&l, long_text), "a long path");
	}
}

Test(d_library, json_gives_what_a_path_names)
{
	static const struct {
		const char *text, *path, *value;
	} rows[] = {
		{ "{\"a\":1}", "a", "1" },
		{ "{\"a\":\"x y\"}", "a", "x y" },
		{ "{\"a\":\"\"}", "a", "" },
		{ "{ \"a\" : [ 1, 2, {\"b\": true} ] }", "a[2].b", "true" },
		{ "{\"a\":1,\"b\":-2.5e3}", "b", "-2.5e3" },
		{ "{\"a\":{\"b\":{\"c\":null}}}", "a.b.c", "null" },
		{ "{\"a\":{\"b\":{\"c\":null}}}", "a.b", "{\"c\":null}" },
		{ "{\"a\":{\"c\":0},\"c\":1}", "c", "1" },
		{ "[1,[2,3],4]", "[1][0]", "2" },
		{ "[1,[2,3],4]", "[2]", "4" },
		{ "[1,[2,3],4]", "[1]", "[2,3]" },
		{ "[1,[2,3],4]", "[3]", NO_TEXT },
		{ "{\"a\":1}", "b", NO_TEXT },
		{ "{\"ab\":1,\"a\":2}", "a", "2" },
		{ "{\"a\":1}", "ab", NO_TEXT },
		{ "{\"a\":\"q\\\"}\",\"b\":3}", "b", "3" },
		{ "{\"a\":\"q\\\"}\",\"b\":3}", "a", "q\\\"}" },
		{ "{\"a\":1}", "a.b", NO_TEXT },
		{ "", "a", NO_TEXT },
		{ "x", "a", NO_TEXT },
		{ "{\"a\":\"x\",\"b\":[\"{\",\"]\"],\"c\":7}", "c", "7" },
		{ "{\"a\":[]}", "a", "[]" },
		{ "{\"a\":[]}", "a[0]", NO_TEXT },
		{ "{\"10\":\"x\",\"b\":[{\"c\":1},{\"c\":22}]}", "b[1].c", "22" },
		{ "{\"a\":tru", "a", NO_TEXT },
		{ "[0,1,2,3,4,5,6,7,8,9,10,11,12]", "[12]", "12" },
	};
	struct library l;

	FOR_EACH_SIZE(&l, "json")
	{
		for (size_t i = 0; i < COUNT(rows); i++) {
			if (strlen(rows[i].text) > l.size)
				continue;
			run_strings(&l, l.bpf->progs.json, rows[i].text, rows[i].path);
			expect_text(result(&l, rows[i].text), rows[i].value, "%s in %s", rows[i].path, rows[i].text);
		}
	}
}

Test(d_library, addresses_of_networks_become_texts)
{
	static const char *const texts[] = { "::",
					     "::1",
					     "1::",
					     "fe80::1",
					     "2001:db8::1:0:0:1",
					     "1:2:3:4:5:6:7:8",
					     "::ffff:1.2.3.4",
					     "1:0:3:4:5:6:7:8",
					     "ffff::",
					     "0:0:3::",
					     "::2:3:4:5:6:7:8",
					     "1:2:3:4:5:6:7::",
					     "::1.2.3.4" };
	struct library l;
	uint64_t scratch;

	open_library(&l, 256);
	load_library(&l, "alloca_ inet_ntoa6 inet_ntop_ inet_ntoa_ link_ntop htons_ htonl_ htonll getmajor getminor");
	scratch = run_with(&l, l.bpf->progs.alloca_, 64, 0, 0);
	for (size_t i = 0; i < COUNT(texts); i++) {
		char text[INET6_ADDRSTRLEN];

		cr_assert(eq(int, inet_pton(AF_INET6, texts[i], l.frame + l.scratch), 1));
		inet_ntop(AF_INET6, l.frame + l.scratch, text, sizeof(text));
		run_with(&l, l.bpf->progs.inet_ntoa6, scratch, 1, 0);
		EXPECT_RESULT(&l, text, texts[i]);
		run_with(&l, l.bpf->progs.inet_ntop_, AF_INET6, scratch, 0);
		EXPECT_RESULT(&l, text, texts[i]);
	}
	memcpy(l.frame + l.scratch, "\x7f\x00\x01\xff", 4);
	run_with(&l, l.bpf->progs.inet_ntoa_, scratch, 0, 0);
	EXPECT_RESULT(&l, "127.0.1.255", "inet_ntoa");
	run_with(&l, l.bpf->progs.inet_ntop_, AF_INET, scratch, 0);
	EXPECT_RESULT(&l, "127.0.1.255", "inet_ntop");
	run_with(&l, l.bpf->progs.inet_ntop_, 99, scratch, 0);
	cr_expect(eq(u64, head(&l)->fault, D_FAULT_ILLOP));
	memcpy(l.frame + l.scratch, "\x02\x42\xac\x11\x00\xf2\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\xff",
	       20);
	run_with(&l, l.bpf->progs.link_ntop, ARPHRD_ETHER, scratch, 0);
	EXPECT_RESULT(&l, "02:42:ac:11:00:f2", "Ethernet");
	run_with(&l, l.bpf->progs.link_ntop, ARPHRD_INFINIBAND, scratch, 0);
	EXPECT_RESULT(&l, "02:42:ac:11:00:f2:01:02:03:04:05:06:07:08:09:0a:0b:0c:0d:ff", "InfiniBand");
	run_with(&l, l.bpf->progs.link_ntop, ARPHRD_ETHER, 8, 0);
	cr_expect(eq(u64, head(&l)->fault, D_FAULT_BADADDR));
	run_with(&l, l.bpf->progs.link_ntop, 99, scratch, 0);
	cr_expect(eq(u64, head(&l)->fault, D_FAULT_ILLOP));
	cr_expect(eq(u64, run_with(&l, l.bpf->progs.htons_, 0x0102, 0, 0), 0x0201));
	cr_expect(eq(u64, run_with(&l, l.bpf->progs.htonl_, 0x01020304, 0, 0), 0x04030201));
	cr_expect(eq(u64, run_with(&l, l.bpf->progs.htonll, 0x0102030405060708, 0, 0), 0x0807060504030201));
	cr_expect(eq(u64, run_with(&l, l.bpf->progs.getmajor, 8 << 20 | 1, 0, 0), 8));
	cr_expect(eq(u64, run_with(&l, l.bpf->progs.getminor, 8 << 20 | 1, 0, 0), 1));
	close_library(&l);
}

/* --- Memory, stacks, speculations -------------------------------------------------------------------- */

Test(d_library, memory_is_taken_copied_loaded_and_stored)
{
	/* In memory for sure: a page of constants that nobody has read yet is not. */
	const char there[] = "12345678abcdefgh";
	uint64_t here = (uint64_t)(uintptr_t)there, address;
	struct library l;

	open_library(&l, 256);
	load_library(&l, "alloca_ copyin copyinto bcopy_ load8 load4 load2_signed load1_signed store8 store2 stringof");
	memset(l.frame + l.scratch, 'x', SCRATCH);
	address = run_with(&l, l.bpf->progs.alloca_, 16, 0, 0);
	cr_expect(eq(u64, head(&l)->fault, 0));
	cr_expect(eq(u64, head(&l)->scratch_used, 16));
	cr_expect(eq(int, memcmp(l.frame + l.scratch, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0x", 17), 0));
	run_with(&l, l.bpf->progs.alloca_, SCRATCH + 1, 0, 0);
	cr_expect(eq(u64, head(&l)->fault, D_FAULT_NOSCRATCH));

	cr_expect(eq(u64, run_with(&l, l.bpf->progs.copyin, here, 16, 0), address));
	cr_expect(eq(int, memcmp(l.frame + l.scratch, there, 16), 0));
	run_with(&l, l.bpf->progs.copyin, 8, 16, 0);
	cr_expect(eq(u64, head(&l)->fault, D_FAULT_BADADDR));

	l.taken = SCRATCH;
	run_with(&l, l.bpf->progs.copyinto, here, 3, address + SCRATCH - 3);
	cr_expect(eq(u64, head(&l)->fault, 0));
	cr_expect(eq(int, memcmp(l.frame + l.scratch + SCRATCH - 3, there, 3), 0));
	run_with(&l, l.bpf->progs.copyinto, here, 3, address + SCRATCH - 2);
	cr_expect(eq(u64, head(&l)->fault, D_FAULT_BADADDR));
	run_with(&l, l.bpf->progs.copyinto, here, 3, address - 1);
	cr_expect(eq(u64, head(&l)->fault, D_FAULT_BADADDR));

	memcpy(l.frame + l.scratch, there, 16);
	run_with(&l, l.bpf->progs.bcopy_, address, address + 32, 16);
	cr_expect(eq(int, memcmp(l.frame + l.scratch + 32, there, 16), 0));

	memcpy(l.frame + l.scratch, "\xfe\xff\xff\xff\xff\xff\xff\x7f", 8);
	cr_expect(eq(u64, run_with(&l, l.bpf->progs.load8, address, 0, 0), 0x7ffffffffffffffe));
	cr_expect(eq(u64, run_with(&l, l.bpf->progs.load4, address, 0, 0), 0xfffffffe));
	cr_expect(eq(i64, (int64_t)run_with(&l, l.bpf->progs.load2_signed, address, 0, 0), -2));
	cr_expect(eq(i64, (int64_t)run_with(&l, l.bpf->progs.load1_signed, address, 0, 0), -2));
	run_with(&l, l.bpf->progs.load8, 0, 0, 0);
	cr_expect(eq(u64, head(&l)->fault, D_FAULT_BADADDR));

	run_with(&l, l.bpf->progs.store8, address + 8, 0x1122334455667788, 0);
	run_with(&l, l.bpf->progs.store2, address + 8, 0xaaaabbbb, 0);
	cr_expect(eq(int, memcmp(l.frame + l.scratch + 8, "\xbb\xbb\x66\x55\x44\x33\x22\x11", 8), 0));
	run_with(&l, l.bpf->progs.store8, address + SCRATCH - 7, 1, 0);
	cr_expect(eq(u64, head(&l)->fault, D_FAULT_BADADDR));
	run_with(&l, l.bpf->progs.store8, here, 1, 0);
	cr_expect(eq(u64, head(&l)->fault, D_FAULT_BADADDR));

	set_string(&l, 1, "of this kernel");
	run(&l, l.bpf->progs.stringof);
	EXPECT_RESULT(&l, "of this kernel", "stringof");
	close_library(&l);
}

Test(d_library, stacks_are_recorded)
{
	struct library l;
	uint64_t *field;

	open_library(&l, 256);
	load_library(&l, "ustack ustackdepth stack stackdepth caller");
	field = (uint64_t *)(void *)(l.frame + slot(&l, 4));
	run(&l, l.bpf->progs.ustack);
	cr_expect(eq(u64, field[0] >> 32, (uint64_t)getpid()));
	cr_expect(gt(u64, (uint32_t)field[0], 0));
	cr_expect(le(u64, (uint32_t)field[0], 20));
	cr_expect(ne(u64, field[1], 0));
	cr_expect(gt(u64, run(&l, l.bpf->progs.ustackdepth), 0));
	run(&l, l.bpf->progs.stack);
	cr_expect(eq(u64, field[0] >> 32, 0));
	cr_expect(gt(u64, run(&l, l.bpf->progs.stackdepth), 1));
	cr_expect(ne(u64, run(&l, l.bpf->progs.caller), 0));
	close_library(&l);
}

/* Of all CPUs. */
static void read_drops(struct library *l, struct d_drops *drops)
{
	size_t cpus = (size_t)libbpf_num_possible_cpus();
	struct d_drops *each = calloc(cpus, sizeof(*each));
	__u32 first = 0;

	*drops = (struct d_drops){};
	cr_assert(eq(int, bpf_map_lookup_elem(bpf_map__fd(l->bpf->maps.d_drops), &first, each), 0));
	for (size_t i = 0; i < cpus; i++) {
		drops->speculations_unavailable += each[i].speculations_unavailable;
		drops->speculations_busy += each[i].speculations_busy;
	}
	free(each);
}

Test(d_library, a_speculation_is_one_clauses_until_it_is_dealt_with)
{
	struct library l;
	uint64_t free_again = D_SPECULATION_FREE;
	__u32 first = 0;
	struct d_drops drops;

	open_library(&l, 256);
	l.bpf->rodata->d_speculation_count = 2;
	bpf_map__set_max_entries(l.bpf->maps.d_speculations, 2);
	bpf_map__set_max_entries(l.bpf->maps.d_speculation_users, 2);
	load_library(&l, "speculate speculation commit");
	cr_expect(eq(u64, run_with(&l, l.bpf->progs.speculate, 1, 0, 0), 0));
	cr_expect(eq(u64, run(&l, l.bpf->progs.speculation), 1));
	cr_expect(eq(u64, run(&l, l.bpf->progs.speculation), 2));
	cr_expect(eq(u64, run(&l, l.bpf->progs.speculation), 0));
	cr_expect(eq(u64, run_with(&l, l.bpf->progs.speculate, 1, 0, 0), 1));
	cr_expect(eq(u64, head(&l)->speculation, 1));
	cr_expect(eq(u64, run_with(&l, l.bpf->progs.speculate, 0, 0, 0), 0));
	cr_expect(eq(u64, run_with(&l, l.bpf->progs.speculate, 3, 0, 0), 0));
	run_with(&l, l.bpf->progs.commit, 1, 0, 0);
	cr_expect(eq(u64, run_with(&l, l.bpf->progs.speculate, 1, 0, 0), 0));
	cr_expect(eq(u64, run(&l, l.bpf->progs.speculation), 0));
	bpf_map_update_elem(bpf_map__fd(l.bpf->maps.d_speculations), &first, &free_again, 0);
	cr_expect(eq(u64, run(&l, l.bpf->progs.speculation), 1));
	read_drops(&l, &drops);
	cr_expect(eq(u64, drops.speculations_unavailable, 1));
	cr_expect(eq(u64, drops.speculations_busy, 1));
	close_library(&l);
}

/* --- The process that runs ------------------------------------------------------------------------------ */

static void expect_cwd(struct library *l, const char *where)
{
	char wanted[4096];

	cr_assert(eq(int, chdir(where), 0), "%s", where);
	cr_assert(ne(ptr, getcwd(wanted, sizeof(wanted)), NULL));
	run(l, l->bpf->progs.cwd);
	EXPECT_RESULT(l, cut(l, wanted), where);
}

Test(d_library, directories_are_known_also_across_mounts)
{
	struct library l;

	FOR_EACH_SIZE(&l, "root cwd")
	{
		expect_cwd(&l, "/");
		expect_cwd(&l, "/usr/include/linux");
		expect_cwd(&l, "/proc/self/fd");
		expect_cwd(&l, "/dev/pts");
		run(&l, l.bpf->progs.root);
		EXPECT_RESULT(&l, "/", "root");
	}
}

Test(d_library, a_directory_is_seen_from_the_root_of_the_process)
{
	struct library l;

	open_library(&l, 256);
	load_library(&l, "cwd root");
	cr_assert(eq(int, chroot("/usr"), 0));
	cr_assert(eq(int, chdir("/share/doc"), 0));
	run(&l, l.bpf->progs.cwd);
	EXPECT_RESULT(&l, "/share/doc", "in a chroot");
	run(&l, l.bpf->progs.root);
	EXPECT_RESULT(&l, "/usr", "root");
	close_library(&l);
}

Test(d_library, a_path_that_is_too_deep_begins_with_dots)
{
	char folder[] = "/tmp/d-library-XXXXXX", wanted[256] = "...";
	struct library l;

	open_library(&l, 256);
	load_library(&l, "cwd");
	cr_assert(ne(ptr, mkdtemp(folder), NULL));
	cr_assert(eq(int, chdir(folder), 0));
	for (int i = 0; i < 40; i++) {
		char name[16];

		snprintf(name, sizeof(name), "d%d", i);
		cr_assert(eq(int, mkdir(name, 0700), 0));
		cr_assert(eq(int, chdir(name), 0));
		if (i >= 8)
			strcat(strcat(wanted, "/"), name);
	}
	run(&l, l.bpf->progs.cwd);
	EXPECT_RESULT(&l, wanted, "40 levels");
	for (int i = 39; i >= 0; i--) {
		char name[16];

		snprintf(name, sizeof(name), "d%d", i);
		cr_assert(eq(int, chdir(".."), 0));
		cr_assert(eq(int, rmdir(name), 0));
	}
	rmdir(folder);
	close_library(&l);
}

Test(d_library, the_arguments_of_a_process_are_one_text)
{
	char line[80] = "";
	struct library l;
	FILE *file = fopen("/proc/self/cmdline", "re");
	size_t size = file ? fread(line, 1, sizeof(line) - 1, file) : 0;

	cr_assert(gt(sz, size, 0));
	fclose(file);
	for (size_t i = 0; i + 1 < size; i++) {
		if (!line[i])
			line[i] = ' ';
	}
	FOR_EACH_SIZE(&l, "psargs")
	{
		run(&l, l.bpf->progs.psargs);
		EXPECT_RESULT(&l, cut(&l, line), "psargs");
	}
}

Test(d_library, parents_and_time_on_cpus_are_the_kernels)
{
	struct library l;
	uint64_t before, now;

	open_library(&l, 256);
	load_library(&l, "ppid progenyof vtimestamp");
	cr_expect(eq(u64, run(&l, l.bpf->progs.ppid), (uint64_t)getppid()));
	cr_expect(eq(u64, run_with(&l, l.bpf->progs.progenyof, (uint64_t)getppid(), 0, 0), 1));
	cr_expect(eq(u64, run_with(&l, l.bpf->progs.progenyof, 1, 0, 0), 1));
	cr_expect(eq(u64, run_with(&l, l.bpf->progs.progenyof, 0x7ffffff0, 0, 0), 0));
	before = run(&l, l.bpf->progs.vtimestamp);
	cr_expect(gt(u64, before, 0));
	do {
		for (volatile int i = 0; i < 1000000; i++)
			;
		now = run(&l, l.bpf->progs.vtimestamp);
	} while (now == before);
	cr_expect(gt(u64, now, before));
	close_library(&l);
}

/* --- Arguments that are no texts ----------------------------------------------------------------------- */

/* As much of a VM's memory as an atom needs: IndexTable, pages, Atom. */
static uint64_t atoms[128], atom_page[1024], atom_pages[1];

static uint64_t atom(unsigned int index, const char *text)
{
	int16_t length = (int16_t)strlen(text);
	unsigned char *it;
	const char *copy;

	if (atom_page[index])
		return (uint64_t)index << 6 | 0xb;
	it = calloc(1, 40);
	/* A literal may lie in a page that nobody has touched, which the kernel cannot read. */
	copy = strdup(text);
	memcpy(it + 24, &length, sizeof(length));
	memcpy(it + 32, &copy, sizeof(copy));
	atom_page[index] = (uint64_t)(uintptr_t)it;
	atom_pages[0] = (uint64_t)(uintptr_t)atom_page;
	atoms[120 / 8] = (uint64_t)(uintptr_t)atom_pages;
	return (uint64_t)index << 6 | 0xb;
}

#define INTEGER(n) ((uint64_t)(n) << 4 | 0xf)
#define BOXED(words) ((uint64_t)(uintptr_t)(words) | 2)
#define LIST(words) ((uint64_t)(uintptr_t)(words) | 1)
#define NIL 0x3b
#define TUPLE(n) ((uint64_t)(n) << 6)

static uint64_t list_of(uint64_t *cells, const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++) {
		cells[2 * i] = INTEGER((unsigned char)text[i]);
		cells[2 * i + 1] = i + 1 < length ? LIST(cells + 2 * i + 2) : NIL;
	}
	return LIST(cells);
}

static void expect_term(struct library *l, uint32_t n, uint64_t raw, const char *wanted)
{
	head(l)->raw[n] = raw;
	run_with(l, l->bpf->progs.copyinstr, D_TEXT_TAG + n, 0, 0);
	EXPECT_RESULT(l, wanted, wanted);
	cr_expect(eq(u64, head(l)->fault, 0));
	run_with(l, l->bpf->progs.copyinstr_n, D_TEXT_TAG + n, 3, 0);
	cr_expect(eq(int, strncmp(result(l, wanted), wanted, 3), 0), "%s", wanted);
	cr_expect(le(sz, strlen(result(l, wanted)), 3));
	begin_record(l);
	run_with(l, l->bpf->progs.record_copyinstr, D_TEXT_TAG + n, 0, 0);
	expect_in_record(l, 8, wanted);
}

static void expect_texts_of_terms(bool with_loop)
{
	static uint64_t nested[8], pair[4], cells[64], other[8], proper[4], improper[2], binary[4], empty[2];
	uint64_t ok = atom(1, "ok"), quoted = atom(2, "b@vm.example"), seq = atom(3, "seq"), none = atom(4, ""), mfa[3];
	struct library l;

	open_library_with(&l, 256, with_loop);
	l.bpf->rodata_erl->erl_config.names.atom_table = (uint64_t)(uintptr_t)atoms;
	l.bpf->rodata_erl->erl_config.pids.data_bits = 28;
	l.bpf->rodata_erl->erl_config.pids.number_bits = 15;
	l.bpf->rodata_erl->erl_config.args[0].form = ERL_FORM_TERM;
	l.bpf->rodata_erl->erl_config.args[1].form = ERL_FORM_TERM;
	l.bpf->rodata_erl->erl_config.local_ids = 1 << 1;
	l.bpf->rodata_erl->erl_config.args[3].form = ERL_FORM_MFA;
	load_library(&l, "copyinstr copyinstr_n record_copyinstr");

	expect_term(&l, 0, 80 << 4 | 3, "<0.80.0>");
	expect_term(&l, 0, (80 | 5 << 15) << 4 | 3, "<0.80.5>");
	expect_term(&l, 0, 5 << 4 | 7, "#Port<0.5>");
	expect_term(&l, 1, 80 << 4 | 3, "<0.80.0>");
	expect_term(&l, 1, (80 | 5 << 15) << 4 | 3, "<0.80.5>");
	expect_term(&l, 1, 5 << 4 | 7, "#Port<0.5>");
	expect_term(&l, 1, NIL, "...");
	expect_term(&l, 0, ok, "ok");
	expect_term(&l, 0, quoted, "'b@vm.example'");
	expect_term(&l, 0, none, "''");
	expect_term(&l, 0, atom(5, "Upper"), "'Upper'");
	expect_term(&l, 0, atom(6, "a_B@9"), "a_B@9");
	expect_term(&l, 0, atom(7, "gr\xc3\xbc\xc3\x9f"), "'gr\xc3\xbc\xc3\x9f'");
	expect_term(&l, 0, atom(8, "a_name_that_is_rather_longer_than_a_word"),
		    "a_name_that_is_rather_longer_than_a_word");
	expect_term(&l, 0, INTEGER(0), "0");
	expect_term(&l, 0, INTEGER(-17), "-17");
	expect_term(&l, 0, INTEGER(576460752303423487), "576460752303423487");
	expect_term(&l, 0, NIL, "[]");

	pair[0] = TUPLE(2), pair[1] = ok, pair[2] = 80 << 4 | 3;
	expect_term(&l, 0, BOXED(pair), "{ok,<0.80.0>}");
	empty[0] = TUPLE(0);
	expect_term(&l, 0, BOXED(empty), "{}");
	nested[0] = TUPLE(3), nested[1] = seq, nested[2] = BOXED(pair), nested[3] = NIL;
	expect_term(&l, 0, BOXED(nested), "{seq,{ok,<0.80.0>},[]}");
	expect_term(&l, 0, list_of(cells, "killed \"it\""), "\"killed \\\"it\\\"\"");
	proper[0] = ok, proper[1] = LIST(proper + 2), proper[2] = INTEGER(1), proper[3] = NIL;
	expect_term(&l, 0, LIST(proper), "[ok,1]");
	improper[0] = ok, improper[1] = seq;
	expect_term(&l, 0, LIST(improper), "[ok|seq]");
	binary[0] = 9 << 2, other[0] = TUPLE(2), other[1] = ok, other[2] = BOXED(binary);
	expect_term(&l, 0, BOXED(other), "{ok,...}");

	mfa[0] = quoted, mfa[1] = seq, mfa[2] = 2;
	expect_term(&l, 3, (uint64_t)(uintptr_t)mfa, "'b@vm.example':seq/2");
	run_with(&l, l.bpf->progs.copyinstr, D_TEXT_TAG + 12, 0, 0);
	cr_expect(eq(u64, head(&l)->fault, D_FAULT_BADADDR));
	close_library(&l);
}

Test(d_library, terms_and_functions_become_the_texts_that_the_vm_makes)
{
	expect_texts_of_terms(false);
	if (kernel_has_loop())
		expect_texts_of_terms(true);
}
