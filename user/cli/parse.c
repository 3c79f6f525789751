// SPDX-License-Identifier: BSD-2-Clause
#include "cli/parse.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/words.h"
#include "out/sink.h"
#include "node/erlid.h"

enum long_option {
	OPT_NODE = 256,
	OPT_COUNT,
	OPT_BY,
	OPT_ERL_PID,
	OPT_MIN,
	OPT_LENGTH,
	OPT_SHOW,
	OPT_SOURCE,
	OPT_STRICT,
	OPT_UNSAFE,
	OPT_SORT,
	OPT_FILTER,
	OPT_ROWS,
	OPT_PROBES,
	OPT_TIME,
};

static const struct {
	struct argp_option option;
	unsigned int needs; /* any of these of enum option_set; 0: all commands take it */
} known[] = {
	{ { "pid", 'p', "PID[,PID]", 0, "these processes (default: every BEAM, later ones too)", 0 }, TAKES_TARGETS },
	{ { "node", OPT_NODE, "NAME", 0, "the node of this name", 0 }, TAKES_TARGETS },
	{ { "cmd", 'c', "COMMAND", 0, "start COMMAND, trace it, end with it", 0 }, TAKES_TRACE },
	{ { "duration", 'd', "TIME", 0, "end after this time (seconds, or 500ms, 2m)", 0 }, TAKES_TRACE },
	{ { "interval", 'i', "TIME", 0, "print and clear at this interval", 0 }, TAKES_TRACE },
	{ { "count", OPT_COUNT, "N", 0, "end after N intervals", 0 }, TAKES_TRACE },
	{ { "by", OPT_BY, "KEY", 0, "one result per", 0 }, TAKES_BY_ANY },
	{ { "erl-pid", OPT_ERL_PID, "<0.N.S>", 0, "only this Erlang process", 0 }, TAKES_ERL_PID },
	{ { "min", OPT_MIN, "TIME", 0, "print each case of at least this time (1ms, 250us)", 0 }, TAKES_MIN },
	{ { "time", OPT_TIME, NULL, 0, "how long calls take, and not how many there are", 0 }, TAKES_VM_FUNCTIONS },
	{ { "length", OPT_LENGTH, NULL, 0, "a histogram of the queue's length instead of the time", 0 }, TAKES_LENGTH },
	{ { "show", OPT_SHOW, NULL, 0, "what is in messages and arguments, as Erlang prints it", 0 }, TAKES_SHOW },
	{ { "sort", OPT_SORT, "COLUMN", 0, "order by this column; -COLUMN is the other way round", 0 }, TAKES_VIEW },
	{ { "filter", OPT_FILTER, "TEXT", 0, "only rows with this text in them", 0 }, TAKES_VIEW },
	{ { "rows", OPT_ROWS, "N", 0, "print at most N rows", 0 }, TAKES_VIEW },
	{ { "probes", OPT_PROBES, "WHEN", 0, "bounded (default), always or never: see above", 0 }, TAKES_PACE },
	{ { "timestamp", 'T', NULL, 0, "print times", 0 }, TAKES_TRACE },
	{ { "milliseconds", 'm', NULL, 0, "print durations in milliseconds", 0 }, TAKES_TRACE },
	{ { "format", 'f', "FORMAT", 0, "text, json or csv", 0 }, TAKES_FORMAT },
	{ { "json", 'j', NULL, 0, "the same as -f json", 0 }, TAKES_FORMAT },
	{ { "output", 'o', "FILE", 0, "write there", 0 }, TAKES_TRACE },
	{ { "source", OPT_SOURCE, "SOURCE", 0, "take probes from usdt or from symbol only", 0 }, TAKES_SOURCE },
	{ { "strict", OPT_STRICT, NULL, 0, "exit with 5 if data was lost", 0 }, TAKES_TRACE },
	{ { "unsafe", OPT_UNSAFE, NULL, 0, "also probes that can hang or crash the VM", 0 }, TAKES_SOURCE },
	{ { "quiet", 'q', NULL, 0, "no messages but errors", 0 }, 0 },
	{ { "verbose", 'v', NULL, 0, "more to read; twice: libbpf's messages too", 0 }, 0 },
	{ { "help", 'h', NULL, 0, "this help", 0 }, 0 },
	{ { "version", 'V', NULL, 0, "the version", 0 }, 0 },
};

#define KNOWN (sizeof(known) / sizeof(*known))

static const struct {
	const char *name;
	enum option_set key;
} keys[] = {
	{ "pid", TAKES_BY_PID },   { "name", TAKES_BY_NAME },		{ "mfa", TAKES_BY_MFA },
	{ "node", TAKES_BY_NODE }, { "scheduler", TAKES_BY_SCHEDULER }, { "function", TAKES_BY_FUNCTION },
	{ "port", TAKES_BY_PORT }, { "table", TAKES_BY_TABLE },		{ "peer", TAKES_BY_PEER },
	{ "kind", TAKES_BY_KIND }, { "lock", TAKES_BY_LOCK },		{ "pair", TAKES_BY_PAIR },
	{ "tag", TAKES_BY_TAG },
};

#define KEYS (sizeof(keys) / sizeof(*keys))

/* "pid, name or node": the keys of --by that are taken. */
static const char *list_keys(unsigned int takes, char *buf, size_t size)
{
	size_t left = 0, n = 0;

	for (size_t i = 0; i < KEYS; i++)
		left += (keys[i].key & takes) != 0;
	buf[0] = '\0';
	for (size_t i = 0; i < KEYS && n < size; i++) {
		if (!(keys[i].key & takes))
			continue;
		left--;
		n += (size_t)snprintf(buf + n, size - n, "%s%s", keys[i].name, left > 1 ? ", " : left ? " or " : "");
	}
	return buf;
}

struct state {
	const char *command;
	unsigned int takes;
	struct parsed *parsed;
	unsigned int words;
	int next; /* word that argp would have read next when it failed */
};

static _Noreturn void usage(const struct state *s, const char *what, const char *value)
{
	pr_err("%s: %s%s%s%s; `erlbpf help %s` shows what it takes", s->command, what, value ? " \"" : "",
	       value ? value : "", value ? "\"" : "", s->command);
	exit(EXIT_USAGE);
}

static bool is_taken(const struct state *s, unsigned int needs)
{
	return !needs || needs & s->takes;
}

static uint64_t parse_time(const struct state *s, const char *text, const char *what)
{
	uint64_t ns;

	if (duration_parse(text, NS_PER_S, &ns) || !ns)
		usage(s, what, text);
	return ns;
}

static uint64_t parse_count(const struct state *s, const char *text)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || *end || errno || !n)
		usage(s, "a count is a number from 1 on, not", text);
	return n;
}

static void parse_pids(const struct state *s, const char *text)
{
	struct options *o = &s->parsed->options;
	const char *at = text;

	do {
		char *end;
		long pid;

		errno = 0;
		pid = strtol(at, &end, 10);
		if (!isdigit((unsigned char)*at) || errno || pid <= 0 || pid > INT32_MAX || (*end && *end != ','))
			usage(s, "-p wants process numbers, like 1234 or 1234,5678, not", text);
		if (o->pid_count == OPTIONS_MAX_PIDS)
			usage(s, "-p takes at most 256 processes", NULL);
		o->pids[o->pid_count++] = (pid_t)pid;
		at = *end ? end + 1 : NULL;
	} while (at);
}

static enum option_set parse_by(const struct state *s, const char *text)
{
	char known_keys[96], what[128];

	for (size_t i = 0; i < KEYS; i++) {
		if (!strcmp(text, keys[i].name) && keys[i].key & s->takes)
			return keys[i].key;
	}
	snprintf(what, sizeof(what), "--by wants %s, not", list_keys(s->takes, known_keys, sizeof(known_keys)));
	usage(s, what, text);
}

/* The words live as long as the process. */
static void parse_command(struct state *s, const char *value)
{
	char **words = calloc(strlen(value) / 2 + 2, sizeof(*words));
	char *text = strdup(value);

	if (!text || !words)
		exit(EXIT_FAILED);
	if (words_split(text, words) <= 0) {
		free(text);
		free(words);
		usage(s, "-c wants a command, not", value);
	}
	s->parsed->options.command = words;
}

static void parse_source(const struct state *s, const char *text)
{
	for (enum source source = SOURCE_USDT; source <= SOURCE_SYMBOL; source++) {
		if (!strcmp(text, source_name(source))) {
			s->parsed->options.source = source;
			return;
		}
	}
	usage(s, "--source is usdt or symbol, not", text);
}

/* MODULE:FUNCTION/ARITY, or the beginning of one and "*". */
static void check_function(const struct state *s, const char *text)
{
	const char *star = strchr(text, '*');

	if (strlen(text) > OPTIONS_MAX_FUNCTION || (star ? star[1] : !strchr(text, '/')))
		usage(s, "a function is MODULE:FUNCTION/ARITY, or the beginning of one and \"*\", not", text);
}

static void parse_pace(const struct state *s, const char *text)
{
	static const char *const names[] = {
		[PACE_BOUNDED] = "bounded",
		[PACE_ALWAYS] = "always",
		[PACE_NEVER] = "never",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(text, names[i])) {
			s->parsed->options.pace = (enum pace_mode)i;
			return;
		}
	}
	usage(s, "--probes is bounded, always or never, not", text);
}

static void parse_word(struct state *s, const char *word)
{
	struct options *o = &s->parsed->options;

	s->parsed->topic = s->parsed->topic ? s->parsed->topic : word;
	if (s->takes & (TAKES_GLOB | TAKES_VM_FUNCTIONS | TAKES_FUNCTIONS) && !o->glob &&
	    !isdigit((unsigned char)word[0])) {
		if (s->takes & TAKES_FUNCTIONS)
			check_function(s, word);
		o->glob = word;
		o->chose_glob = true;
		return;
	}
	if (!strcmp(s->command, "help"))
		return;
	if (!(s->takes & TAKES_TRACE))
		usage(s, "does not take", word);
	if (s->words == 0)
		o->interval_ns = parse_time(s, word, "the interval is a time, like 1 or 500ms, not");
	else if (s->words == 1)
		o->count = parse_count(s, word);
	else
		usage(s, "too many words, from", word);
	s->words++;
}

static error_t parse_one(int key, char *value, struct argp_state *argp)
{
	struct state *s = argp->input;
	struct options *o = &s->parsed->options;

	switch (key) {
	case 'p': parse_pids(s, value); break;
	case OPT_NODE: o->node = value; break;
	case 'c': parse_command(s, value); break;
	case 'd': o->duration_ns = parse_time(s, value, "-d wants a time, like 10 or 500ms, not"); break;
	case 'i': o->interval_ns = parse_time(s, value, "-i wants a time, like 1 or 500ms, not"); break;
	case OPT_COUNT: o->count = parse_count(s, value); break;
	case OPT_BY: o->by = parse_by(s, value); break;
	case OPT_ERL_PID:
		if (erlid_parse(value, &o->erl_pid))
			usage(s, "--erl-pid wants a pid of the node, like '<0.91.0>', not", value);
		break;
	case OPT_MIN: o->min_ns = parse_time(s, value, "--min wants a time, like 1ms or 250us, not"); break;
	case OPT_TIME: o->time = true; break;
	case OPT_LENGTH: o->length = true; break;
	case OPT_SHOW: o->show = true; break;
	case OPT_SORT: o->sort = value; break;
	case OPT_FILTER: o->filter = value; break;
	case OPT_ROWS: o->rows = parse_count(s, value); break;
	case OPT_PROBES: parse_pace(s, value); break;
	case 'T': o->show_time = true; break;
	case 'm': o->milliseconds = true; break;
	case 'f':
		if (sink_format_parse(value, &o->format))
			usage(s, "-f is text, json or csv, not", value);
		break;
	case 'j': o->format = SINK_JSON; break;
	case 'o': o->output = value; break;
	case OPT_SOURCE: parse_source(s, value); break;
	case OPT_STRICT: o->strict = true; break;
	case OPT_UNSAFE: o->allow_denied = true; break;
	case 'q': s->parsed->verbosity = -1; break;
	case 'v': s->parsed->verbosity++; break;
	case 'h':
		s->parsed->wants_help = true;
		argp->next = argp->argc;
		break;
	case 'V':
		s->parsed->wants_version = true;
		argp->next = argp->argc;
		break;
	case ARGP_KEY_ARG: parse_word(s, value); break;
	case ARGP_KEY_ERROR: s->next = argp->next; break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void set_functions(const struct state *s)
{
	struct options *o = &s->parsed->options;
	struct function_wish *wish = &o->functions;
	const char *why;
	char what[256];

	if (!o->glob)
		usage(s, "which function? a name or a glob, like 'ets_*_2'", NULL);
	if (function_spec_parse(o->glob, &wish->spec, &why)) {
		snprintf(what, sizeof(what), "%s:", why);
		usage(s, what, o->glob);
	}
	if (o->show && (o->time || o->by))
		usage(s, "--show prints calls; --time and --by make histograms of them", NULL);
	wish->mode = o->show ? FUNCTIONS_SHOW : o->time || o->by || o->min_ns ? FUNCTIONS_TIME : FUNCTIONS_COUNT;
	wish->needs_process = o->erl_pid != 0;
	wish->wants_process = wish->needs_process || o->show || o->min_ns || o->by & TAKES_BY_PROCESS;
}

static void check(const struct state *s)
{
	const struct options *o = &s->parsed->options;

	if (o->count && !o->interval_ns)
		usage(s, "--count wants an interval, like -i 1", NULL);
	if (o->command && o->pid_count)
		usage(s, "-c and -p do not go together", NULL);
	if (o->node && o->pid_count)
		usage(s, "--node and -p do not go together", NULL);
}

void parse_options(const char *command, unsigned int takes, int argc, char **argv, struct parsed *parsed)
{
	struct argp_option options[KNOWN + 1] = {};
	struct argp argp = { .options = options, .parser = parse_one };
	struct state state = { .command = command, .takes = takes, .parsed = parsed };
	size_t n = 0;

	for (size_t i = 0; i < KNOWN; i++) {
		if (is_taken(&state, known[i].needs))
			options[n++] = known[i].option;
	}
	*parsed = (struct parsed){};
	/* Our own help and messages: argp's know neither examples nor what to do next. */
	if (argp_parse(&argp, argc, argv, ARGP_NO_HELP | ARGP_NO_ERRS, NULL, &state))
		usage(&state, "does not take, or wants a value for,", argv[state.next > 0 ? state.next - 1 : 0]);
	if (parsed->wants_help || parsed->wants_version)
		return;
	/* To trace them all would be much; to list them is not. */
	if (takes & TAKES_VM_FUNCTIONS)
		set_functions(&state);
	if (!parsed->options.glob)
		parsed->options.glob = takes & TAKES_TRACE ? "*" : "*:*";
	check(&state);
}

void parse_print_usage(const char *tool, unsigned int takes)
{
	const char *word = takes & TAKES_GLOB		? " [GLOB]"
			   : takes & TAKES_FUNCTIONS	? " [FUNCTION]"
			   : takes & TAKES_VM_FUNCTIONS ? " FUNCTION"
							: "";

	printf("erlbpf %s [OPTIONS]%s [interval [count]]\n", tool, word);
}

void parse_print_options(unsigned int takes)
{
	struct state state = { .takes = takes };

	for (size_t i = 0; i < KNOWN; i++) {
		const struct argp_option *o = &known[i].option;
		bool has_letter = o->key < OPT_NODE;
		char left[48], by[96];

		if (!is_taken(&state, known[i].needs))
			continue;
		snprintf(left, sizeof(left), "%s%c%s--%s%s%s", has_letter ? "-" : " ", has_letter ? o->key : ' ',
			 has_letter ? ", " : "  ", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
		printf("  %-28s %s%s%s\n", left, o->doc, o->key == OPT_BY ? " " : "",
		       o->key == OPT_BY ? list_keys(takes, by, sizeof(by)) : "");
	}
}
