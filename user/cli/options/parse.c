// SPDX-License-Identifier: BSD-2-Clause
#include "cli/options/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"
#include "cli/options/common_options.h"
#include "node/atoms/spelling.h"

struct option_table parse_table(unsigned int takes)
{
	return (struct option_table){ .common = &common_options, .takes = takes };
}

const char *parse_words(unsigned int takes)
{
	return takes & TAKES_GLOB	    ? "[GLOB] [interval [count]]"
	       : takes & TAKES_FUNCTIONS    ? "FUNCTION [interval [count]]"
	       : takes & TAKES_VM_FUNCTIONS ? "FUNCTION [interval [count]]"
					    : "[interval [count]]";
}

/* --- Words ------------------------------------------------------------------------------------------------- */

static const char not_a_function[] = "expected MODULE:FUNCTION/ARITY, or its beginning and \"*\", such as 'ets:*'";

static const char no_function[] =
	"expected a function or a pattern: 'ets:*' or '*' for BIFs and NIFs; 'shop:order/2' or "
	"'Shop.Cart.*' with --via vm or --entry for Erlang functions";

/* MODULE:FUNCTION/ARITY, or something with a "*". */
static bool is_function(const char *text)
{
	return strlen(text) <= OPTIONS_MAX_FUNCTION && strpbrk(text, "*/");
}

/* The beginning of a function and "*". */
static bool is_prefix(const char *text)
{
	const char *star = strchr(text, '*');

	return !star || !star[strspn(star, "*")];
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

/* The argument of `why`: a node name or a process number. */
static const char *take_node(struct parsed *parsed, const char *word)
{
	if (isdigit((unsigned char)word[0]))
		return common_options_pids(&parsed->options, word);
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

/* On entry, neither duration nor result of a call is known. */
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

/* Options that need a way to trace Erlang functions. */
static const char *check_functions(const struct options *o)
{
	bool has_nodes = o->pid_count || target_selector_is_set(&o->select);

	if (!o->chose_glob)
		return no_function;
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
	if (o->via == VIA_VM && !has_nodes)
		return "--via vm changes nodes, so name them with -p, --node or another option";
	return o->entry ? check_entry(o) : NULL;
}

/* --entry alone uses debug registers, which do not change the node. */
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

/* Defaults of the machine's administrator. Invalid values are ignored, because the user did not type them. */
static void take_environment(struct parsed *parsed)
{
	const char *overhead = getenv("ERLBPF_MAX_OVERHEAD");

	if (overhead && parsed->takes & TAKES_TRACE)
		common_options_overhead(&parsed->options, overhead);
	parsed->options.names = common_options_names();
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

void parse_set_log_level(const struct parsed *parsed)
{
	log_set_level((enum log_level)(parsed->verbosity > LOG_DEBUG ? LOG_DEBUG : parsed->verbosity));
}
