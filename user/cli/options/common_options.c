// SPDX-License-Identifier: BSD-2-Clause
#include "cli/options/common_options.h"

#include <ctype.h>
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "base/log.h"
#include "base/percent.h"
#include "cli/options/parse.h"
#include "cli/options/when.h"
#include "cli/options/words.h"
#include "node/memory/erlid.h"
#include "out/format.h"

static const struct option_choice keys[] = {
	{ "pid", TAKES_BY_PID, TAKES_BY_PID },
	{ "name", TAKES_BY_NAME, TAKES_BY_NAME },
	{ "mfa", TAKES_BY_MFA, TAKES_BY_MFA },
	{ "node", TAKES_BY_NODE, TAKES_BY_NODE },
	{ "scheduler", TAKES_BY_SCHEDULER, TAKES_BY_SCHEDULER },
	{ "function", TAKES_BY_FUNCTION, TAKES_BY_FUNCTION },
	{ "port", TAKES_BY_PORT, TAKES_BY_PORT },
	{ "table", TAKES_BY_TABLE, TAKES_BY_TABLE },
	{ "peer", TAKES_BY_PEER, TAKES_BY_PEER },
	{ "kind", TAKES_BY_KIND, TAKES_BY_KIND },
	{ "lock", TAKES_BY_LOCK, TAKES_BY_LOCK },
	{ "pair", TAKES_BY_PAIR, TAKES_BY_PAIR },
	{ "tag", TAKES_BY_TAG, TAKES_BY_TAG },
	{ "caller", TAKES_BY_CALLER, TAKES_BY_CALLER },
	{ "arg", TAKES_BY_ARGUMENT, TAKES_BY_ARGUMENT },
	{},
};

static const struct option_choice formats[] = {
	{ "text", SINK_TEXT, 0 },
	{ "json", SINK_JSON, 0 },
	{ "csv", SINK_CSV, 0 },
	{},
};

static const struct option_choice spellings[] = {
	{ "erlang", SPELLING_ERLANG, 0 },
	{ "elixir", SPELLING_ELIXIR, 0 },
	{},
};

static const struct option_choice sources[] = {
	{ "usdt", SOURCE_USDT, 0 },
	{ "symbol", SOURCE_SYMBOL, 0 },
	{},
};

static const struct option_choice vias[] = {
	{ "vm", VIA_VM, 0 },
	{ "hw", VIA_HW, 0 },
	{},
};

static const struct option_choice paces[] = {
	{ "bounded", PACE_SAMPLE, 0 },
	{ "always", PACE_ALWAYS, 0 },
	{ "never", PACE_NEVER, 0 },
	{},
};

static const struct option_choice severities[] = {
	{ "warn", 1, 0 },
	{ "critical", 2, 0 },
	{},
};

/* --- Handlers ---------------------------------------------------------------------------------------------- */

static struct options *options_of(void *parsed)
{
	return &((struct parsed *)parsed)->options;
}

const char *common_options_pids(struct options *o, const char *text)
{
	const char *at = text;

	do {
		char *end;
		long pid;

		errno = 0;
		pid = strtol(at, &end, 10);
		if (!isdigit((unsigned char)*at) || errno || pid <= 0 || pid > INT32_MAX || (*end && *end != ','))
			return "expected process numbers, such as 1234 or 1234,5678";
		if (o->pid_count == OPTIONS_MAX_PIDS)
			return "at most 256 processes can be named";
		o->pids[o->pid_count++] = (pid_t)pid;
		at = *end ? end + 1 : NULL;
	} while (at);
	return NULL;
}

static const char *take_pids(void *data, const char *text)
{
	return common_options_pids(options_of(data), text);
}

/* The words live as long as the process. */
static const char *take_command(void *data, const char *text)
{
	char **words = calloc(strlen(text) / 2 + 2, sizeof(*words));
	char *copy = strdup(text);

	if (copy && words && words_split(copy, words) > 0) {
		options_of(data)->command = words;
		return NULL;
	}
	text = copy && words ? "expected a command, with every quote closed" : option_no_memory;
	free(copy);
	free(words);
	return text;
}

static const char *take_user(void *data, const char *text)
{
	struct target_selector *selector = &options_of(data)->select;
	const struct passwd *found;
	unsigned long long number;
	char *end;

	selector->user = text;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (isdigit((unsigned char)*text) && !*end) {
		selector->uid = (uid_t)number;
		return errno || number >= (uid_t)-1 ? "expected the name or number of a user" : NULL;
	}
	found = getpwnam(text);
	if (!found)
		return "no such user on this machine; use the user's number";
	selector->uid = found->pw_uid;
	return NULL;
}

static const char *take_erl_pid(void *data, const char *value)
{
	return erlid_parse(value, &options_of(data)->erl_pid) ? "expected a pid of the node, such as '<0.91.0>'" : NULL;
}

static const char *take_when(void *data, const char *value)
{
	return when_parse(value, &options_of(data)->when, options_of(data)->when_atoms);
}

const char *common_options_overhead(struct options *o, const char *value)
{
	if (!percent_parse(value, &o->max_overhead))
		return "expected a percentage, such as 5%, or 0 for no limit";
	o->has_overhead = true;
	if (o->max_overhead <= 0)
		o->pace = PACE_ALWAYS;
	else if (o->pace == PACE_ALWAYS)
		o->pace = PACE_DEFAULT;
	return NULL;
}

static const char *take_overhead(void *data, const char *value)
{
	return common_options_overhead(options_of(data), value);
}

enum name_spelling common_options_names(void)
{
	const char *names = getenv("ERLBPF_NAMES");

	for (const struct option_choice *c = spellings; names && c->name; c++) {
		if (!strcmp(c->name, names))
			return (enum name_spelling)c->value;
	}
	return SPELLING_OF_FORMAT;
}

/* --- The table --------------------------------------------------------------------------------------------- */

#define TO(member) .to = offsetof(struct parsed, member)

#define SELECTS_NODES .needs = TAKES_TARGETS, .commands = COMMAND_PROFILE | COMMAND_EXPORT | COMMAND_DTRACE

static const struct option_row rows[] = {
	{ "pid", 'p', "PID[,PID]", .commands = COMMAND_PROFILE, .needs = TAKES_TARGETS, .take = take_pids,
	  .offer = OFFER_PIDS },
	{ "node", 0, "NAME", SELECTS_NODES, .kind = OPTION_TEXT, TO(options.select.node) },
	{ "pod", 0, "NAME", SELECTS_NODES, .kind = OPTION_TEXT, TO(options.select.pod) },
	{ "container", 0, "ID", SELECTS_NODES, .kind = OPTION_TEXT, TO(options.select.container) },
	{ "cgroup", 0, "PATH", SELECTS_NODES, .kind = OPTION_TEXT, TO(options.select.cgroup), .offer = OFFER_FOLDERS },
	{ "comm", 0, "NAME", SELECTS_NODES, .kind = OPTION_TEXT, TO(options.select.comm) },
	{ "exe", 0, "PATH", SELECTS_NODES, .kind = OPTION_TEXT, TO(options.select.exe), .offer = OFFER_FILES },
	{ "user", 0, "USER", SELECTS_NODES, .take = take_user },
	{ "pod-logs", 0, "DIR", SELECTS_NODES, .kind = OPTION_TEXT, TO(options.select.pod_logs),
	  .offer = OFFER_FOLDERS },
	{ "no-wait", .commands = COMMAND_PROFILE | COMMAND_DTRACE, .needs = TAKES_TRACE | TAKES_WHY,
	  .kind = OPTION_FLAG, TO(options.no_wait) },
	{ "heal", .needs = TAKES_HEAL, .kind = OPTION_FLAG, TO(options.heal) },
	{ "cmd", 'c', "COMMAND", .commands = COMMAND_PROFILE, .needs = TAKES_TRACE, .take = take_command,
	  .offer = OFFER_COMMANDS },
	{ "duration", 'd', "TIME", .commands = COMMAND_PROFILE, .needs = TAKES_TRACE | TAKES_WHY, .kind = OPTION_TIME,
	  TO(options.duration_ns) },
	{ "interval", 'i', "TIME", .needs = TAKES_TRACE, .kind = OPTION_TIME, TO(options.interval_ns) },
	{ "count", 0, "N", .needs = TAKES_TRACE, .kind = OPTION_NUMBER, TO(options.count), .least = 1 },
	{ "by", 0, "KEY", .needs = TAKES_BY_ANY, .kind = OPTION_CHOICE, TO(options.by), .choices = keys },
	{ "arg", 0, "N", .needs = TAKES_BY_ARGUMENT, .kind = OPTION_NUMBER, TO(options.argument), .least = 1,
	  .most = 16 },
	{ "erl-pid", 0, "<0.N.S>", .commands = COMMAND_PROFILE, .needs = TAKES_ERL_PID, .take = take_erl_pid },
	{ "min", 0, "TIME", .needs = TAKES_MIN, .kind = OPTION_TIME, TO(options.min_ns) },
	{ "time", .needs = TAKES_VM_FUNCTIONS, .kind = OPTION_FLAG, TO(options.time) },
	{ "length", .needs = TAKES_LENGTH, .kind = OPTION_FLAG, TO(options.length) },
	{ "show", .needs = TAKES_SHOW, .kind = OPTION_FLAG, TO(options.show) },
	{ "entry", .needs = TAKES_VIA, .kind = OPTION_FLAG, TO(options.entry) },
	{ "via", 0, "HOW", .needs = TAKES_VIA, .kind = OPTION_CHOICE, TO(options.via), .choices = vias },
	{ "when", 0, "CONDITION", .needs = TAKES_VIA, .take = take_when },
	{ "cookie-file", 0, "FILE", .needs = TAKES_VIA, .kind = OPTION_TEXT, TO(options.cookie_file),
	  .offer = OFFER_FILES },
	{ "call-limit", 0, "N", .needs = TAKES_VIA, .kind = OPTION_NUMBER, TO(options.call_limit), .least = 1 },
	{ "sort", 0, "COLUMN", .needs = TAKES_VIEW | TAKES_BY_ANY, .kind = OPTION_TEXT, TO(options.sort) },
	{ "filter", 0, "TEXT", .needs = TAKES_VIEW, .kind = OPTION_TEXT, TO(options.filter) },
	{ "rows", 0, "N", .commands = COMMAND_PROFILE | COMMAND_PROFILE_FILES, .needs = TAKES_VIEW | TAKES_BY_ANY,
	  .kind = OPTION_NUMBER, TO(options.rows), .least = 1 },
	{ "hist", .needs = TAKES_BY_ANY, .kind = OPTION_FLAG, TO(options.with_hist) },
	{ "max-overhead", 0, "PERCENT", .needs = TAKES_TRACE, .take = take_overhead },
	{ "sample", .needs = TAKES_TRACE, .kind = OPTION_SET, TO(options.pace), .value = PACE_SAMPLE },
	{ "exact", .needs = TAKES_TRACE, .kind = OPTION_SET, TO(options.pace), .value = PACE_ALWAYS },
	{ "probes", 0, "WHEN", .needs = TAKES_PACE, .kind = OPTION_CHOICE, TO(options.pace), .choices = paces },
	{ "source", 0, "SOURCE", .needs = TAKES_SOURCE, .kind = OPTION_CHOICE, TO(options.source), .choices = sources },
	{ "unsafe", .needs = TAKES_SOURCE, .kind = OPTION_FLAG, TO(options.allow_denied) },
	{ "format", 'f', "FORMAT", .needs = TAKES_FORMAT, .kind = OPTION_CHOICE, TO(options.format),
	  .choices = formats },
	{ "json", 'j', .needs = TAKES_FORMAT, .kind = OPTION_SET, TO(options.format), .value = SINK_JSON },
	{ "names", 0, "SPELLING", .commands = COMMAND_PROFILE, .needs = TAKES_TRACE | TAKES_WHY, .kind = OPTION_CHOICE,
	  TO(options.names), .choices = spellings },
	{ "output", 'o', "FILE", .commands = COMMAND_PROFILE | COMMAND_PROFILE_FILES, .needs = TAKES_TRACE,
	  .kind = OPTION_TEXT, TO(options.output), .offer = OFFER_FILES },
	{ "timestamp", 'T', .needs = TAKES_TRACE, .kind = OPTION_FLAG, TO(options.show_time) },
	{ "milliseconds", 'm', .needs = TAKES_TRACE, .kind = OPTION_FLAG, TO(options.milliseconds) },
	{ "fail-on", 0, "SEVERITY", .needs = TAKES_WHY, .kind = OPTION_CHOICE, TO(options.fail_on),
	  .choices = severities },
	{ "strict", .needs = TAKES_TRACE, .kind = OPTION_FLAG, TO(options.strict) },
	{ "keep-caps", .commands = COMMAND_PROFILE, .needs = TAKES_TRACE, .kind = OPTION_FLAG, TO(options.keep_caps) },
	{ "quiet", 'q', .commands = COMMAND_PROFILE | COMMAND_EXPORT, .kind = OPTION_SET, TO(verbosity),
	  .value = LOG_QUIET },
	{ "verbose", 'v', .commands = COMMAND_PROFILE | COMMAND_EXPORT, .kind = OPTION_MORE, TO(verbosity) },
	{ "help", 'h', .commands = COMMAND_PROFILE | COMMAND_EXPORT | COMMAND_PROFILE_FILES, .kind = OPTION_FLAG,
	  TO(wants_help), .is_last = true },
	{ "version", 'V', .kind = OPTION_FLAG, TO(wants_version), .is_last = true },
};

EMBED("common_options_text", "user/cli/options/options.txt");
extern const char common_options_text[];
extern const size_t common_options_text_size;

const struct option_part common_options = { rows, sizeof(rows) / sizeof(*rows), common_options_text,
					    &common_options_text_size };
