// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/options/option_table.h"

#include <limits.h>
#include <linux/bpf.h>
#include <string.h>

#include "base/percent.h"

#define STRSIZE_LEAST 2
#define STRSIZE_MOST (64 << 10) /* a record must fit into the ring */
#define SCRATCH_MOST (64 << 10)
#define FRAMES_MOST 127 /* the kernel's limit for a stack */
#define SPECULATIONS_MOST 1024
#define ENCODINGS "ascii utf8"
#define ENTRY_SIZE 64 /* bytes that -x dynvarsize counts for a variable */

static enum d_option_error set_strsize(struct d_options *options, const char *value)
{
	uint64_t size;

	if (!value || !option_size(value, &size) || size < STRSIZE_LEAST)
		return D_OPTION_VALUE;
	if (size > STRSIZE_MOST)
		return D_OPTION_LARGE;
	options->unit.strsize = size;
	return D_OPTION_OK;
}

static enum d_option_error set_bufsize(struct d_options *options, const char *value)
{
	uint64_t size = 0;

	if (value && !option_size(value, &size))
		return D_OPTION_VALUE;
	/* 0 means unset, and 1 is too small for any record, too. */
	options->bufsize = size ? size : 1;
	return D_OPTION_OK;
}

static enum d_option_error set_specsize(struct d_options *options, const char *value)
{
	uint64_t size = 0;

	if (value && !option_size(value, &size))
		return D_OPTION_VALUE;
	/* 0 means unset. */
	options->consumer.speculation_size = size ? size : 1;
	options->unit.speculation_size = options->consumer.speculation_size;
	return D_OPTION_OK;
}

static enum d_option_error set_scratchsize(struct d_options *options, const char *value)
{
	uint64_t size = 0;

	if (value && !option_size(value, &size))
		return D_OPTION_VALUE;
	if (size > SCRATCH_MOST)
		return D_OPTION_LARGE;
	options->unit.scratch_size = (size + 7) & ~7ULL;
	return D_OPTION_OK;
}

static enum d_option_error set_aggsize(struct d_options *options, const char *value)
{
	uint64_t size = 0;

	if (value && !option_size(value, &size))
		return D_OPTION_VALUE;
	/* 0 means unset, and 1 is too small for any entry, too. */
	options->unit.agg_bytes = size ? size : 1;
	return D_OPTION_OK;
}

/* The compiler needs the number of variables. */
static enum d_option_error set_dynvarsize(struct d_options *options, const char *value)
{
	uint64_t size, entries;

	if (!value || !option_size(value, &size))
		return D_OPTION_VALUE;
	options->unit.array_bytes = size ? size : 1;
	entries = size / ENTRY_SIZE;
	options->unit.entries = entries > UNIT_MOST_ENTRIES ? UNIT_MOST_ENTRIES : entries ? (unsigned int)entries : 1;
	return D_OPTION_OK;
}

static enum d_option_error set_nspec(struct d_options *options, const char *value)
{
	const char *end;
	uint64_t count;

	if (!value || !option_number(value, &end, &count) || *end)
		return D_OPTION_VALUE;
	if (count > SPECULATIONS_MOST)
		return D_OPTION_LARGE;
	options->unit.speculations = (unsigned int)count;
	return D_OPTION_OK;
}

/* None keeps the previous value. */
static enum d_option_error parse_frames(const char *value, unsigned int *frames)
{
	const char *end;
	uint64_t number;

	if (!value || !option_number(value, &end, &number) || *end)
		return D_OPTION_VALUE;
	if (number > FRAMES_MOST)
		return D_OPTION_LARGE;
	if (number)
		*frames = (unsigned int)number;
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

/* There is no Java here, but invalid numbers are refused. */
static enum d_option_error set_jstackframes(struct d_options *options, const char *value)
{
	unsigned int frames;

	(void)options;
	return parse_frames(value, &frames);
}

/* The compiler ignores it, but like DTrace refuses more registers than BPF has. */
static enum d_option_error set_iregs(struct d_options *options, const char *value)
{
	const char *end;
	uint64_t registers;

	(void)options;
	if (!value || !option_number(value, &end, &registers) || *end || !registers)
		return D_OPTION_VALUE;
	return registers > BPF_REG_8 ? D_OPTION_LARGE : D_OPTION_OK;
}

static enum d_option_error set_cpu(struct d_options *options, const char *value)
{
	const char *end;
	uint64_t cpu;

	if (!value || !option_number(value, &end, &cpu) || *end || cpu > INT_MAX)
		return D_OPTION_VALUE;
	options->cpu = (int)cpu;
	return D_OPTION_OK;
}

static enum d_option_error set_stackindent(struct d_options *options, const char *value)
{
	const char *end;
	uint64_t indent;

	if (!value || !option_number(value, &end, &indent) || *end)
		return D_OPTION_VALUE;
	if (indent > 512)
		return D_OPTION_LARGE;
	options->consumer.stack_indent = (int)indent;
	return D_OPTION_OK;
}

static enum d_option_error set_maxoverhead(struct d_options *options, const char *value)
{
	return value && percent_parse(value, &options->max_overhead) ? D_OPTION_OK : D_OPTION_VALUE;
}

/* As --via on the command line: breakpoints of the VM for Erlang functions. */
static enum d_option_error set_via(struct d_options *options, const char *value)
{
	if (!value || strcmp(value, "vm") != 0)
		return D_OPTION_VALUE;
	options->allow_breakpoints = true;
	return D_OPTION_OK;
}

static enum d_option_error set_calllimit(struct d_options *options, const char *value)
{
	const char *end;

	return value && option_number(value, &end, &options->call_limit) && !*end && options->call_limit
		       ? D_OPTION_OK
		       : D_OPTION_VALUE;
}

static enum d_option_error set_amin(struct d_options *options, const char *value)
{
	return value && stability_parse(value, &options->unit.amin) ? D_OPTION_OK : D_OPTION_VALUE;
}

/* Bars use block characters only on request; aggpack also uses them where the terminal has them. */
static enum d_option_error set_encoding(struct d_options *options, const char *value)
{
	int choice = value ? option_word(value, ENCODINGS) : -1;

	if (choice < 0)
		return D_OPTION_VALUE;
	options->consumer.has_utf8_bars = options->consumer.has_utf8_packed = choice == 1;
	return D_OPTION_OK;
}

/* The language version of a script: the current one is 2.0.1. */
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

		if (!option_number(at, &at, &number) || number > 4095)
			return D_OPTION_VALUE;
		parts[n] = (unsigned int)number;
		if (*at != '.')
			break;
		at++;
	}
	if (*at || n == 0 || n == 3)
		return D_OPTION_VALUE;
	for (size_t i = 0; i < 3; i++) {
		if (parts[i] != newest[i])
			return parts[i] < newest[i] ? D_OPTION_OK : D_OPTION_VERSION;
	}
	return D_OPTION_OK;
}

/* A register number from 1, or from 0; has no effect. */
static enum d_option_error parse_positive(const char *value, uint64_t *number)
{
	const char *end;

	return value && option_number(value, &end, number) && !*end && *number ? D_OPTION_OK : D_OPTION_VALUE;
}

static enum d_option_error set_positive(struct d_options *options, const char *value)
{
	return parse_positive(value, &options->number_unused);
}

static enum d_option_error set_tree(struct d_options *options, const char *value)
{
	return parse_positive(value, &options->tree);
}

static enum d_option_error set_number(struct d_options *options, const char *value)
{
	const char *end;

	if (!value || !option_number(value, &end, &options->number_unused) || *end)
		return D_OPTION_VALUE;
	return D_OPTION_OK;
}

static enum d_option_error set_preallocate(struct d_options *options, const char *value)
{
	return value && option_size(value, &options->number_unused) ? D_OPTION_OK : D_OPTION_VALUE;
}

static enum d_option_error set_lockmem(struct d_options *options, const char *value)
{
	return value && (!strcmp(value, "unlimited") || option_size(value, &options->number_unused)) ? D_OPTION_OK
												     : D_OPTION_VALUE;
}

static enum d_option_error add_environment(struct d_options *options, const char *value, bool has_value)
{
	if (!value || !*value || *value == '=' || (strchr(value, '=') != NULL) != has_value)
		return D_OPTION_VALUE;
	return d_words_add(&options->environment, "", value) ? D_OPTION_OK : D_OPTION_MEMORY;
}

static enum d_option_error set_setenv(struct d_options *options, const char *value)
{
	return add_environment(options, value, true);
}

static enum d_option_error set_unsetenv(struct d_options *options, const char *value)
{
	return add_environment(options, value, false);
}

#define AT(member) offsetof(struct d_options, member)
#define IN_CONSUMER(member) (AT(consumer) + offsetof(struct consumer_options, member))
#define IN_UNIT(member) (AT(unit) + offsetof(struct unit_options, member))
#define UNUSED_FLAG AT(flag_unused)
#define UNUSED_NUMBER AT(number_unused)
#define UNUSED_CHOICE AT(choice_unused)
#define UNUSED_STRING AT(string_unused)

const char option_nothing[] = "accepted, no effect";

const struct d_option_row option_rows[] = {
	{ "agghist", SWITCH, ANYTIME, IN_CONSUMER(agg_hist), NULL, NULL,
	  "print a bar next to each count(), sum(), avg(), stddev()" },
	{ "aggpack", SWITCH, ANYTIME, IN_CONSUMER(agg_pack), NULL, NULL,
	  "print each quantize(), lquantize() on one line" },
	{ "aggpercpu", FLAG, COMPILING, AT(agg_per_cpu), NULL, NULL, option_nothing },
	{ "aggrate", RATE, ANYTIME, AT(agg_rate_ns), NULL, NULL, option_nothing },
	{ "aggsize", OWN, STARTING, 0, "SIZE", set_aggsize, "memory for the keys and values of each aggregation" },
	{ "aggsortkey", SWITCH, ANYTIME, IN_CONSUMER(agg_sort_key), NULL, NULL, "sort aggregations by key" },
	{ "aggsortkeypos", SMALL, ANYTIME, IN_CONSUMER(agg_sort_key_pos), NULL, NULL,
	  "position of the key to sort by" },
	{ "aggsortpos", SMALL, ANYTIME, IN_CONSUMER(agg_sort_pos), NULL, NULL,
	  "sort by this one of several aggregations in printa()" },
	{ "aggsortrev", SWITCH, ANYTIME, IN_CONSUMER(agg_sort_rev), NULL, NULL, "sort in reverse order" },
	{ "aggzoom", SWITCH, ANYTIME, IN_CONSUMER(agg_zoom), NULL, NULL, "scale bars to the largest value" },
	{ "amin", OWN, COMPILING, 0, "STABILITY", set_amin, "minimum stability, such as Evolving/Evolving/Common" },
	{ "argref", FLAG, COMPILING, AT(unused_args_ok), NULL, NULL, "unused arguments are not an error" },
	{ "bpflog", SWITCH, STARTING, UNUSED_FLAG, NULL, NULL, option_nothing },
	{ "bpflogsize", SIZE, STARTING, UNUSED_NUMBER, NULL, NULL, option_nothing },
	{ "bufpolicy", WORD, STARTING, AT(buffer_policy), "switch ring fill", NULL, option_nothing },
	{ "bufresize", WORD, STARTING, UNUSED_CHOICE, "auto manual", NULL, option_nothing },
	{ "bufsize", OWN, STARTING, 0, "SIZE", set_bufsize, "memory for records (also -b)" },
	{ "calllimit", OWN, OUTSIDE, 0, "N", set_calllimit,
	  "with via=vm: remove the breakpoints above this many calls per second" },
	{ "cleanrate", RATE, STARTING, UNUSED_NUMBER, NULL, NULL, option_nothing },
	{ "compat", WORD, STARTING, IN_UNIT(compat), "oracle illumos", NULL, "the DTrace to follow where they differ" },
	{ "cookiefile", STRING, OUTSIDE, AT(cookie_file), NULL, NULL, "with via=vm: file with the cookie of the node" },
	{ "cpp", FLAG, COMPILING, AT(cpp), NULL, NULL, "run the C preprocessor (also -C)" },
	{ "cppargs", WORDS, OUTSIDE, AT(cpp_args), "", NULL, "more arguments for the preprocessor" },
	{ "cpphdrs", ARGUMENT, OUTSIDE, AT(cpp_args), "-H", NULL, "print the names of included files (also -H)" },
	{ "cpppath", STRING, OUTSIDE, AT(cpp_path), NULL, NULL, "path of the preprocessor" },
	{ "cpu", OWN, STARTING, 0, "N", set_cpu, "run BEGIN, END, tick and profile on this CPU only" },
	{ "ctfpath", STRING, OUTSIDE, UNUSED_STRING, NULL, NULL, option_nothing },
	{ "ctypes", STRING, OUTSIDE, UNUSED_STRING, NULL, NULL, option_nothing },
	{ "debug", FLAG, COMPILING, AT(debug), NULL, NULL, "print debug messages of libbpf and erlbpf" },
	{ "debugassert", STRING, COMPILING, UNUSED_STRING, NULL, NULL, option_nothing },
	{ "defaultargs", FLAG, COMPILING, AT(default_args), NULL, NULL, "missing arguments ($1...) are 0 or \"\"" },
	{ "define", ARGUMENT, OUTSIDE, AT(cpp_args), "-D", NULL, "NAME[=VALUE] for the preprocessor (also -D)" },
	{ "destructive", SWITCH, STARTING, IN_UNIT(is_destructive), NULL, NULL,
	  "allow system(), raise()... (also -w)" },
	{ "disasm", OWN, COMPILING, 0, "N", set_number, option_nothing },
	{ "droptags", FLAG, COMPILING, AT(drop_tags), NULL, NULL, "print tags before messages about drops" },
	{ "dtypes", STRING, OUTSIDE, UNUSED_STRING, NULL, NULL, option_nothing },
	{ "dynvarsize", OWN, STARTING, 0, "SIZE", set_dynvarsize, "memory for associative arrays and self->" },
	{ "empty", FLAG, COMPILING, AT(is_empty_ok), NULL, NULL, "a program without clauses is not an error" },
	{ "encoding", OWN, COMPILING, 0, ENCODINGS, set_encoding, "characters for bars and for aggpack" },
	{ "errtags", FLAG, COMPILING, AT(error_tags), NULL, NULL, "print tags before error messages" },
	{ "evaltime", WORD, COMPILING, UNUSED_CHOICE, "exec preinit postinit main", NULL, option_nothing },
	{ "flowindent", SWITCH, ANYTIME, IN_CONSUMER(flow_indent), NULL, NULL, "indent by call depth (also -F)" },
	{ "functions", STRING, OUTSIDE, AT(functions), NULL, NULL,
	  "with via=vm: MODULE:FUNCTION that erlang*:::function-entry and function-return mean" },
	{ "grabanon", SWITCH, STARTING, UNUSED_FLAG, NULL, NULL, option_nothing },
	{ "incdir", ARGUMENT, OUTSIDE, AT(cpp_args), "-I", NULL, "folder of headers (also -I)" },
	{ "iregs", OWN, COMPILING, 0, "N", set_iregs, option_nothing },
	{ "jstackframes", OWN, STARTING, 0, "N", set_jstackframes, option_nothing },
	{ "jstackstrsize", SIZE, STARTING, UNUSED_NUMBER, NULL, NULL, option_nothing },
	{ "kdefs", FLAG_OFF, COMPILING, UNUSED_FLAG, NULL, NULL, option_nothing },
	{ "keepcaps", FLAG, OUTSIDE, AT(keep_caps), NULL, NULL, "keep all privileges while tracing" },
	{ "knodefs", FLAG, COMPILING, UNUSED_FLAG, NULL, NULL, option_nothing },
	{ "late", WORD, COMPILING, UNUSED_CHOICE, "static dynamic", NULL, option_nothing },
	{ "lazyload", FLAG, COMPILING, UNUSED_FLAG, NULL, NULL, option_nothing },
	{ "ldpath", STRING, OUTSIDE, UNUSED_STRING, NULL, NULL, option_nothing },
	{ "libdir", ARGUMENT, COMPILING, AT(lib_folders), "", NULL, "folder of D libraries (also -L)" },
	{ "linkmode", WORD, COMPILING, UNUSED_CHOICE, "kernel primary static dynamic", NULL, option_nothing },
	{ "linknommap", FLAG, COMPILING, UNUSED_FLAG, NULL, NULL, option_nothing },
	{ "linktype", WORD, COMPILING, UNUSED_CHOICE, "elf dof", NULL, option_nothing },
	{ "lockmem", OWN, STARTING, 0, "SIZE", set_lockmem, option_nothing },
	{ "maxframes", OWN, STARTING, 0, "N", set_maxframes, "maximum number of frames of any stack, at most 127" },
	{ "maxoverhead", OWN, STARTING, 0, "PERCENT", set_maxoverhead,
	  "overhead limit for probes of nodes; 0: no limit" },
	{ "modpath", STRING, OUTSIDE, UNUSED_STRING, NULL, NULL, option_nothing },
	{ "nolibs", FLAG, COMPILING, AT(no_libraries), NULL, NULL, "do not load the libraries of -L" },
	{ "noresolve", SWITCH, STARTING, IN_CONSUMER(no_names), NULL, NULL, "print addresses of processes as numbers" },
	{ "nspec", OWN, STARTING, 0, "N", set_nspec, "number of speculations" },
	{ "pcapsize", SIZE, STARTING, UNUSED_NUMBER, NULL, NULL, option_nothing },
	{ "pgmax", OWN, COMPILING, 0, "N", set_number, option_nothing },
	{ "preallocate", OWN, COMPILING, 0, "SIZE", set_preallocate, option_nothing },
	{ "printsize", SIZE, ANYTIME, IN_CONSUMER(print_size), "SIZE", NULL, "bytes of an object that print() shows" },
	{ "procfspath", STRING, OUTSIDE, UNUSED_STRING, NULL, NULL, option_nothing },
	{ "pspec", FLAG, COMPILING, UNUSED_FLAG, NULL, NULL, option_nothing },
	{ "quiet", SWITCH, ANYTIME, IN_CONSUMER(quiet), NULL, NULL, "print only the output of the program (also -q)" },
	{ "quietresize", SWITCH, ANYTIME, UNUSED_FLAG, NULL, NULL, option_nothing },
	{ "rawbytes", SWITCH, ANYTIME, IN_CONSUMER(raw_bytes), NULL, NULL, "trace() never prints bytes as a string" },
	{ "sample", FLAG, STARTING, AT(samples), NULL, NULL,
	  "sample beyond maxoverhead, instead of ending the program" },
	{ "scratchsize", OWN, STARTING, 0, "SIZE", set_scratchsize, "memory for alloca() and copyin()" },
	{ "setenv", OWN, OUTSIDE, 0, "NAME=VALUE", set_setenv, "environment variable for the command of -c" },
	{ "specsize", OWN, STARTING, 0, "SIZE", set_specsize, "maximum size of a speculation" },
	{ "stackframes", OWN, STARTING, 0, "N", set_stackframes, "default number of frames of stack(), at most 127" },
	{ "stackindent", OWN, ANYTIME, 0, "N", set_stackindent, "spaces before each frame" },
	{ "statusrate", RATE, STARTING, AT(statusrate_ns), NULL, NULL, "interval between reports of drops" },
	{ "stdc", WORD, OUTSIDE, AT(standard), "a c s t", NULL, "s: the preprocessor is as before ISO C (also -X)" },
	{ "strip", FLAG, COMPILING, UNUSED_FLAG, NULL, NULL, option_nothing },
	{ "strsize", OWN, STARTING, 0, "SIZE", set_strsize, "maximum size of a string" },
	{ "switchrate", RATE, ANYTIME, AT(switchrate_ns), NULL, NULL, "interval between reads of records" },
	{ "syslibdir", STRING, COMPILING, UNUSED_STRING, NULL, NULL, option_nothing },
	{ "sysslice", STRING, COMPILING, UNUSED_STRING, NULL, NULL, option_nothing },
	{ "temporal", SWITCH, ANYTIME, UNUSED_FLAG, NULL, NULL, option_nothing },
	{ "tree", OWN, COMPILING, 0, "N", set_tree,
	  "print the tree of the program; 1: as it is read, 2: with types, 3: both" },
	{ "tregs", OWN, COMPILING, 0, "N", set_positive, option_nothing },
	{ "udefs", FLAG_OFF, COMPILING, UNUSED_FLAG, NULL, NULL, option_nothing },
	{ "undef", ARGUMENT, OUTSIDE, AT(cpp_args), "-U", NULL, "NAME for the preprocessor (also -U)" },
	{ "unodefs", FLAG, COMPILING, UNUSED_FLAG, NULL, NULL, option_nothing },
	{ "unsafe", FLAG, OUTSIDE, AT(allow_denied), NULL, NULL, "allow probes that can hang or crash the VM" },
	{ "unsetenv", OWN, OUTSIDE, 0, "NAME", set_unsetenv, "remove this variable from the environment of -c" },
	{ "useruid", OWN, COMPILING, 0, "N", set_number, option_nothing },
	{ "ustackframes", OWN, STARTING, 0, "N", set_ustackframes,
	  "default number of frames of ustack(), at most 127" },
	{ "ustacklines", SWITCH, ANYTIME, IN_CONSUMER(stack_lines), NULL, NULL,
	  "show the file and the line of Erlang frames of ustack(), jstack()" },
	{ "verbose", FLAG, COMPILING, AT(show_ir), NULL, NULL, "print intermediate code (also -S)" },
	{ "version", OWN, COMPILING, 0, "X.Y.Z", set_version, "version that the program was written for" },
	{ "via", OWN, OUTSIDE, 0, "vm", set_via, "allow breakpoints of the VM, for the provider beam" },
	{ "zdefs", FLAG, COMPILING, AT(zero_ok), NULL, NULL,
	  "a description without a matching probe is not an error (also -Z)" },
};

const size_t option_row_count = sizeof(option_rows) / sizeof(*option_rows);
