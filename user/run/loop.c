// SPDX-License-Identifier: BSD-2-Clause
/*
 * One trace from beginning to end, for the command line. What can happen meanwhile is in one set
 * (base/io/event_loop.h): a signal, the end of an interval or of the duration, records in the ring, a target that
 * ended, the time to look for new ones, the end of the command.
 */
#include "run/loop.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/io/output_stream.h"
#include "base/io/event_loop.h"
#include "base/log.h"
#include "base/process/thread.h"
#include "budget/hit_cost.h"
#include "budget/window.h"
#include "load/guardian/guardian.h"
#include "load/kernel/capabilities.h"
#include "load/kernel/debug_registers.h"
#include "out/cell.h"
#include "out/screen.h"
#include "run/run.h"
#include "run/selection.h"
#include "run/summary.h"
#include "run/unprivileged.h"
#include "trace/child.h"
#include "trace/refusals.h"
#include "trace/stop.h"
#include "trace/stopped.h"

#define VIEW_OVERHEAD 1	 /* percent of the scheduler capacity */
#define MOST_WAIT_MS 250 /* for what a hit costs: it is measured while probes are put in place */
#define DATA_ROWS 50
#define MOST_SHARE 25 /* a part in so many of a core is what reading may take in intervals of our choice */
#define SCAN_NS (250 * NS_PER_MS)
#define SCAN_CHILD_NS (20 * NS_PER_MS)	/* with -c, the node is about to start */
#define RING_TURN_NS (2 * PACE_TICK_NS) /* or probes would stay in place for longer than they may cost */
#define RING_NS (50 * NS_PER_MS)	/* records wait at most this long below the wake-up mark */

struct loop {
	struct run run;
	struct child *child;
	struct kernel_warmth *warmth; /* until the probes are in place */
	struct output_stream *output; /* NULL: not open yet */
	uint64_t intervals;
	uint64_t skip;	       /* intervals to leave out, since reading takes long */
	bool chooses_interval; /* the user named none */
	bool has_screen;
	struct event_loop *waiting; /* stopped when the trace is to end */
	bool has_reader;
	bool has_lost_probes; /* the guardian was killed */
	bool is_waiting;      /* for a target that is named: the trace has not begun */
	uint64_t shown_ns;    /* when the user was told that it has begun, and intervals and duration with it */
	int code;	      /* an enum exit_code that was found on the way */
};

/* There is something in the pipe yet, or the terminal is full: writing may have to wait. */
static bool reader_is_behind(const struct loop *loop)
{
	int fd = output_stream_fd(loop->output), left = 0;
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
	struct stat stat;

	if (!poll(&poll_fd, 1, 0))
		return true;
	return !fstat(fd, &stat) && S_ISFIFO(stat.st_mode) && !ioctl(fd, FIONREAD, &left) && left > 0;
}

/* Nobody reads any more: that is the end, not an error. */
static bool reader_is_gone(struct loop *loop)
{
	int err = output_stream_flush(loop->output);

	if (!err)
		return false;
	loop->has_reader = err != -EPIPE;
	event_loop_stop(loop->waiting);
	return true;
}

/* A signal, the end of the duration, or that of the command. */
static void on_the_end(void *data, uint64_t times)
{
	struct loop *loop = data;

	(void)times;
	event_loop_stop(loop->waiting);
}

static void say_guardian_is_gone(struct loop *loop)
{
	pr_err("%s", GUARDIAN_GONE);
	loop->has_lost_probes = true;
}

static void on_end_of_guardian(void *data, uint64_t times)
{
	struct loop *loop = data;

	(void)times;
	say_guardian_is_gone(loop);
	event_loop_stop(loop->waiting);
}

static int take_snapshot(struct loop *loop)
{
	if (loop->run.tool->view && reader_is_behind(loop))
		pace_hold(&loop->run.pace);
	return run_snapshot(&loop->run);
}

/* Is the time that was asked for over then? */
static bool ends_by(const struct loop *loop, uint64_t then_ns)
{
	uint64_t duration_ns = loop->run.options->duration_ns;

	return duration_ns && loop->shown_ns && then_ns >= loop->shown_ns + duration_ns;
}

/* The end of the trace shows this interval: a moment later there would be one more, of next to nothing. */
static bool is_last(const struct loop *loop, uint64_t now)
{
	return ends_by(loop, now + loop->run.options->interval_ns / 16);
}

static void on_interval(void *data, uint64_t times)
{
	struct loop *loop = data;
	uint64_t start = duration_now(), took;

	(void)times;
	if (is_last(loop, start))
		return;
	if (loop->run.view.is_paused || loop->skip) {
		loop->skip -= loop->skip > 0;
		return;
	}
	if (take_snapshot(loop) || reader_is_gone(loop))
		event_loop_stop(loop->waiting);
	took = duration_now() - start;
	pr_debug("read and shown in %.1f ms", (double)took / NS_PER_MS);
	if (loop->chooses_interval)
		loop->skip = took * MOST_SHARE / loop->run.options->interval_ns;
	loop->intervals++;
	if (loop->run.options->count && loop->intervals >= loop->run.options->count)
		event_loop_stop(loop->waiting);
}

static void on_key(void *data, uint64_t times)
{
	struct loop *loop = data;
	enum screen_request request;

	(void)times;
	while ((request = screen_keys()) == SCREEN_SHOW)
		loop->run.tool->view->show(&loop->run);
	if (request == SCREEN_QUIT)
		event_loop_stop(loop->waiting);
}

static void on_end_of_target(void *data, uint64_t times)
{
	struct loop *loop = data;

	(void)times;
	follow_reap(loop->run.follow);
	/* Processes that were named do not come back; others may. */
	if (loop->run.options->pid_count && !follow_stats(loop->run.follow).attached)
		event_loop_stop(loop->waiting);
}

/*
 * A busy node fills the ring faster than we print. libbpf reads until it is empty, which it then never is;
 * so there is a limit, or neither a signal nor a timer would be heard.
 */
static void consume(struct loop *loop, uint64_t limit_ns)
{
	if (!loop->run.ring)
		return;
	run_consume(&loop->run, limit_ns);
	reader_is_gone(loop);
}

static void on_ring(void *data, uint64_t times)
{
	(void)times;
	consume(data, RING_TURN_NS);
}

static void on_tick(void *data, uint64_t times)
{
	struct loop *loop = data;

	(void)times;
	if (loop->is_waiting)
		return;
	loop->run.tool->tick.call(&loop->run);
	if (loop->run.tick_ns)
		event_loop_set_mean(loop->waiting, on_tick, loop, loop->run.tick_ns);
}

static void on_pace(void *data, uint64_t times)
{
	struct loop *loop = data;

	(void)times;
	if (loop->is_waiting)
		return;
	pace_tick(&loop->run.pace);
	if (loop->run.pace.has_stopped)
		event_loop_stop(loop->waiting);
}

/* While probes go one by one, beginnings would be without ends. */
static void end_counting(struct loop *loop)
{
	if (!loop->run.end_ns)
		loop->run.end_ns = pace_end(&loop->run.pace);
}

/* Nothing else is heard then, but probes come and go, and are gone when the trace is over. */
static void while_nobody_reads(void *data)
{
	struct loop *loop = data;

	if (!loop->run.pace.began_ns || loop->run.end_ns)
		return;
	if (!stop_is_asked() && !ends_by(loop, duration_now())) {
		on_pace(loop, 1);
		return;
	}
	event_loop_stop(loop->waiting);
	end_counting(loop);
	stop_hold(true);
	follow_pause(loop->run.follow);
	stop_hold(false);
}

static void wait_for_all(struct loop *loop)
{
	while (!event_loop_is_stopped(loop->waiting)) {
		/* Interrupted: the terminal may have another size. */
		if (event_loop_turn(loop->waiting, -1) < 0 && loop->has_screen)
			on_key(loop, 1);
	}
}

static int add_signals(struct loop *loop)
{
	int fd = stop_open(screen_abandon);

	return fd < 0 ? fd : event_loop_add(loop->waiting, fd, on_the_end, loop);
}

/* From now on, every so many ns. */
static int add_timer(struct loop *loop, uint64_t first_ns, uint64_t every_ns, event_loop_handler *handler)
{
	return event_loop_add_timer(loop->waiting, duration_now() + first_ns, every_ns, handler, loop);
}

static int show_summary(struct loop *loop, uint64_t *lost)
{
	const struct summary_input summary = {
		.tool = loop->run.tool,
		.follow = loop->run.follow,
		.counts = loop->run.now,
		.began_ns = loop->run.live_ns ? run_wall_ns(&loop->run, loop->run.live_ns) : 0,
		.live_ns = loop->run.live_ns ? loop->run.end_ns - loop->run.live_ns : 0,
		.pace = &loop->run.pace,
	};

	return summary_show(&summary, &loop->run.sink, &loop->run, lost);
}

/* The circuit breaker has ended the trace. */
static void say_stopped(const struct loop *loop, uint64_t lost)
{
	const struct pace *pace = &loop->run.pace;
	const struct target *only = follow_count(loop->run.follow) == 1 ? follow_get(loop->run.follow, 0)->target
									: NULL;
	char text[PACE_STOPPED_TEXT], took[32], clock[CELL_CLOCK], where[sizeof(only->node) + 32] = "";

	if (only && only->node[0])
		snprintf(where, sizeof(where), " on node %s", only->node);
	else if (only)
		snprintf(where, sizeof(where), " on the node of process %d", only->pid);
	pr_err("stopped after %s (at %s): %s%s.%s", duration_format(pace->ended_ns - pace->began_ns, took),
	       cell_clock_us(run_wall_ns(&loop->run, pace->ended_ns), clock), pace_stopped(pace, text), where,
	       lost ? "" : " Results are complete up to that time.");
	fputs("        Narrow the question (--erl-pid, --min), raise --max-overhead, or use --sample.\n", stderr);
}

/* Something was lost, or not watched. */
static bool is_incomplete(const struct loop *loop, uint64_t lost)
{
	return lost || pace_off_ns(&loop->run.pace, loop->run.end_ns);
}

/* Detach first: what is read then is all there is, to the last event. */
static int finish(struct loop *loop)
{
	uint64_t lost = 0;
	int err;

	end_counting(loop);
	stop_hold(true);
	follow_detach(loop->run.follow);
	stop_hold(false);
	if (guardian_is_lost() && !loop->has_lost_probes)
		say_guardian_is_gone(loop);
	if (!loop->has_reader)
		return EXIT_OK;
	consume(loop, 0);
	if (run_finish(&loop->run))
		return EXIT_FAILED;
	/* In interval mode the last, incomplete interval is shown too, unless it was counted out. */
	if (!(loop->run.options->count && loop->intervals >= loop->run.options->count) && take_snapshot(loop))
		return EXIT_FAILED;
	if (run_counts(&loop->run) || show_summary(loop, &lost))
		return EXIT_FAILED;
	err = output_stream_flush(loop->output);
	if (err && err != -EPIPE) {
		pr_err("cannot write the output: %s", strerror(-err));
		return EXIT_FAILED;
	}
	if (loop->has_lost_probes)
		return EXIT_FAILED;
	if (loop->run.pace.has_stopped)
		say_stopped(loop, lost);
	return loop->run.pace.has_stopped || (loop->run.options->strict && is_incomplete(loop, lost)) ? EXIT_LOST
												      : EXIT_OK;
}

/* Start. */

static int open_output(struct loop *loop)
{
	struct sink_setup setup = {
		.tool = loop->run.tool->name,
		.columns = loop->run.tool->columns.list,
		.column_count = loop->run.tool->columns.count,
		.show_time = loop->run.options->show_time,
		.milliseconds = loop->run.options->milliseconds,
	};
	const char *path = loop->run.options->output;

	loop->output = output_stream_open(path, O_TRUNC, while_nobody_reads, loop);
	if (!loop->output) {
		pr_err("cannot write %s: %s", path ? path : "standard output", strerror(errno));
		return -errno;
	}
	setup.to = output_stream_file(loop->output);
	sink_init(&loop->run.sink, loop->run.options->format, &setup);
	return 0;
}

/* Nodes are here, and none can be traced. Programs get that as a summary in which each has a reason. */
static int refuse_all(struct loop *loop)
{
	uint64_t lost = 0;

	refusals_tell(loop->run.follow, loop->run.tool);
	if (loop->run.options->format == SINK_JSON) {
		show_summary(loop, &lost);
		output_stream_flush(loop->output);
	}
	return EXIT_NO_TARGET;
}

static bool is_permission(int err)
{
	return err == -EACCES || err == -EPERM;
}

static int refuse_nobody(const struct loop *loop)
{
	const struct target_selector *select = &loop->run.options->select;
	char text[SELECTOR_TEXT];

	if (target_selector_is_set(select))
		pr_err("no node%s runs on this machine; `erlbpf doctor` lists the running nodes, and without "
		       "--no-wait it is waited for",
		       target_selector_text(select, text));
	else
		pr_err("no BEAM runs on this machine; start a node, wait for one with --node NAME, or start one with "
		       "-c 'erl ...'");
	return EXIT_NO_TARGET;
}

/* Nothing to trace: say why, and what to do. EXIT_OK if there is something, or may be soon. */
static int check_targets(struct loop *loop)
{
	struct follow_stats stats = follow_stats(loop->run.follow);

	if (stats.attached || loop->child)
		return EXIT_OK;
	if (stats.without_probes)
		return refuse_all(loop);
	/* With this right, what may not be looked at is none of ours to trace. */
	if (is_permission(stats.last_error) && !capability_is_held(&loop->run.kernel, CAP_SYS_PTRACE)) {
		pr_err("permission denied for some processes; run erlbpf with sudo");
		return EXIT_NO_PRIVILEGE;
	}
	if (stats.last_error && !is_permission(stats.last_error))
		return EXIT_FAILED;
	loop->is_waiting = target_selector_is_set(&loop->run.options->select) && !loop->run.options->no_wait;
	return loop->is_waiting ? EXIT_OK : refuse_nobody(loop);
}

static void announce(const struct loop *loop)
{
	struct follow_stats stats = follow_stats(loop->run.follow);
	_cleanup_free_ char *others = refusals_list(loop->run.follow);
	const struct target *first;

	if (!stats.attached) {
		pr_info("Tracing %s: waiting for the command's node. Ctrl-C ends it.", loop->run.tool->name);
		return;
	}
	first = follow_get(loop->run.follow, 0)->target;
	if (stats.attached == 1 && follow_count(loop->run.follow) == 1)
		pr_info("Tracing %s on %s (process %d, OTP %d, source %s). Ctrl-C ends it.", loop->run.tool->name,
			first->node[0] ? first->node : "a node without a name", first->pid, first->vm->otp,
			attachment_source(follow_get(loop->run.follow, 0)));
	else
		pr_info("Tracing %s on %zu node%s%s. Ctrl-C ends it.", loop->run.tool->name, stats.attached,
			stats.attached == 1 ? "" : "s", others ? others : "");
	refusals_tell_parts(loop->run.follow, loop->run.tool);
}

static void announce_waiting(const struct loop *loop)
{
	char text[SELECTOR_TEXT];

	pr_info("Waiting for a node%s. Ctrl-C ends it; --no-wait does not wait.",
		target_selector_text(&loop->run.options->select, text));
}

static int start_child(struct loop *loop)
{
	if (!loop->run.options->command)
		return 0;
	loop->child = child_start(loop->run.options->command);
	if (!loop->child) {
		pr_err("cannot start %s: %s", loop->run.options->command[0], strerror(errno));
		return -errno;
	}
	follow_only_tree(loop->run.follow, child_pid(loop->child));
	return 0;
}

/* A table that lives is for a person at a terminal that can place its cursor. */
static bool wants_screen(const struct loop *loop)
{
	const char *terminal = getenv("TERM");

	return loop->run.tool->view && strcmp(terminal ? terminal : "", "dumb") != 0 &&
	       loop->run.options->format == SINK_TEXT && !loop->run.options->output && isatty(STDIN_FILENO) &&
	       isatty(STDOUT_FILENO);
}

/* Whatever ends us, the terminal is restored. */
static int open_screen(struct loop *loop)
{
	static const int deaths[] = { SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE };

	if (screen_open(&loop->run.sink, &loop->run.view, loop->run.options->rows)) {
		pr_err("unknown terminal (TERM=%s); use -f csv, or pipe the output to cat",
		       getenv("TERM") ? getenv("TERM") : "");
		return -ENOTTY;
	}
	loop->has_screen = true;
	loop->run.sink.ops = &sink_screen;
	for (size_t i = 0; i < sizeof(deaths) / sizeof(*deaths); i++)
		signal(deaths[i], stop_die);
	/* Something to see at once. */
	loop->run.tool->snapshot(&loop->run);
	return event_loop_add(loop->waiting, STDIN_FILENO, on_key, loop);
}

/* In percent; 0: what pacing takes by default. A table that is there all day must cost next to nothing. */
static double default_overhead(const struct tool *tool)
{
	return tool->view ? VIEW_OVERHEAD : 0;
}

/* What is measured begins here. */
static void begin(struct loop *loop)
{
	const struct options *o = loop->run.options;
	const struct pace_setup pace = {
		.mode = run_pace_mode(&loop->run),
		.share = (o->has_overhead ? o->max_overhead : default_overhead(loop->run.tool)) / 100,
		.has_details = o->min_ns && loop->run.tool->details,
		.lets_end = run_has_lengths(&loop->run),
		.world = pace_world_of(loop->run.loader, loop->run.follow),
	};

	hit_costs_wait(MOST_WAIT_MS);
	loop->run.live_ns = follow_stats(loop->run.follow).attached ? duration_now() : 0;
	pace_begin(&loop->run.pace, &pace);
	if (loop->run.tool->begin)
		loop->run.tool->begin(&loop->run);
}

/* The user hears of it, and the time that was asked for runs. */
static int show_begin(struct loop *loop)
{
	const struct options *o = loop->run.options;
	int err = 0;

	announce(loop);
	stopped_report(loop->run.follow);
	loop->shown_ns = duration_now();
	if (o->interval_ns)
		pace_set_intervals(&loop->run.pace, loop->shown_ns + o->interval_ns, o->interval_ns);
	if (o->interval_ns)
		err = add_timer(loop, o->interval_ns, o->interval_ns, on_interval);
	if (!err && o->duration_ns)
		err = add_timer(loop, o->duration_ns, 0, on_the_end);
	if (err)
		pr_err("cannot wait for events: %s", strerror(-err));
	return err || (wants_screen(loop) && open_screen(loop)) ? -EIO : 0;
}

/* Has what was waited for come? */
static void end_waiting(struct loop *loop)
{
	struct follow_stats stats = follow_stats(loop->run.follow);

	if (stats.attached) {
		loop->is_waiting = false;
		begin(loop);
		if (show_begin(loop))
			loop->code = EXIT_FAILED;
	} else if (stats.without_probes) {
		loop->code = refuse_all(loop);
	}
	if (loop->code != EXIT_OK)
		event_loop_stop(loop->waiting);
}

static void on_scan(void *data, uint64_t times)
{
	struct loop *loop = data;

	(void)times;
	follow_scan(loop->run.follow);
	if (loop->is_waiting)
		end_waiting(loop);
	else if (!loop->run.live_ns && follow_stats(loop->run.follow).attached)
		loop->run.live_ns = duration_now();
}

static int add_tick(struct loop *loop, const struct tool_tick *tick)
{
	if (tick->is_random)
		return event_loop_add_random_timer(loop->waiting, tick->every_ns, on_tick, loop);
	return add_timer(loop, tick->every_ns, tick->every_ns, on_tick);
}

static int prepare_loop(struct loop *loop)
{
	const struct options *o = loop->run.options;
	const struct tool *tool = loop->run.tool;
	int err = 0;

	if (!o->pid_count)
		err = add_timer(loop, SCAN_NS, loop->child ? SCAN_CHILD_NS : SCAN_NS, on_scan);
	if (!err && loop->run.ring)
		err = add_timer(loop, RING_NS, RING_NS, on_ring);
	if (!err && loop->run.ring)
		err = event_loop_add(loop->waiting, ring_buffer__epoll_fd(loop->run.ring), on_ring, loop);
	if (!err && tool->tick.call)
		err = add_tick(loop, &tool->tick);
	if (!err && o->pace != PACE_NEVER)
		err = add_timer(loop, PACE_TICK_NS, PACE_TICK_NS, on_pace);
	if (!err && loop->child)
		err = event_loop_add(loop->waiting, child_fd(loop->child), on_the_end, loop);
	if (!err)
		err = event_loop_add(loop->waiting, follow_fd(loop->run.follow), on_end_of_target, loop);
	if (!err)
		err = event_loop_add(loop->waiting, guardian_fd(), on_end_of_guardian, loop);
	if (err)
		pr_err("cannot wait for events: %s", strerror(-err));
	return err;
}

static int give_up(const struct loop *loop)
{
	struct unprivileged how = {
		.kernel = &loop->run.kernel,
		.attaches = !loop->run.options->pid_count || loop->run.options->via == VIA_HW,
	};

	/* Who is late to take probes away lets the node pay for them meanwhile. */
	short_slices_request();
	return unprivileged_begin(&how);
}

/* Has the command had a node that was traced? */
static int check_child(const struct loop *loop)
{
	struct follow_stats stats = follow_stats(loop->run.follow);

	if (stats.seen)
		return EXIT_OK;
	if (stats.without_probes)
		refusals_tell(loop->run.follow, loop->run.tool);
	else
		pr_err("%s has not started an Erlang node", loop->run.options->command[0]);
	return EXIT_NO_TARGET;
}

static int check_waiting(const struct loop *loop)
{
	char text[SELECTOR_TEXT];

	if (loop->code == EXIT_OK && loop->is_waiting)
		pr_err("no node%s has started", target_selector_text(&loop->run.options->select, text));
	return loop->code == EXIT_OK && loop->is_waiting ? EXIT_NO_TARGET : loop->code;
}

static int wait_and_finish(struct loop *loop)
{
	int code;

	wait_for_all(loop);
	code = check_waiting(loop);
	if (code != EXIT_OK)
		return code;
	code = finish(loop);
	if (loop->has_reader)
		stopped_report(loop->run.follow);
	if (code == EXIT_OK && event_loop_error(loop->waiting))
		code = EXIT_FAILED;
	return code == EXIT_OK && loop->child ? check_child(loop) : code;
}

/* Signals first: one that comes while the probes are put in place ends a trace too, it does not kill us. */
static int trace(struct loop *loop)
{
	int code, err = add_signals(loop);

	if (err) {
		pr_err("cannot wait for signals: %s", strerror(-err));
		return EXIT_FAILED;
	}
	code = follow_scan(loop->run.follow);
	kernel_cool(loop->warmth);
	loop->warmth = NULL;
	if (code == EXIT_OK)
		code = check_targets(loop);
	if (code != EXIT_OK)
		return code;
	if (prepare_loop(loop))
		return EXIT_FAILED;
	if (!loop->is_waiting)
		begin(loop);
	if (!loop->run.options->keep_caps && give_up(loop))
		return EXIT_FAILED;
	if (loop->is_waiting)
		announce_waiting(loop);
	else if (show_begin(loop))
		return EXIT_FAILED;
	err = loop->child ? child_release(loop->child) : 0;
	if (err) {
		pr_err("cannot run %s: %s", loop->run.options->command[0], strerror(-err));
		return EXIT_FAILED;
	}
	return wait_and_finish(loop);
}

static void loop_free(struct loop *loop)
{
	screen_close();
	kernel_cool(loop->warmth);
	child_free(loop->child);
	run_close(&loop->run);
	output_stream_free(loop->output);
	event_loop_free(loop->waiting);
}

/* Histograms by key are for people a table of their percentiles, programs are given them all. */
static int set_by_table(struct loop *loop)
{
	const struct options *o = loop->run.options;
	int err;

	if (!(loop->run.tool->hist || loop->run.tool->hands_hists) || !o->by || o->format != SINK_TEXT)
		return 0;
	err = by_table_begin(&loop->run.by_table, o->sort, o->rows ? o->rows : TEXT_ROWS);
	if (err == -EINVAL)
		tables_refuse_column(&loop->run, o->sort + (*o->sort == '-'), by_table_columns, BY_TABLE_COLUMNS);
	return err;
}

/* What the user wants to see of a large table. 0, or -EINVAL, explained. */
static int set_view(struct loop *loop)
{
	const struct options *o = loop->run.options;
	const struct tool *tool = loop->run.tool;
	const char *sort;

	if (!tool->view)
		return set_by_table(loop);
	sort = o->sort ? o->sort : tool->view->sort;
	loop->run.view.rows = o->rows ? o->rows : o->format == SINK_TEXT ? TEXT_ROWS : DATA_ROWS;
	loop->run.view.is_reversed = *sort == '-';
	snprintf(loop->run.view.filter, sizeof(loop->run.view.filter), "%s", o->filter ? o->filter : "");
	if (!view_find_column(tool->columns.list, tool->columns.count, sort + (*sort == '-'), &loop->run.view.sort))
		return 0;
	tables_refuse_column(&loop->run, sort + (*sort == '-'), tool->columns.list, tool->columns.count);
	return -EINVAL;
}

/* All but the tracing. An enum exit_code. */
static int run_loop(struct loop *loop, const struct tool *tool, const struct options *options)
{
	const char *refusal;

	if (run_open(&loop->run, tool, options) || !loop->waiting)
		return EXIT_FAILED;
	if (set_view(loop))
		return EXIT_USAGE;
	kernel_detect(&loop->run.kernel);
	refusal = kernel_refusal(&loop->run.kernel);
	if (refusal) {
		pr_err("%s", refusal);
		return EXIT_NO_PRIVILEGE;
	}
	refusal = options->via == VIA_HW ? debug_registers_refusal(options->allow_denied) : NULL;
	if (refusal) {
		pr_err("%s; --entry --via vm asks the node for breakpoints instead", refusal);
		return EXIT_NO_PRIVILEGE;
	}
	if (options->pace != PACE_NEVER) {
		loop->warmth = kernel_warm(&loop->run.kernel);
		hit_costs_begin(&loop->run.kernel);
	}
	if (open_output(loop) || run_load(&loop->run))
		return EXIT_FAILED;
	if (tables_set(&loop->run))
		return EXIT_USAGE;
	/* Until all probes are in place, some would count what others cannot see yet. */
	window_set(loop->run.loader, &(struct erl_window){ .is_off = 1 });
	if (!selection_has_probes(&loop->run))
		return EXIT_NO_TARGET;
	return start_child(loop) ? EXIT_FAILED : trace(loop);
}

int run_tool(const struct tool *tool, const struct options *wanted)
{
	struct options options = *wanted;
	struct loop loop = { .waiting = event_loop_new(), .has_reader = true };
	unsigned long errors = log_errors();
	int code;

	if (options.entry)
		tool = tool->of_entries;
	else if (options.via == VIA_VM)
		tool = tool->via_vm;
	code = selection_name_check(tool, &options);
	if (code != EXIT_OK) {
		loop_free(&loop);
		return code;
	}
	tool = selection_tool(tool, &options);
	loop.chooses_interval = tool->view && !options.interval_ns;
	if (loop.chooses_interval)
		options.interval_ns = tool->view->interval_ns;
	code = guardian_start() ? EXIT_FAILED : run_loop(&loop, tool, &options);
	if (code == EXIT_FAILED && log_errors() == errors)
		pr_err("%s failed: there is not enough memory, or a limit of this process is too low", tool->name);
	loop_free(&loop);
	return code;
}
