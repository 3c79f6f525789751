// SPDX-License-Identifier: BSD-2-Clause
/* `erlbpf why`: watches nodes for some seconds and prints what is wrong with each, the worst first. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/io/event_loop.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/options/command.h"
#include "cli/why_shares.h"
#include "out/sink.h"
#include "run/unprivileged.h"
#include "target/target.h"
#include "trace/nodes.h"
#include "why/node_watch.h"
#include "why/judge/rules.h"

#define DEFAULT_NS (10 * NS_PER_S)
#define SAMPLE_NS (2 * NS_PER_MS)
#define LOOK_NS (100 * NS_PER_MS)
#define READINGS 5     /* of the process table, after the first */
#define LEAST_BUSY 0.1 /* of one scheduler, to be printed */
#define MOST_NODES 64

enum { PROCESS, NODE, SEVERITY, RULE, PID, NAME, FINDING, EVIDENCE, STACK, COMMAND, COLUMNS };

static const struct column columns[COLUMNS] = {
	[PROCESS] = { "os_pid", COLUMN_NUMBER, 0, false },  [NODE] = { "node", COLUMN_TEXT, 0, false },
	[SEVERITY] = { "severity", COLUMN_TEXT, 0, false }, [RULE] = { "rule", COLUMN_TEXT, 0, false },
	[PID] = { "pid", COLUMN_TEXT, 0, false },	    [NAME] = { "name", COLUMN_TEXT, 0, false },
	[FINDING] = { "finding", COLUMN_TEXT, 0, false },   [EVIDENCE] = { "evidence", COLUMN_TEXT, 0, false },
	[STACK] = { "stack", COLUMN_TEXT, 0, false },	    [COMMAND] = { "command", COLUMN_TEXT, 0, false },
};

struct watched {
	const struct target *target;
	struct node_watch *collector;
	struct signs signs;
	struct finding findings[FINDINGS_MAX];
	size_t count;
};

struct watch {
	struct watched **nodes;
	size_t count;
	struct event_loop *waiting;
};

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
	(void)number;
	is_interrupted = 1;
}

static void sample(void *data, uint64_t times)
{
	struct watch *watch = data;

	(void)times;
	for (size_t i = 0; i < watch->count; i++)
		node_watch_sample(watch->nodes[i]->collector);
}

static void look(void *data, uint64_t times)
{
	struct watch *watch = data;

	(void)times;
	for (size_t i = 0; i < watch->count; i++)
		node_watch_look(watch->nodes[i]->collector);
}

/* A node that exits is judged by what was read until then. */
static void read_all(void *data, uint64_t times)
{
	struct watch *watch = data;

	(void)times;
	for (size_t i = 0; i < watch->count; i++)
		node_watch_read(watch->nodes[i]->collector);
}

static void stop(void *data, uint64_t times)
{
	struct watch *watch = data;

	(void)times;
	event_loop_stop(watch->waiting);
}

static int add_timers(struct watch *watch, uint64_t duration_ns)
{
	uint64_t now = duration_now(), step = duration_ns / READINGS;
	/* Added first, so that it fires before the last reading that is due, which run_watch() does. */
	int err = event_loop_add_timer(watch->waiting, now + duration_ns, 0, stop, watch);

	if (!err)
		err = event_loop_add_random_timer(watch->waiting, SAMPLE_NS, sample, watch);
	if (!err)
		err = event_loop_add_timer(watch->waiting, now, LOOK_NS, look, watch);
	return err ? err : event_loop_add_timer(watch->waiting, now + step, step, read_all, watch);
}

static int run_watch(struct watch *watch, uint64_t duration_ns)
{
	int err;

	read_all(watch, 1);
	err = add_timers(watch, duration_ns);
	while (err >= 0 && !event_loop_is_stopped(watch->waiting) && !is_interrupted)
		err = event_loop_turn(watch->waiting, -1);
	/* After an interrupt, too: the findings so far are printed. */
	read_all(watch, 1);
	return err < 0 && err != -EINTR ? err : 0;
}

static void judge(struct watched *node)
{
	node_watch_finish(node->collector, &node->signs);
	node->count = rules_judge(&node->signs, node->findings);
}

static void print_safe(const char *before, const char *text, const char *after)
{
	_cleanup_free_ char *safe = text_for_terminal(text);

	if (safe)
		printf("%s%s%s", before, safe, after);
	else
		log_out_of_memory();
}

/* The command with the process number. */
static void write_command(const struct watched *node, const struct finding *finding, char *text, size_t size)
{
	const char *at = strstr(finding->command, "PID");

	if (at)
		snprintf(text, size, "erlbpf %.*s%d%s", (int)(at - finding->command), finding->command,
			 node->target->pid, at + 3);
	else
		snprintf(text, size, "erlbpf %s", finding->command);
}

static void print_finding(const struct watched *node, size_t number)
{
	const struct finding *finding = &node->findings[number];
	char command[320];

	printf("\n%zu. %s (%s): ", number + 1, finding->rule, severity_name(finding->severity));
	print_safe("", finding->text, "\n");
	for (int i = 0; i < FINDING_EVIDENCE && finding->evidence[i][0]; i++)
		print_safe("   ", finding->evidence[i], "\n");
	write_command(node, finding, command, sizeof(command));
	print_safe("   more: ", command, "\n");
}

/* The second function of a stack. */
static void print_caller(const char *stack)
{
	const char *caller = strstr(stack, " < "), *end = caller ? strstr(caller + 3, " < ") : NULL;
	char text[SIGN_STACK];

	if (!caller)
		return;
	snprintf(text, sizeof(text), "%.*s", end ? (int)(end - caller - 3) : SIGN_STACK, caller + 3);
	print_safe(", called by ", text, "");
}

/* The busiest process is no finding, but useful on a full node. */
static void print_busiest(const struct sign_process *process)
{
	if (!process->id || process->busy < LEAST_BUSY)
		return;
	printf("busiest process: ");
	print_safe("", process->name, " ");
	printf("%s: %.0f %% of one scheduler", process->pid, process->busy * 100);
	if (process->function[0])
		print_safe(", in ", process->function, "");
	print_caller(process->stack);
	printf("\n");
}

static void print_node(const struct watched *node)
{
	const struct signs *signs = &node->signs;
	char watched[32];

	print_safe("", node->target->node[0] ? node->target->node : "(no name)", "");
	printf(": process %d, OTP %d, watched for %s\n", node->target->pid, node->target->vm->otp,
	       duration_format(signs->elapsed_ns, watched));
	printf("schedulers busy for %.0f %% of the time; %" PRIu64 " processes\n", signs->schedulers.normal.busy * 100,
	       signs->processes);
	why_shares_print(signs);
	if (log_shows(LOG_VERBOSE))
		why_shares_print_each(node->collector);
	print_busiest(&signs->schedulers.normal.process);
	if (!node->count)
		printf("\nnothing is wrong\n");
	for (size_t i = 0; i < node->count; i++)
		print_finding(node, i);
}

static void join_evidence(const struct finding *finding, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; i < FINDING_EVIDENCE && finding->evidence[i][0] && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "; " : "", finding->evidence[i]);
}

/* Texts made for one row. */
struct row_texts {
	char command[320], evidence[FINDING_EVIDENCE * FINDING_TEXT];
};

static void fill_row(const struct watched *node, const struct finding *finding, struct row_texts *texts,
		     struct value cells[COLUMNS])
{
	const struct sign_process none = {}, *who = finding->process ? finding->process : &none;

	write_command(node, finding, texts->command, sizeof(texts->command));
	join_evidence(finding, texts->evidence, sizeof(texts->evidence));
	cells[PROCESS].number = (uint64_t)node->target->pid;
	cells[NODE].text = node->target->node;
	cells[SEVERITY].text = severity_name(finding->severity);
	cells[RULE].text = finding->rule;
	cells[PID] = value_of_text(who->pid);
	cells[NAME] = value_of_text(who->name);
	cells[FINDING].text = finding->text;
	cells[EVIDENCE].text = texts->evidence;
	cells[STACK] = value_of_text(who->stack);
	cells[COMMAND].text = texts->command;
}

/* CSV has only rows, so a healthy node has one without a rule. */
static void fill_well(const struct watched *node, struct value cells[COLUMNS])
{
	for (int i = 0; i < COLUMNS; i++)
		cells[i].is_null = true;
	cells[PROCESS] = (struct value){ .number = (uint64_t)node->target->pid };
	cells[NODE] = value_of_text(node->target->node);
	cells[SEVERITY] = value_of_text("ok");
	cells[FINDING] = value_of_text("nothing is wrong");
}

/* A healthy node is reported, too: that it was watched, and its load. */
static void sink_node(struct sink *sink, const struct watched *node, enum sink_format format)
{
	const struct signs *signs = &node->signs;
	const struct sink_note notes[] = {
		{ .name = "os_pid", .count = (uint64_t)node->target->pid },
		{ .name = "otp", .count = node->target->vm->otp },
		{ .name = "watched_ns", .count = signs->elapsed_ns },
		{ .name = "schedulers", .count = signs->schedulers.normal.schedulers },
		{ .name = "busy_percent", .count = (uint64_t)(signs->schedulers.normal.busy * 100 + 0.5) },
		{ .name = "processes", .count = signs->processes },
		{ .name = "findings", .count = node->count },
	};
	_cleanup_free_ struct row_texts *texts = calloc(node->count + 1, sizeof(*texts));
	_cleanup_free_ struct value *cells = calloc((node->count + 1) * COLUMNS, sizeof(*cells));
	struct sink_part parts[WHY_SHARES];
	_cleanup_free_ struct value *shares = why_shares_parts(signs, node->collector, parts);
	struct sink_table table = {
		.cells = cells,
		.rows = node->count,
		.notes = notes,
		.note_count = sizeof(notes) / sizeof(*notes),
		.node = node->target->node,
		.parts = parts,
		.part_count = WHY_SHARES,
	};

	if (!texts || !cells || !shares) {
		log_out_of_memory();
		return;
	}
	for (size_t i = 0; i < node->count; i++)
		fill_row(node, &node->findings[i], &texts[i], cells + i * COLUMNS);
	if (!node->count && format == SINK_CSV) {
		fill_well(node, cells);
		table.rows = 1;
	}
	sink->ops->table(sink, &table);
}

static void show(const struct watch *watch, const struct options *options)
{
	struct sink_setup setup = { .to = stdout, .tool = "why", .columns = columns, .column_count = COLUMNS };
	struct sink sink;

	if (options->format != SINK_TEXT)
		sink_init(&sink, options->format, &setup);
	for (size_t i = 0; i < watch->count; i++) {
		struct watched *node = watch->nodes[i];

		if (options->format == SINK_TEXT) {
			printf("%s", i ? "\n" : "");
			print_node(node);
		}
		if (options->format != SINK_TEXT)
			sink_node(&sink, node, options->format);
	}
}

static int verdict(const struct watch *watch, const struct options *options)
{
	for (size_t i = 0; i < watch->count; i++) {
		for (size_t k = 0; k < watch->nodes[i]->count; k++) {
			if (options->fail_on && watch->nodes[i]->findings[k].severity + 1 >= options->fail_on)
				return EXIT_FAILED;
		}
	}
	return EXIT_OK;
}

static void open_node(struct watch *watch, const struct target *target, struct name_style style)
{
	struct watched *node = watch->count < MOST_NODES ? calloc(1, sizeof(*node)) : NULL;

	if (!node) {
		pr_warn("process %d skipped: %s", target->pid,
			watch->count < MOST_NODES ? strerror(ENOMEM) : "at most 64 nodes can be watched at once");
		return;
	}
	node->target = target;
	node->collector = node_watch_new(target, style);
	if (!node->collector) {
		pr_warn("process %d: cannot read its Erlang processes: %s", target->pid,
			errno == ENOENT ? "the memory layout of this OTP release is unknown" : strerror(errno));
		free(node);
		return;
	}
	watch->nodes[watch->count++] = node;
}

static void close_nodes(struct watch *watch)
{
	for (size_t i = 0; i < watch->count; i++) {
		node_watch_free(watch->nodes[i]->collector);
		free(watch->nodes[i]);
	}
	event_loop_free(watch->waiting);
}

static struct name_style style_of(const struct options *options)
{
	bool is_text = options->format == SINK_TEXT;

	return (struct name_style){
		.is_elixir = options->names ? options->names == SPELLING_ELIXIR : is_text,
		.with_owner = is_text,
	};
}

static int watch_targets(const struct options *options, const struct target_list *targets)
{
	struct watched *nodes[MOST_NODES];
	struct watch watch = { .nodes = nodes, .waiting = event_loop_new() };
	int err = watch.waiting ? 0 : -errno, code = EXIT_FAILED;

	unprivileged_look(0);
	for (size_t i = 0; !err && i < targets->count; i++)
		open_node(&watch, targets->targets[i], style_of(options));
	if (!err && watch.count)
		err = run_watch(&watch, options->duration_ns ? options->duration_ns : DEFAULT_NS);
	if (err) {
		pr_err("cannot watch the nodes: %s", strerror(-err));
	} else if (!watch.count) {
		code = EXIT_NO_TARGET;
	} else {
		for (size_t i = 0; i < watch.count; i++)
			judge(watch.nodes[i]);
		show(&watch, options);
		code = verdict(&watch, options);
	}
	close_nodes(&watch);
	return code;
}

int command_why(const struct options *options)
{
	struct sigaction action = { .sa_handler = interrupt };
	struct target_list targets = {};
	char nobody[NO_NODES_SIZE];
	int code = nodes_find(options, &targets);

	if (code == EXIT_OK && !targets.count && command_may_wait(options))
		code = command_wait(options, &targets);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (code == EXIT_OK && !targets.count) {
		pr_err("%s", command_no_nodes(options, nobody));
		code = EXIT_NO_TARGET;
	} else if (code == EXIT_OK) {
		code = watch_targets(options, &targets);
	}
	target_list_free(&targets);
	return code;
}
