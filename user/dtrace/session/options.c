// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/session/options.h"

#include <ctype.h>
#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/duration.h"
#include "base/arena.h"

/* How a value is written, and what the member is that it goes to. */
enum kind {
	FLAG,	  /* bool: set by its name alone */
	FLAG_OFF, /* bool: cleared by its name alone */
	SWITCH,	  /* bool: by its name, or yes, no, on, off... */
	NUMBER,	  /* uint64_t */
	SMALL,	  /* unsigned int */
	SIZE,	  /* uint64_t: with k, m, g, t */
	RATE,	  /* uint64_t: nanoseconds from a time or a frequency */
	WORD,	  /* enum: one of `words`, blanks between them */
	STRING,	  /* char * */
	WORDS,	  /* struct d_words: the value split at blanks, each with `words` before it */
	ARGUMENT, /* struct d_words: `words` and the value, one word */
	OWN,	  /* see `set` */
};

enum moment {
	COMPILING,
	OUTSIDE, /* also compiling, but not from within a program */
	STARTING,
	ANYTIME,
};

struct row {
	const char *name;
	enum kind kind;
	enum moment moment;
	size_t member;
	const char *words;
	enum d_option_error (*set)(struct d_options *options, const char *value);
	const char *help;
};

#define STRSIZE_MOST (64 << 10) /* a record must fit in its ring */
#define SCRATCH_MOST (64 << 10)
#define FRAMES_MOST 127 /* what the kernel takes of a stack */
#define SPECULATIONS_MOST 1024
#define ENCODINGS "ascii utf8"
#define ENTRY_SIZE 64 /* what -x dynvarsize counts for a variable */
#define ENTRIES_DEFAULT (1u << 16)
#define ENTRIES_MOST (1u << 24)

static bool parse_number(const char *text, const char **end, uint64_t *number)
{
	char *after;

	/* strtoull() takes "-1" for a large number. */
	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*number = strtoull(text, &after, 0);
	*end = after;
	return !errno && *number <= INT64_MAX;
}

/* For each letter 1024 times the one before it. */
static bool parse_size(const char *text, uint64_t *size)
{
	static const char letters[] = "kmgt";
	const char *end, *letter;
	unsigned int shift;

	if (!parse_number(text, &end, size))
		return false;
	if (!*end)
		return true;
	letter = strchr(letters, tolower((unsigned char)*end));
	if (!letter || end[1])
		return false;
	shift = 10 * (unsigned int)(letter - letters + 1);
	if (*size > (uint64_t)INT64_MAX >> shift)
		return false;
	*size <<= shift;
	return true;
}

/* "100", "100ms", "10hz". A number alone is nanoseconds. */
static bool parse_rate(const char *text, uint64_t *ns)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = {
		{ "", 1 },
		{ "ns", 1 },
		{ "nsec", 1 },
		{ "us", NS_PER_US },
		{ "usec", NS_PER_US },
		{ "ms", NS_PER_MS },
		{ "msec", NS_PER_MS },
		{ "s", NS_PER_S },
		{ "sec", NS_PER_S },
		{ "m", 60 * NS_PER_S },
		{ "min", 60 * NS_PER_S },
		{ "h", 3600 * NS_PER_S },
		{ "hour", 3600 * NS_PER_S },
		{ "d", 86400 * NS_PER_S },
		{ "day", 86400 * NS_PER_S },
	};
	const char *unit;
	uint64_t number;

	if (!parse_number(text, &unit, &number))
		return false;
	if (!strcasecmp(unit, "hz")) {
		*ns = number ? NS_PER_S / number : 0;
		return true;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (!strcasecmp(unit, units[i].unit))
			return !__builtin_mul_overflow(number, units[i].ns, ns) && *ns <= INT64_MAX;
	}
	return false;
}

/* 1 for yes, 0 for no, -1 for neither. An empty value takes a setting back. */
static int parse_yes(const char *text)
{
	static const char *const yes[] = { "yes", "enable", "enabled", "true", "on", "set" };
	static const char *const no[] = { "no", "disable", "disabled", "false", "off", "unset", "" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++) {
		if (!strcasecmp(text, yes[i]))
			return 1;
	}
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++) {
		if (!strcasecmp(text, no[i]))
			return 0;
	}
	return -1;
}

/* Its place among blank-separated words, -1: it is none. */
static int parse_word(const char *text, const char *words)
{
	size_t size = strlen(text);

	for (int i = 0; *words; i++) {
		size_t n = strcspn(words, " ");

		if (n == size && !strncasecmp(words, text, n))
			return i;
		words += n + (words[n] == ' ');
	}
	return -1;
}

bool d_words_add(struct d_words *words, const char *prefix, const char *word)
{
	char **bigger = reallocarray(words->words, words->count + 2, sizeof(*bigger));

	if (!bigger)
		return false;
	words->words = bigger;
	if (asprintf(&bigger[words->count], "%s%s", prefix, word) < 0) {
		bigger[words->count] = NULL;
		return false;
	}
	bigger[++words->count] = NULL;
	return true;
}

static enum d_option_error set_string(char **to, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return D_OPTION_MEMORY;
	free(*to);
	*to = copy;
	return D_OPTION_OK;
}

/* --- Options with a mind of their own ------------------------------------------------------------- */

static enum d_option_error set_strsize(struct d_options *options, const char *value)
{
	uint64_t size;

	if (!value || !parse_size(value, &size) || !size)
		return D_OPTION_VALUE;
	if (size > STRSIZE_MOST)
		return D_OPTION_LARGE;
	options->unit.strsize = size;
	return D_OPTION_OK;
}

static enum d_option_error set_bufsize(struct d_options *options, const char *value)
{
	uint64_t size = 0;

	if (value && !parse_size(value, &size))
		return D_OPTION_VALUE;
	/* 0 is what nobody has set, and 1 too small for any record, too. */
	options->bufsize = size ? size : 1;
	return D_OPTION_OK;
}

static enum d_option_error set_specsize(struct d_options *options, const char *value)
{
	uint64_t size = 0;

	if (value && !parse_size(value, &size))
		return D_OPTION_VALUE;
	/* 0 is what nobody has set. */
	options->consumer.speculation_size = size ? size : 1;
	return D_OPTION_OK;
}

static enum d_option_error set_scratchsize(struct d_options *options, const char *value)
{
	uint64_t size = 0;

	if (value && !parse_size(value, &size))
		return D_OPTION_VALUE;
	if (size > SCRATCH_MOST)
		return D_OPTION_LARGE;
	options->unit.scratch_size = (size + 7) & ~7ULL;
	return D_OPTION_OK;
}

/* How many variables fit is what the compiler wants to know. */
static enum d_option_error set_dynvarsize(struct d_options *options, const char *value)
{
	uint64_t entries;

	if (!value || !parse_size(value, &options->dynvarsize))
		return D_OPTION_VALUE;
	entries = options->dynvarsize / ENTRY_SIZE;
	options->unit.entries = entries > ENTRIES_MOST ? ENTRIES_MOST : entries ? (unsigned int)entries : 1;
	return D_OPTION_OK;
}

static enum d_option_error set_nspec(struct d_options *options, const char *value)
{
	const char *end;
	uint64_t count;

	if (!value || !parse_number(value, &end, &count) || *end)
		return D_OPTION_VALUE;
	if (count > SPECULATIONS_MOST)
		return D_OPTION_LARGE;
	options->unit.speculations = (unsigned int)count;
	return D_OPTION_OK;
}

/* More frames than the kernel takes are as many as it takes; none is what was there before. */
static enum d_option_error parse_frames(const char *value, unsigned int *frames)
{
	const char *end;
	uint64_t number;

	if (!value || !parse_number(value, &end, &number) || *end)
		return D_OPTION_VALUE;
	if (number)
		*frames = number > FRAMES_MOST ? FRAMES_MOST : (unsigned int)number;
	return D_OPTION_OK;
}

static enum d_option_error set_stackframes(struct d_options *options, const char *value)
{
	return parse_frames(value, &options->unit.frames);
}

static enum d_option_error set_ustackframes(struct d_options *options, const char *value)
{
	return parse_frames(value, &options->unit.ustack_frames);
}

static enum d_option_error set_maxframes(struct d_options *options, const char *value)
{
	return parse_frames(value, &options->unit.max_frames);
}

static enum d_option_error set_cpu(struct d_options *options, const char *value)
{
	const char *end;
	uint64_t cpu;

	if (!value || !parse_number(value, &end, &cpu) || *end || cpu > INT_MAX)
		return D_OPTION_VALUE;
	options->cpu = (int)cpu;
	return D_OPTION_OK;
}

static enum d_option_error set_stackindent(struct d_options *options, const char *value)
{
	const char *end;
	uint64_t indent;

	if (!value || !parse_number(value, &end, &indent) || *end)
		return D_OPTION_VALUE;
	if (indent > 512)
		return D_OPTION_LARGE;
	options->consumer.stack_indent = (int)indent;
	return D_OPTION_OK;
}

static enum d_option_error set_amin(struct d_options *options, const char *value)
{
	return value && stability_parse(value, &options->unit.amin) ? D_OPTION_OK : D_OPTION_VALUE;
}

/* Bars are of block characters only if they are asked for; what aggpack packs, also where they can be had. */
static enum d_option_error set_encoding(struct d_options *options, const char *value)
{
	int choice = value ? parse_word(value, ENCODINGS) : -1;

	if (choice < 0)
		return D_OPTION_VALUE;
	options->consumer.has_utf8_bars = options->consumer.has_utf8_packed = choice == 1;
	return D_OPTION_OK;
}

/* The language's version that a script was written for: what is there is 2.0.1. */
static enum d_option_error set_version(struct d_options *options, const char *value)
{
	static const unsigned int newest[3] = { 2, 0, 1 };
	unsigned int parts[3] = {};
	const char *at = value;
	size_t n = 0;

	(void)options;
	if (!value)
		return D_OPTION_VALUE;
	for (n = 0; n < 3; n++) {
		uint64_t number;

		if (!parse_number(at, &at, &number) || number > 4095)
			return D_OPTION_VALUE;
		parts[n] = (unsigned int)number;
		if (*at != '.')
			break;
		at++;
	}
	if (*at || n == 0 || n == 3 || !parts[0])
		return D_OPTION_VALUE;
	for (size_t i = 0; i < 3; i++) {
		if (parts[i] != newest[i])
			return parts[i] < newest[i] ? D_OPTION_OK : D_OPTION_VERSION;
	}
	return D_OPTION_OK;
}

/* Of a register file that BPF does not have: a number from 1 on, or from 0 on. */
static enum d_option_error set_positive(struct d_options *options, const char *value)
{
	const char *end;

	if (!value || !parse_number(value, &end, &options->number_unused) || *end || !options->number_unused)
		return D_OPTION_VALUE;
	return D_OPTION_OK;
}

static enum d_option_error set_number(struct d_options *options, const char *value)
{
	const char *end;

	if (!value || !parse_number(value, &end, &options->number_unused) || *end)
		return D_OPTION_VALUE;
	return D_OPTION_OK;
}

static enum d_option_error set_preallocate(struct d_options *options, const char *value)
{
	return value && parse_size(value, &options->number_unused) ? D_OPTION_OK : D_OPTION_VALUE;
}

static enum d_option_error set_lockmem(struct d_options *options, const char *value)
{
	return value && (!strcmp(value, "unlimited") || parse_size(value, &options->number_unused)) ? D_OPTION_OK
												    : D_OPTION_VALUE;
}

/* --- The table ------------------------------------------------------------------------------------ */

#define AT(member) offsetof(struct d_options, member)
#define IN_CONSUMER(member) (AT(consumer) + offsetof(struct consumer_options, member))
#define IN_UNIT(member) (AT(unit) + offsetof(struct unit_options, member))
#define UNUSED_FLAG AT(flag_unused)
#define UNUSED_NUMBER AT(number_unused)
#define UNUSED_CHOICE AT(choice_unused)
#define UNUSED_STRING AT(string_unused)

static const char nothing[] = "taken and without effect";

static const struct row rows[] = {
	{ "agghist", SWITCH, ANYTIME, IN_CONSUMER(agg_hist), NULL, NULL,
	  "a bar beside each count(), sum(), avg(), stddev()" },
	{ "aggpack", SWITCH, ANYTIME, IN_CONSUMER(agg_pack), NULL, NULL, "a line for each quantize(), lquantize()" },
	{ "aggpercpu", FLAG, COMPILING, UNUSED_FLAG, NULL, NULL, nothing },
	{ "aggrate", RATE, ANYTIME, UNUSED_NUMBER, NULL, NULL, nothing },
	{ "aggsize", SIZE, STARTING, UNUSED_NUMBER, NULL, NULL, nothing },
	{ "aggsortkey", SWITCH, ANYTIME, IN_CONSUMER(agg_sort_key), NULL, NULL, "order aggregations by key" },
	{ "aggsortkeypos", SMALL, ANYTIME, IN_CONSUMER(agg_sort_key_pos), NULL, NULL, "by which key" },
	{ "aggsortpos", SMALL, ANYTIME, IN_CONSUMER(agg_sort_pos), NULL, NULL, "by which of several in a printa()" },
	{ "aggsortrev", SWITCH, ANYTIME, IN_CONSUMER(agg_sort_rev), NULL, NULL, "the other way round" },
	{ "aggzoom", SWITCH, ANYTIME, IN_CONSUMER(agg_zoom), NULL, NULL, "scale bars to the longest" },
	{ "amin", OWN, COMPILING, 0, "STABILITY", set_amin, "the least stability, as Evolving/Evolving/Common" },
	{ "argref", FLAG, COMPILING, AT(unused_args_ok), NULL, NULL, "arguments need not be used" },
	{ "bpflog", SWITCH, STARTING, UNUSED_FLAG, NULL, NULL, nothing },
	{ "bpflogsize", SIZE, STARTING, UNUSED_NUMBER, NULL, NULL, nothing },
	{ "bufpolicy", WORD, STARTING, UNUSED_CHOICE, "switch ring fill", NULL, nothing },
	{ "bufresize", WORD, STARTING, UNUSED_CHOICE, "auto manual", NULL, nothing },
	{ "bufsize", OWN, STARTING, 0, "SIZE", set_bufsize, "memory for records (also -b)" },
	{ "cleanrate", RATE, STARTING, UNUSED_NUMBER, NULL, NULL, nothing },
	{ "cpp", FLAG, COMPILING, AT(cpp), NULL, NULL, "run the C preprocessor (also -C)" },
	{ "cppargs", WORDS, OUTSIDE, AT(cpp_args), "", NULL, "more arguments for it" },
	{ "cpphdrs", ARGUMENT, OUTSIDE, AT(cpp_args), "-H", NULL, "name the files that it reads (also -H)" },
	{ "cpppath", STRING, OUTSIDE, AT(cpp_path), NULL, NULL, "which preprocessor" },
	{ "cpu", OWN, STARTING, 0, "N", set_cpu, "the only CPU of BEGIN, END, tick and profile" },
	{ "ctfpath", STRING, OUTSIDE, UNUSED_STRING, NULL, NULL, nothing },
	{ "ctypes", STRING, OUTSIDE, UNUSED_STRING, NULL, NULL, nothing },
	{ "debug", FLAG, COMPILING, AT(debug), NULL, NULL, "libbpf's messages and ours" },
	{ "debugassert", STRING, COMPILING, UNUSED_STRING, NULL, NULL, nothing },
	{ "defaultargs", FLAG, COMPILING, AT(default_args), NULL, NULL, "$1... that are not given are 0 or \"\"" },
	{ "define", ARGUMENT, OUTSIDE, AT(cpp_args), "-D", NULL, "NAME[=VALUE] for the preprocessor (also -D)" },
	{ "destructive", SWITCH, STARTING, IN_UNIT(is_destructive), NULL, NULL,
	  "allow system(), raise()... (also -w)" },
	{ "disasm", OWN, COMPILING, 0, "N", set_number, nothing },
	{ "droptags", FLAG, COMPILING, AT(drop_tags), NULL, NULL, "tags before messages about drops" },
	{ "dtypes", STRING, OUTSIDE, UNUSED_STRING, NULL, NULL, nothing },
	{ "dynvarsize", OWN, STARTING, 0, "SIZE", set_dynvarsize, "memory for associative arrays and self->" },
	{ "empty", FLAG, COMPILING, AT(is_empty_ok), NULL, NULL, "a program without clauses is no error" },
	{ "encoding", OWN, COMPILING, 0, ENCODINGS, set_encoding, "of bars, and of what aggpack packs" },
	{ "errtags", FLAG, COMPILING, AT(error_tags), NULL, NULL, "tags before error messages" },
	{ "evaltime", WORD, COMPILING, UNUSED_CHOICE, "exec preinit postinit main", NULL, nothing },
	{ "flowindent", SWITCH, ANYTIME, IN_CONSUMER(flow_indent), NULL, NULL, "indent by calls (also -F)" },
	{ "grabanon", SWITCH, STARTING, UNUSED_FLAG, NULL, NULL, nothing },
	{ "incdir", ARGUMENT, OUTSIDE, AT(cpp_args), "-I", NULL, "folder of headers (also -I)" },
	{ "iregs", OWN, COMPILING, 0, "N", set_positive, nothing },
	{ "jstackframes", NUMBER, STARTING, UNUSED_NUMBER, NULL, NULL, nothing },
	{ "jstackstrsize", SIZE, STARTING, UNUSED_NUMBER, NULL, NULL, nothing },
	{ "kdefs", FLAG_OFF, COMPILING, UNUSED_FLAG, NULL, NULL, nothing },
	{ "knodefs", FLAG, COMPILING, UNUSED_FLAG, NULL, NULL, nothing },
	{ "late", WORD, COMPILING, UNUSED_CHOICE, "static dynamic", NULL, nothing },
	{ "lazyload", FLAG, COMPILING, UNUSED_FLAG, NULL, NULL, nothing },
	{ "ldpath", STRING, OUTSIDE, UNUSED_STRING, NULL, NULL, nothing },
	{ "libdir", STRING, COMPILING, UNUSED_STRING, NULL, NULL, nothing },
	{ "linkmode", WORD, COMPILING, UNUSED_CHOICE, "kernel static dynamic", NULL, nothing },
	{ "linknommap", FLAG, COMPILING, UNUSED_FLAG, NULL, NULL, nothing },
	{ "linktype", WORD, COMPILING, UNUSED_CHOICE, "elf dof", NULL, nothing },
	{ "lockmem", OWN, STARTING, 0, "SIZE", set_lockmem, nothing },
	{ "maxframes", OWN, STARTING, 0, "N", set_maxframes, "most frames of any stack" },
	{ "modpath", STRING, OUTSIDE, UNUSED_STRING, NULL, NULL, nothing },
	{ "nolibs", FLAG, COMPILING, UNUSED_FLAG, NULL, NULL, nothing },
	{ "noresolve", SWITCH, STARTING, UNUSED_FLAG, NULL, NULL, nothing },
	{ "nspec", OWN, STARTING, 0, "N", set_nspec, "number of speculations" },
	{ "pcapsize", SIZE, STARTING, UNUSED_NUMBER, NULL, NULL, nothing },
	{ "pgmax", OWN, COMPILING, 0, "N", set_number, nothing },
	{ "preallocate", OWN, COMPILING, 0, "SIZE", set_preallocate, nothing },
	{ "printsize", SIZE, ANYTIME, UNUSED_NUMBER, NULL, NULL, nothing },
	{ "procfspath", STRING, OUTSIDE, UNUSED_STRING, NULL, NULL, nothing },
	{ "pspec", FLAG, COMPILING, UNUSED_FLAG, NULL, NULL, nothing },
	{ "quiet", SWITCH, ANYTIME, IN_CONSUMER(quiet), NULL, NULL, "print only what the program prints (also -q)" },
	{ "quietresize", SWITCH, ANYTIME, UNUSED_FLAG, NULL, NULL, nothing },
	{ "rawbytes", SWITCH, ANYTIME, IN_CONSUMER(raw_bytes), NULL, NULL, "trace() never takes bytes for a string" },
	{ "scratchsize", OWN, STARTING, 0, "SIZE", set_scratchsize, "memory for alloca() and copyin()" },
	{ "specsize", OWN, STARTING, 0, "SIZE", set_specsize, "bytes that a speculation may hold" },
	{ "stackframes", OWN, STARTING, 0, "N", set_stackframes, "frames of stack()" },
	{ "stackindent", OWN, ANYTIME, 0, "N", set_stackindent, "blanks before a frame" },
	{ "statusrate", RATE, STARTING, UNUSED_NUMBER, NULL, NULL, nothing },
	{ "stdc", WORD, OUTSIDE, UNUSED_CHOICE, "a c s t", NULL, "how strict the preprocessor is (also -X)" },
	{ "strip", FLAG, COMPILING, UNUSED_FLAG, NULL, NULL, nothing },
	{ "strsize", OWN, STARTING, 0, "SIZE", set_strsize, "most bytes of a string" },
	{ "switchrate", RATE, ANYTIME, AT(switchrate_ns), NULL, NULL, "how often records are read" },
	{ "syslibdir", STRING, COMPILING, UNUSED_STRING, NULL, NULL, nothing },
	{ "sysslice", STRING, COMPILING, UNUSED_STRING, NULL, NULL, nothing },
	{ "tree", OWN, COMPILING, 0, "N", set_positive, nothing },
	{ "tregs", OWN, COMPILING, 0, "N", set_positive, nothing },
	{ "udefs", FLAG_OFF, COMPILING, UNUSED_FLAG, NULL, NULL, nothing },
	{ "undef", ARGUMENT, OUTSIDE, AT(cpp_args), "-U", NULL, "NAME for the preprocessor (also -U)" },
	{ "unodefs", FLAG, COMPILING, UNUSED_FLAG, NULL, NULL, nothing },
	{ "unsafe", FLAG, OUTSIDE, AT(allow_denied), NULL, NULL, "also probes that can hang or crash the VM" },
	{ "useruid", OWN, COMPILING, 0, "N", set_number, nothing },
	{ "ustackframes", OWN, STARTING, 0, "N", set_ustackframes, "frames of ustack()" },
	{ "verbose", FLAG, COMPILING, AT(show_ir), NULL, NULL, "print intermediate code (also -S)" },
	{ "version", OWN, COMPILING, 0, "X.Y.Z", set_version, "the version that the program was written for" },
	{ "zdefs", FLAG, COMPILING, AT(zero_ok), NULL, NULL, "descriptions may match no probe (also -Z)" },
};

#define ROWS (sizeof(rows) / sizeof(*rows))

static const struct row *row_find(const char *name)
{
	for (size_t i = 0; i < ROWS; i++) {
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	}
	return NULL;
}

/* --- Setting ---------------------------------------------------------------------------------------- */

static enum d_option_error set_switch(bool *to, const char *value)
{
	const char *end;
	uint64_t number;
	int yes = value ? parse_yes(value) : 1;

	/* Any number is a setting, 0 too: that is what dtrace(1) makes of it. */
	if (yes < 0 && (!parse_number(value, &end, &number) || *end))
		return D_OPTION_VALUE;
	*to = yes != 0;
	return D_OPTION_OK;
}

static enum d_option_error parse_plain(const char *value, uint64_t *number)
{
	const char *end;
	int yes = value ? parse_yes(value) : 0;

	*number = yes == 1;
	if (yes < 0 && (!parse_number(value, &end, number) || *end))
		return D_OPTION_VALUE;
	return D_OPTION_OK;
}

static enum d_option_error set_words(struct d_words *words, const char *prefix, const char *value)
{
	static const char blanks[] = " \t\n\v\f\r";
	char *copy = strdup(value), *rest = copy, *word;
	bool is_ok = copy != NULL;

	while (is_ok && (word = strsep(&rest, blanks))) {
		if (*word)
			is_ok = d_words_add(words, prefix, word);
	}
	free(copy);
	return is_ok ? D_OPTION_OK : D_OPTION_MEMORY;
}

static enum d_option_error set_choice(int *to, const char *value, const char *words)
{
	int choice = parse_word(value, words);

	if (choice < 0)
		return D_OPTION_VALUE;
	*to = choice;
	return D_OPTION_OK;
}

static bool wants_value(const struct row *row)
{
	return row->kind == WORD || row->kind == STRING || row->kind == WORDS ||
	       (row->kind == ARGUMENT && strcmp(row->words, "-H") != 0);
}

static bool refuses_value(const struct row *row)
{
	return row->kind == FLAG || row->kind == FLAG_OFF || (row->kind == ARGUMENT && !wants_value(row));
}

static enum d_option_error set_row(struct d_options *options, const struct row *row, const char *value)
{
	void *to = (char *)options + row->member;
	enum d_option_error error = D_OPTION_OK;
	uint64_t number = 0;

	if (value ? refuses_value(row) : wants_value(row))
		return D_OPTION_VALUE;
	switch (row->kind) {
	case FLAG: *(bool *)to = true; break;
	case FLAG_OFF: *(bool *)to = false; break;
	case SWITCH: error = set_switch(to, value); break;
	case NUMBER:
		error = parse_plain(value, &number);
		if (!error)
			*(uint64_t *)to = number;
		break;
	case SMALL:
		error = parse_plain(value, &number);
		if (!error && number > UINT_MAX)
			error = D_OPTION_LARGE;
		if (!error)
			*(unsigned int *)to = (unsigned int)number;
		break;
	case SIZE:
		if (value && !parse_size(value, &number))
			return D_OPTION_VALUE;
		*(uint64_t *)to = number;
		break;
	case RATE:
		if (value && !parse_rate(value, &number))
			return D_OPTION_VALUE;
		*(uint64_t *)to = number;
		break;
	case WORD: error = set_choice(to, value, row->words); break;
	case STRING: error = set_string(to, value); break;
	case WORDS: error = set_words(to, row->words, value); break;
	case ARGUMENT: error = d_words_add(to, row->words, value ? value : "") ? D_OPTION_OK : D_OPTION_MEMORY; break;
	case OWN: error = row->set(options, value); break;
	}
	return error;
}

enum d_option_error d_option_set(struct d_options *options, enum d_option_place place, const char *name,
				 const char *value)
{
	const struct row *row = row_find(name);

	if (!row)
		return D_OPTION_UNKNOWN;
	if (row->moment == OUTSIDE && place != D_OPTION_COMMAND)
		return D_OPTION_PLACE;
	if (row->moment == STARTING && place == D_OPTION_RUNNING)
		return D_OPTION_ACTIVE;
	return set_row(options, row, value);
}

const char *d_option_problem(enum d_option_error error)
{
	static const char *const problems[] = {
		[D_OPTION_OK] = "no problem",
		[D_OPTION_UNKNOWN] = "there is no option of that name",
		[D_OPTION_VALUE] = "that is not a value for this option",
		[D_OPTION_PLACE] = "a program cannot set it, only the command line can",
		[D_OPTION_ACTIVE] = "it cannot be set while tracing is active",
		[D_OPTION_LARGE] = "the value is too large",
		[D_OPTION_VERSION] = "that version of the language is not supported",
		[D_OPTION_MEMORY] = "out of memory",
	};

	return problems[error];
}

const char *d_option_set_running(void *options, const char *name, const char *value)
{
	enum d_option_error error = d_option_set(options, D_OPTION_RUNNING, name, value);

	return error ? d_option_problem(error) : NULL;
}

/* --- All of them -------------------------------------------------------------------------------------- */

static bool locale_is_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool is_utf8 = locale && !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");

	if (locale)
		freelocale(locale);
	return is_utf8;
}

/* libdtrace asks only for terminals known to have no block characters: what is none of them has. */
static bool terminal_is_plain(void)
{
	static const char *const plain[] = { "sun", "sun-color", "dumb" };
	const char *term = getenv("TERM");

	for (size_t i = 0; term && i < sizeof(plain) / sizeof(*plain); i++) {
		if (!strcmp(term, plain[i]))
			return true;
	}
	return false;
}

void d_options_init(struct d_options *options)
{
	*options = (struct d_options){
		.unit = { .strsize = 256,
			  .scratch_size = 256,
			  .frames = 20,
			  .ustack_frames = 20,
			  .speculations = 1,
			  .entries = ENTRIES_DEFAULT },
		.cpu = -1,
		.consumer = { .stack_indent = 14,
			      .testing = getenv("_DTRACE_TESTING") != NULL,
			      .has_utf8_packed = locale_is_utf8() && !terminal_is_plain() },
	};
}

void d_options_free(struct d_options *options)
{
	for (size_t i = 0; i < options->cpp_args.count; i++)
		free(options->cpp_args.words[i]);
	free(options->cpp_args.words);
	free(options->cpp_path);
	free(options->string_unused);
	*options = (struct d_options){};
}

void d_options_environment(struct d_options *options)
{
	for (size_t i = 0; i < ROWS; i++) {
		char name[64];
		const char *value;

		snprintf(name, sizeof(name), "DTRACE_OPT_%s", rows[i].name);
		value = getenv(name);
		for (char *c = name; !value && *c; c++)
			*c = (char)toupper((unsigned char)*c);
		value = value ? value : getenv(name);
		/* An environment can give no value at all only as an empty one. */
		if (value)
			d_option_set(options, D_OPTION_COMMAND, rows[i].name,
				     *value || !refuses_value(&rows[i]) ? value : NULL);
	}
}

bool d_options_pragmas(struct d_options *options, struct unit *unit)
{
	size_t before = unit->diag.errors;

	for (const struct pragma *pragma = unit->program.pragmas; pragma; pragma = pragma->next) {
		enum d_option_error error;

		if (strcmp(pragma->name, "option") || !pragma->key)
			continue;
		error = d_option_set(options, D_OPTION_PRAGMA, pragma->key, pragma->value);
		if (error)
			diag_error(&unit->diag, pragma->file, pragma->line, "D_PRAGMA_OPTSET",
				   "failed to set option '%s'%s%s%s: %s", pragma->key, pragma->value ? " to '" : "",
				   pragma->value ? pragma->value : "", pragma->value ? "'" : "",
				   d_option_problem(error));
	}
	unit->options = options->unit;
	return unit->diag.errors == before;
}

/* --- Help ---------------------------------------------------------------------------------------------- */

static const char *value_of(const struct row *row)
{
	switch (row->kind) {
	case NUMBER:
	case SMALL: return "N";
	case SIZE: return "SIZE";
	case RATE: return "RATE";
	case STRING: return "TEXT";
	case WORDS: return "WORDS";
	case WORD:
	case OWN: return row->words;
	case ARGUMENT: return wants_value(row) ? "TEXT" : "";
	default: return "";
	}
}

size_t d_option_count(void)
{
	return ROWS;
}

struct d_option_help d_option_help(size_t i)
{
	return (struct d_option_help){ rows[i].name, value_of(&rows[i]), rows[i].help, rows[i].help != nothing };
}

void d_option_spell(FILE *to, const struct d_option_help *option, const char *between)
{
	fprintf(to, "%s%s", option->name, *option->value ? "=" : "");
	for (const char *c = option->value; *c; c++)
		fprintf(to, "%.*s", *c == ' ' ? (int)strlen(between) : 1, *c == ' ' ? between : c);
}
