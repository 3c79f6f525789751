// SPDX-License-Identifier: BSD-2-Clause
#include "cli/options/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/percent.h"
#include "base/duration.h"
#include "base/log.h"
#include "cli/options/select_options.h"
#include "cli/options/when.h"
#include "cli/options/words.h"
#include "node/memory/erlid.h"
#include "node/atoms/spelling.h"
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
	{ "bounded", PACE_BOUNDED, 0 },
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

static const char *take_pids(void *data, const char *text)
{
	struct options *o = &((struct parsed *)data)->options;

	return select_take_pids(o->pids, &o->pid_count, text);
}

static const char *take_command(void *data, const char *value)
{
	return select_take_command(&((struct parsed *)data)->options.command, value);
}

static const char *take_erl_pid(void *data, const char *value)
{
	struct parsed *parsed = data;

	return erlid_parse(value, &parsed->options.erl_pid) ? "expected a pid of the node, such as '<0.91.0>'" : NULL;
}

static const char *take_when(void *data, const char *value)
{
	struct options *o = &((struct parsed *)data)->options;

	return when_parse(value, &o->when, o->when_atoms);
}

static const char *take_overhead(void *data, const char *value)
{
	struct options *o = &((struct parsed *)data)->options;

	if (!percent_parse(value, &o->max_overhead))
		return "expected a percentage, such as 5%, or 0 for no limit";
	o->has_overhead = true;
	o->pace = o->max_overhead > 0 ? PACE_BOUNDED : PACE_ALWAYS;
	return NULL;
}

static const char *take_user(void *data, const char *value)
{
	return select_take_user(&((struct parsed *)data)->options.select, value);
}

/* --- The table --------------------------------------------------------------------------------------------- */

#define TO(member) .to = offsetof(struct parsed, member)

static const struct option_row rows[] = {
	{ .name = "pid",
	  .letter = 'p',
	  .argument = "PID[,PID]",
	  .needs = TAKES_TARGETS,
	  .help = "trace these processes (default: every Erlang node, also new ones)",
	  .section = "Targets",
	  .manual =
		  "Trace these processes only, at most 256. The trace ends when the last of them ends. Default: every\n"
		  "Erlang node of the machine, also those that start later. Not together with *-c*, *--node* and other "
		  "options that select nodes.\n"
		  "Example: *-p 1234,5678*.",
	  .kind = OPTION_CALL,
	  .take = take_pids,
	  .offer = OFFER_PIDS },
	SELECT_ROWS(TAKES_TARGETS, struct parsed, options.select, take_user),
	{ .name = "no-wait",
	  .needs = TAKES_TRACE | TAKES_WHY,
	  .help = "do not wait for a node that does not run yet",
	  .manual = "If *--node* or another option selects nodes and none of them runs, a tool and *why* wait for one, "
		    "and what\n"
		    "*--duration* and *--interval* count begins when it is traced. With this option they end with the "
		    "exit\n"
		    "status 3 instead. *list* and *doctor* show what is there, and never wait.",
	  .kind = OPTION_FLAG,
	  TO(options.no_wait) },
	{ .name = "heal",
	  .needs = TAKES_HEAL,
	  .help = "remove breakpoints that no tracer uses, and lower their semaphores",
	  .manual = "Remove the breakpoints that a tracer has left behind in the nodes, and lower the semaphores that "
		    "it raised. What\n"
		    "a running tracer uses stays. A node to which a debugger is attached is not changed. See *SAFETY*.",
	  .kind = OPTION_FLAG,
	  TO(options.heal) },
	{ .name = "cmd",
	  .letter = 'c',
	  .argument = "COMMAND",
	  .needs = TAKES_TRACE,
	  .help = "start COMMAND, trace it, and stop when it exits",
	  .manual =
		  "Start _COMMAND_, trace the Erlang nodes among it and its descendants, and stop when it exits.\n"
		  "_COMMAND_ is split at blanks; single and double quotes keep blanks together; no shell is involved.\n"
		  "It starts when *erlbpf* is ready. *erlbpf* finds a node about 20 ms after the node has created its\n"
		  "process table; earlier events are not traced. If no node is found, the exit status is 3.\n"
		  "_COMMAND_ writes to the same output as *erlbpf*; *-o* separates them. When the trace "
		  "ends\n"
		  "first, *erlbpf* sends SIGTERM to _COMMAND_ and waits for it. Its exit status is ignored.",
	  .kind = OPTION_CALL,
	  .take = take_command,
	  .offer = OFFER_COMMANDS },
	{ .name = "duration",
	  .letter = 'd',
	  .argument = "TIME",
	  .needs = TAKES_TRACE | TAKES_WHY,
	  .help = "stop after this time (10 means seconds; or 500ms, 2m)",
	  .section = "Time",
	  .manual = "Stop after this time. Default: at SIGINT or SIGTERM; of *why*, 10 seconds.",
	  .kind = OPTION_TIME,
	  TO(options.duration_ns) },
	{ .name = "interval",
	  .letter = 'i',
	  .argument = "TIME",
	  .needs = TAKES_TRACE,
	  .help = "print and clear the results at this interval",
	  .manual = "Print and clear the results at this interval. Default: print once, at the end. The last interval "
		    "is\n"
		    "printed even if it is not complete.",
	  .kind = OPTION_TIME,
	  TO(options.interval_ns) },
	{ .name = "count",
	  .argument = "N",
	  .needs = TAKES_TRACE,
	  .help = "stop after N intervals",
	  .manual = "Stop after _N_ intervals. It needs an interval. Default: no limit.",
	  .kind = OPTION_NUMBER,
	  TO(options.count),
	  .least = 1 },
	{ .name = "by",
	  .argument = "KEY",
	  .needs = TAKES_BY_ANY,
	  .help = "one result per",
	  .section = "What is measured",
	  .manual =
		  "Print one result per key: _pid_ (Erlang process), _name_ (registered name or initial call), _mfa_ "
		  "(the\n"
		  "function the process was spawned with; see *NAMES*), _node_, and others; *erlbpf help* _TOOL_ lists "
		  "the keys "
		  "of a\n"
		  "tool. Default: one result for all. Keys that do not fit into the tables (more than 16384 keys, or\n"
		  "262144 pairs of key and histogram slot, per interval) are counted as _other_.",
	  .kind = OPTION_CHOICE,
	  TO(options.by),
	  .choices = keys },
	{ .name = "arg",
	  .argument = "N",
	  .needs = TAKES_BY_ARGUMENT,
	  .help = "the argument that --by arg means (default: 1)",
	  .manual = "Which argument of the function *--by arg* means, from 1 on. Default: 1. Atoms, integers that are "
		    "not "
		    "negative,\n"
		    "pids and ports are told apart; calls with anything else count together.",
	  .kind = OPTION_NUMBER,
	  TO(options.argument),
	  .least = 1,
	  .most = 16 },
	{ .name = "erl-pid",
	  .argument = "<0.N.S>",
	  .needs = TAKES_ERL_PID,
	  .help = "only this Erlang process",
	  .manual = "Only this Erlang process of the node. For *sched-latency* it is the receiver; *trace* shows the "
		    "hits\n"
		    "that have it among their first four arguments. A node that has no\n"
		    "such process when the trace starts is not traced.",
	  .kind = OPTION_CALL,
	  .take = take_erl_pid },
	{ .name = "min",
	  .argument = "TIME",
	  .needs = TAKES_MIN,
	  .help = "print each case that takes at least this time (1ms, 250us)",
	  .manual =
		  "Print each case that takes at least this time, when it happens. The histogram at the end still has "
		  "all\n"
		  "cases. If none took that long, text says what the longest took.",
	  .kind = OPTION_TIME,
	  TO(options.min_ns) },
	{ .name = "time",
	  .needs = TAKES_VM_FUNCTIONS,
	  .help = "measure how long calls take, instead of counting them",
	  .kind = OPTION_FLAG,
	  TO(options.time) },
	{ .name = "length",
	  .needs = TAKES_LENGTH,
	  .help = "a histogram of mailbox lengths instead of waiting times",
	  .kind = OPTION_FLAG,
	  TO(options.length) },
	{ .name = "show",
	  .needs = TAKES_SHOW,
	  .help = "print messages and arguments as Erlang terms",
	  .manual = "Print messages and arguments that are Erlang terms, as Erlang prints them.",
	  .kind = OPTION_FLAG,
	  TO(options.show) },
	{ .name = "entry",
	  .needs = TAKES_VIA,
	  .help = "count calls of Erlang functions, or show them, when they begin",
	  .manual = "Count calls of Erlang functions, or show them (*--show*), when they begin; how long they take is "
		    "not "
		    "measured.\n"
		    "Without *--via* this is *--via hw*.",
	  .kind = OPTION_FLAG,
	  TO(options.entry) },
	{ .name = "via",
	  .argument = "HOW",
	  .needs = TAKES_VIA,
	  .help = "see Erlang functions by breakpoints of the VM, or by debug registers:",
	  .manual = "_vm_: measure Erlang functions of a VM with the JIT, by breakpoints of the VM, which erlbpf asks "
		    "the node to\n"
		    "set (*erlang:trace_pattern/3* with _call_count_ and _call_time_), as a hidden node. This changes "
		    "the node while\n"
		    "the trace runs, so it must be asked for, and the nodes must be named with *-p* or *--node*. See "
		    "*SAFETY*.\n"
		    "_hw_: calls of up to four Erlang functions as they begin (*--entry*), by debug registers of the "
		    "processor (x86-64).\n"
		    "Nothing of the node changes. On a virtual machine they take *--unsafe*: there a hit can end the "
		    "node. See *SAFETY*.",
	  .kind = OPTION_CHOICE,
	  TO(options.via),
	  .choices = vias },
	{ .name = "when",
	  .argument = "CONDITION",
	  .needs = TAKES_VIA,
	  .help = "with --via or --entry: only calls of which this holds, such as 'arg(1) == ok'",
	  .manual = "With *--via* and *--entry*: only calls of which the condition holds. It compares _arg(N)_ (from 1 "
		    "on), "
		    "_result()_, or an\n"
		    "element of a tuple that one of these is, _element(K, arg(N))_, with an atom, an integer of 60 "
		    "bits or _[]_,\n"
		    "by *==*, *!=*, *<*, *<=*, *>* and *>=* (as well as *=:=*, *=/=*, */=* and *=<*); *&&*, *||*, *!* "
		    "and parentheses "
		    "combine\n"
		    "comparisons, 16 with their operators at most. Nothing holds of the result of a call that has "
		    "none, but what\n"
		    "*!* makes of it. An atom that the node does not have when the trace begins is equal to nothing.",
	  .take = take_when },
	{ .name = "cookie-file",
	  .argument = "FILE",
	  .needs = TAKES_VIA,
	  .help = "with --via vm: the file that has the cookie of the node",
	  .manual = "With *--via vm*: the file that has the cookie of the node. Default: the cookie that the node has "
		    "now, read\n"
		    "from its memory; else what it was started with (*-setcookie*), else _.erlang.cookie_ in the home "
		    "of its user.",
	  .kind = OPTION_TEXT,
	  TO(options.cookie_file),
	  .offer = OFFER_FILES },
	{ .name = "call-limit",
	  .argument = "N",
	  .needs = TAKES_VIA,
	  .help = "with --via or --entry: see no more calls if there are more a second",
	  .manual = "With *--via* and *--entry*: if the functions are called more often than _N_ times a second, the "
		    "breakpoints\n"
		    "are removed, or the debug registers freed, and a message says so. Default: 100000 per node; with "
		    "*--via vm* 2000000\n"
		    "if the VM only counts calls most of the time, that is without *--exact*.",
	  .kind = OPTION_NUMBER,
	  TO(options.call_limit),
	  .least = 1 },
	{ .name = "sort",
	  .argument = "COLUMN",
	  .needs = TAKES_VIEW | TAKES_BY_ANY,
	  .help = "sort by this column; --sort=-COLUMN reverses",
	  .manual = "Sort the rows by this column: largest number first, texts alphabetically. *--sort=-COLUMN* "
		    "reverses\n"
		    "the order. Of the table that *--by* makes of histograms in text, the columns are _key_, _count_, "
		    "_p50_, _p90_,\n"
		    "_p99_, _max_, _total_ (the default) and _name_; other tables have those of the tool, in all "
		    "formats. An unknown column\n"
		    "is an error, and so is this option where no table is printed.",
	  .kind = OPTION_TEXT,
	  TO(options.sort) },
	{ .name = "filter",
	  .argument = "TEXT",
	  .needs = TAKES_VIEW,
	  .help = "only rows that contain this text",
	  .manual = "Only rows with this text in their pid, name, node or another column of text.",
	  .kind = OPTION_TEXT,
	  TO(options.filter) },
	{ .name = "rows",
	  .argument = "N",
	  .needs = TAKES_VIEW | TAKES_BY_ANY,
	  .help = "print at most N rows",
	  .manual = "Print at most _N_ rows of a table; what is left out is counted (_not_shown_ in JSON). Default: of "
		    "the table that\n"
		    "*--by* makes of histograms, and of *locks*, 20 as text; of *top*, as many as fit on the screen, "
		    "50 in JSON and\n"
		    "CSV; else all. Where no table is printed, this option is an error.",
	  .kind = OPTION_NUMBER,
	  TO(options.rows),
	  .least = 1 },
	{ .name = "hist",
	  .needs = TAKES_BY_ANY,
	  .help = "with --by, also the histogram of each row",
	  .manual = "With *--by*, also the histogram of each row of the table. For text only: JSON and CSV have them "
		    "anyway. An\n"
		    "error where *--by* counts only.",
	  .kind = OPTION_FLAG,
	  TO(options.with_hist) },
	{ .name = "max-overhead",
	  .argument = "PERCENT",
	  .needs = TAKES_TRACE,
	  .help = "how much probes may cost a node, in percent of the CPU time that it uses (default: 5%)",
	  .manual = "How much the hits of probes may cost a node, in percent of the CPU time that it uses, or of one "
		    "CPU if it\n"
		    "uses less. If they cost more, the probes are on in short windows only. Numbers are then estimates "
		    "for the\n"
		    "whole time, which text marks with ~ and JSON with _estimated_; percentiles are those of the "
		    "windows. What\n"
		    "a hit costs is measured at start. Default: 5%, and 1% for *top*. 0: no limit, like *--exact*. "
		    "See *OVERHEAD*.",
	  .kind = OPTION_CALL,
	  .take = take_overhead },
	{ .name = "exact",
	  .needs = TAKES_TRACE,
	  .help = "keep the probes on whatever they cost, and count everything",
	  .manual = "Keep the probes on all the time, whatever they cost the node, and count everything.",
	  .kind = OPTION_SET,
	  TO(options.pace),
	  .value = PACE_ALWAYS },
	{ .name = "probes",
	  .argument = "WHEN",
	  .needs = TAKES_PACE,
	  .help = "when probes are on, see above:",
	  .manual = "_bounded_ (default): probes are on while their hits cost the node less than *--max-overhead*. "
		    "Above that,\n"
		    "they are on in short windows to stay below this limit; the numbers are then scaled and, in text, "
		    "marked\n"
		    "with ~. They are also off while the reader of the output is behind. _always_:\n"
		    "exact numbers at any cost. _never_: only columns that need no probe.",
	  .kind = OPTION_CHOICE,
	  TO(options.pace),
	  .choices = paces },
	{ .name = "source",
	  .argument = "SOURCE",
	  .needs = TAKES_SOURCE,
	  .help = "use only the probes in SDT notes, or only those on functions:",
	  .manual = "Use only probes from _usdt_ (SDT notes in the VM's executable) or only from _symbol_ (functions "
		    "of the\n"
		    "VM). Default: the better one for each probe. See *SOURCES*.",
	  .kind = OPTION_CHOICE,
	  TO(options.source),
	  .choices = sources },
	{ .name = "unsafe",
	  .needs = TAKES_SOURCE,
	  .help = "also use probes that can hang or crash the VM, and debug registers on a virtual machine",
	  .manual = "Also use the probes that can hang or crash the VM, and *--via hw* on a virtual machine. See "
		    "*SAFETY*.",
	  .kind = OPTION_FLAG,
	  TO(options.allow_denied) },
	{ .name = "format",
	  .letter = 'f',
	  .argument = "FORMAT",
	  .needs = TAKES_FORMAT,
	  .help = "format of the output:",
	  .section = "Output",
	  .manual = "_text_, _json_ or _csv_. Default: _text_.",
	  .kind = OPTION_CHOICE,
	  TO(options.format),
	  .choices = formats },
	{ .name = "json",
	  .letter = 'j',
	  .needs = TAKES_FORMAT,
	  .help = "the same as -f json",
	  .manual = "The same as *-f json*.",
	  .kind = OPTION_SET,
	  TO(options.format),
	  .value = SINK_JSON },
	{ .name = "names",
	  .argument = "SPELLING",
	  .needs = TAKES_TRACE | TAKES_WHY,
	  .help = "write names of Elixir as this language does:",
	  .manual = "How modules and names of Elixir are written: _elixir_ (*Shop.Cart.add/2*) or _erlang_\n"
		    "(*'Elixir.Shop.Cart':add/2*). Default: _elixir_ in text, _erlang_ in JSON and CSV. See *NAMES*.",
	  .kind = OPTION_CHOICE,
	  TO(options.names),
	  .choices = spellings },
	{ .name = "output",
	  .letter = 'o',
	  .argument = "FILE",
	  .needs = TAKES_TRACE,
	  .help = "write to FILE",
	  .manual = "Write to _FILE_ instead of standard output. The file is overwritten.",
	  .kind = OPTION_TEXT,
	  TO(options.output),
	  .offer = OFFER_FILES },
	{ .name = "timestamp",
	  .letter = 'T',
	  .needs = TAKES_TRACE,
	  .help = "print the time of events and intervals",
	  .manual = "Print the time of each event and each interval, in local time. For text only: JSON always has it, "
		    "CSV\n"
		    "has it for events.",
	  .kind = OPTION_FLAG,
	  TO(options.show_time) },
	{ .name = "milliseconds",
	  .letter = 'm',
	  .needs = TAKES_TRACE,
	  .help = "print durations in milliseconds",
	  .manual = "Print durations in milliseconds instead of the unit that fits. For text only: the other formats "
		    "have\n"
		    "nanoseconds.",
	  .kind = OPTION_FLAG,
	  TO(options.milliseconds) },
	{ .name = "fail-on",
	  .argument = "SEVERITY",
	  .needs = TAKES_WHY,
	  .help = "exit with 1 if there is a finding at least as severe as this:",
	  .manual = "Exit with 1 if there is a finding that is at least as severe: _warn_ or _critical_. Default: the "
		    "exit\n"
		    "status is 0 whatever is found.",
	  .kind = OPTION_CHOICE,
	  TO(options.fail_on),
	  .choices = severities },
	{ .name = "strict",
	  .needs = TAKES_TRACE,
	  .help = "exit with 5 if data was lost",
	  .kind = OPTION_FLAG,
	  TO(options.strict) },
	{ .name = "keep-caps",
	  .needs = TAKES_TRACE,
	  .help = "keep all privileges while tracing",
	  .manual = "Keep all capabilities, and do not filter system calls. Without it, *erlbpf* gives up what it no "
		    "longer\n"
		    "needs as soon as the probes are attached: with *-p* all capabilities, else all but those that it "
		    "takes to\n"
		    "attach to nodes that start later. For debugging.",
	  .kind = OPTION_FLAG,
	  TO(options.keep_caps) },
	{ .name = "quiet",
	  .letter = 'q',
	  .help = "print no messages except errors",
	  .manual = "Print no messages except errors. What was lost or left out is still reported.",
	  .kind = OPTION_SET,
	  TO(verbosity),
	  .value = LOG_QUIET },
	{ .name = "verbose",
	  .letter = 'v',
	  .help = "more messages; -vv: also those of libbpf",
	  .manual =
		  "More messages. Twice: also messages of libbpf and of the kernel's verifier. For *list*: more about "
		  "each\n"
		  "probe. For *why*: what the time of each scheduler is spent on.",
	  .kind = OPTION_MORE,
	  TO(verbosity) },
	{ .name = "help",
	  .letter = 'h',
	  .help = "print this help",
	  .manual = "Print the help of the command, as *erlbpf help* _COMMAND_ does.",
	  .kind = OPTION_FLAG,
	  TO(wants_help),
	  .is_last = true },
	{ .name = "version",
	  .letter = 'V',
	  .help = "print the version",
	  .kind = OPTION_FLAG,
	  TO(wants_version),
	  .is_last = true },
};

struct option_table parse_table(unsigned int takes)
{
	return (struct option_table){ .rows = rows, .count = sizeof(rows) / sizeof(*rows), .takes = takes };
}

const char *parse_words(unsigned int takes)
{
	return takes & TAKES_GLOB	    ? "[GLOB] [interval [count]]"
	       : takes & TAKES_FUNCTIONS    ? "[FUNCTION] [interval [count]]"
	       : takes & TAKES_VM_FUNCTIONS ? "FUNCTION [interval [count]]"
					    : "[interval [count]]";
}

/* --- Words ------------------------------------------------------------------------------------------------- */

static const char not_a_function[] = "expected MODULE:FUNCTION/ARITY, or its beginning and \"*\", such as 'ets:*'";

/* MODULE:FUNCTION/ARITY, or something with a "*". */
static bool is_function(const char *text)
{
	return strlen(text) <= OPTIONS_MAX_FUNCTION && strpbrk(text, "*/");
}

/* The beginning of a function and "*". */
static bool is_prefix(const char *text)
{
	const char *star = strchr(text, '*');

	return !star || !star[1];
}

static const char *take_interval(struct parsed *parsed, const char *word)
{
	uint64_t ns;

	if (duration_parse(word, NS_PER_S, &ns) || !ns)
		return "expected an interval, such as 1 (seconds) or 500ms";
	parsed->options.interval_ns = ns;
	return NULL;
}

static const char *take_count(struct parsed *parsed, const char *word)
{
	char *end;

	errno = 0;
	parsed->options.count = strtoull(word, &end, 10);
	if (!isdigit((unsigned char)word[0]) || *end || errno || !parsed->options.count)
		return "expected a number of intervals, at least 1";
	return NULL;
}

/* Of `why`: a node by its name, or by its process. */
static const char *take_node(struct parsed *parsed, const char *word)
{
	if (isdigit((unsigned char)word[0]))
		return take_pids(parsed, word);
	if (parsed->options.select.node)
		return "expected one node; *, ? and [...] are wildcards";
	parsed->options.select.node = word;
	return NULL;
}

static const char *take_word(void *data, const char *word)
{
	struct parsed *parsed = data;
	struct options *o = &parsed->options;

	if (parsed->takes & TAKES_WHY)
		return take_node(parsed, word);
	parsed->topic = parsed->topic ? parsed->topic : word;
	if (parsed->takes & (TAKES_GLOB | TAKES_VM_FUNCTIONS | TAKES_FUNCTIONS) && !o->glob &&
	    !isdigit((unsigned char)word[0])) {
		if (parsed->takes & TAKES_FUNCTIONS && !is_function(word))
			return not_a_function;
		o->glob = parsed->takes & TAKES_FUNCTIONS &&
					  spelling_pattern(word, parsed->function, sizeof(parsed->function))
				  ? parsed->function
				  : word;
		o->chose_glob = true;
		return NULL;
	}
	if (!strcmp(parsed->command, "help") && parsed->topic == word)
		return NULL;
	if (!(parsed->takes & TAKES_TRACE) || parsed->words > 1)
		return "unexpected argument";
	return parsed->words++ ? take_count(parsed, word) : take_interval(parsed, word);
}

/* --- The line as a whole ------------------------------------------------------------------------------------ */

static const char *set_functions(struct parsed *parsed)
{
	struct options *o = &parsed->options;
	struct function_request *request = &o->functions;
	const char *why;

	if (!o->glob)
		return "expected a function or a pattern, such as 'ets_*_2'";
	if (function_spec_parse(o->glob, &request->spec, &why)) {
		snprintf(parsed->problem, sizeof(parsed->problem), "\"%s\": %s", o->glob, why);
		return parsed->problem;
	}
	if (o->show && (o->time || o->by))
		return "--show prints calls, --time and --by make histograms of them: choose one";
	request->mode = o->show ? FUNCTIONS_SHOW : o->time || o->by || o->min_ns ? FUNCTIONS_TIME : FUNCTIONS_COUNT;
	request->needs_process = o->erl_pid != 0;
	request->wants_process = request->needs_process || o->show || o->min_ns || o->by & TAKES_BY_PROCESS;
	return NULL;
}

static bool tests_results(const struct functions_when *when)
{
	for (size_t i = 0; i < when->count; i++) {
		if (when->steps[i].kind == FUNCTIONS_TEST && when->steps[i].argument == FUNCTIONS_RESULT)
			return true;
	}
	return false;
}

/* Of a call that begins, how it ends is not known. */
static const char *check_entry(const struct options *o)
{
	if (o->min_ns)
		return "--min needs the return of a call, which --entry and --via hw do not see; use --via vm without "
		       "--entry";
	if (tests_results(&o->when))
		return "result() needs the return of a call, which --entry and --via hw do not see; use --via vm "
		       "without "
		       "--entry";
	if (o->sort || o->with_hist)
		return "--sort and --hist are for the times of calls, which --entry and --via hw do not measure";
	if (o->via == VIA_HW && o->cookie_file)
		return "--cookie-file is for --via vm; --via hw does not connect to the node";
	return NULL;
}

/* What goes with Erlang functions only. */
static const char *check_functions(const struct options *o)
{
	bool has_nodes = o->pid_count || target_selector_is_set(&o->select);

	if (o->via == VIA_PROBES && (o->show || o->cookie_file || o->call_limit || o->when.count ||
				     o->by == TAKES_BY_CALLER || o->by == TAKES_BY_ARGUMENT))
		return "--show, --when, --by caller, --by arg, --cookie-file and --call-limit need --via vm, or "
		       "--entry";
	if (o->argument && o->by != TAKES_BY_ARGUMENT)
		return "--arg says which argument --by arg means";
	if (o->by && o->show)
		return "--show prints calls, --by groups them: choose one";
	if (o->via == VIA_PROBES)
		return is_prefix(o->glob) ? NULL : not_a_function;
	if (!o->chose_glob)
		return o->via == VIA_VM ? "--via vm needs a function or a pattern, such as 'shop:order/2'"
					: "--entry needs a function or a pattern, such as 'shop:order/2'";
	if (o->via == VIA_VM && !has_nodes)
		return "--via vm changes nodes, so name them with -p, --node or another option";
	return o->entry ? check_entry(o) : NULL;
}

/* Who asks for beginnings only gets them without a change of the node. */
static void choose_via(struct options *o)
{
	if (o->entry && o->via == VIA_PROBES)
		o->via = VIA_HW;
	o->entry |= o->via == VIA_HW;
}

static const char *check(const struct options *o)
{
	if (o->count && !o->interval_ns)
		return "--count needs an interval, such as -i 1";
	if (o->command && o->pid_count)
		return "-c and -p cannot be combined";
	if (target_selector_is_set(&o->select) && o->pid_count)
		return "-p cannot be combined with --node and other options that select nodes";
	return NULL;
}

static const char *finish(struct parsed *parsed)
{
	const char *problem = parsed->takes & TAKES_VM_FUNCTIONS ? set_functions(parsed) : NULL;

	if (!parsed->options.glob)
		parsed->options.glob = "*";
	choose_via(&parsed->options);
	if (!problem && parsed->takes & TAKES_FUNCTIONS)
		problem = check_functions(&parsed->options);
	return problem ? problem : check(&parsed->options);
}

enum name_spelling parse_names_environment(void)
{
	const char *names = getenv("ERLBPF_NAMES");

	for (const struct option_choice *c = spellings; names && c->name; c++) {
		if (!strcmp(c->name, names))
			return (enum name_spelling)c->value;
	}
	return SPELLING_OF_FORMAT;
}

/* What a machine's owner sets for all; nonsense is ignored, since no one typed it. */
static void take_environment(struct parsed *parsed)
{
	const char *overhead = getenv("ERLBPF_MAX_OVERHEAD");

	if (overhead && parsed->takes & TAKES_TRACE)
		take_overhead(parsed, overhead);
	parsed->options.names = parse_names_environment();
}

int parse_options(const char *command, unsigned int takes, int argc, char **argv, struct parsed *parsed)
{
	char called[64], help[64];
	struct option_reader reader = { .table = parse_table(takes),
					.data = parsed,
					.word = take_word,
					.called = called,
					.help = help,
					.errors = stderr };
	const char *problem;
	int code;

	*parsed = (struct parsed){ .command = command, .takes = takes };
	take_environment(parsed);
	snprintf(called, sizeof(called), "erlbpf: %s", command);
	snprintf(help, sizeof(help), "erlbpf help %s", command);
	code = option_read(&reader, argc, argv);
	if (code || parsed->wants_help || parsed->wants_version)
		return code;
	problem = finish(parsed);
	return problem ? option_problem(&reader, problem) : EXIT_OK;
}
