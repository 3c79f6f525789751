// SPDX-License-Identifier: BSD-2-Clause
/*
 * One trace from beginning to end. Everything that can happen meanwhile is an fd in one epoll set:
 * a signal, the end of an interval or of the duration, records in the ring, a target that ended,
 * the time to look for new ones, the end of the command.
 */
#include "run/run.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/log.h"
#include "erl.h"
#include "out/screen.h"
#include "out/view.h"
#include "probe/catalogue.h"
#include "run/cases.h"
#include "run/child.h"
#include "run/dump.h"
#include "run/follow.h"
#include "run/histogram.h"
#include "run/ids.h"
#include "run/kernel.h"
#include "run/load.h"
#include "run/map.h"
#include "run/pace.h"
#include "run/summary.h"
#include "run/tallies.h"

#define TEXT_ROWS 20
#define DATA_ROWS 50
#define MOST_SHARE 25	/* a part in so many of a core is what reading may take in intervals of our choice */
#define SCAN_NS (250 * NS_PER_MS)
#define SCAN_CHILD_NS (20 * NS_PER_MS)	/* with -c, the node is about to start */
#define RING_TURN 8192			/* records */
#define RING_NS (50 * NS_PER_MS)	/* records wait at most this long below the wake-up mark */

enum happening { ON_SIGNAL, ON_INTERVAL, ON_DURATION, ON_RING, ON_RING_TIME, ON_END, ON_SCAN, ON_CHILD, ON_TICK,
		 ON_KEY };

struct run {
	const struct tool *tool;
	const struct options *options;
	struct kernel kernel;
	struct loader *loader;
	struct attach_wish wish;
	struct follow *follow;
	struct ids *ids;
	const enum tool_field *fields;	/* of the columns that are shown */
	bool without_hist;
	const char *hist_title, *hist_unit;
	__u32 generation;		/* that is being read, while a snapshot is taken */
	struct tally_row *tally;	/* of it */
	struct ring_buffer *ring;
	struct child *child;
	struct pace pace;
	struct view view;
	bool has_screen;
	struct sink sink;
	FILE *output;
	uint64_t start_ns, end_ns;	/* end: 0 as long as it goes on */
	uint64_t wall_offset;
	uint64_t intervals;
	uint64_t skip;			/* intervals to leave out, since reading takes long */
	bool chooses_interval;		/* the user named none */
	int epoll;
	bool is_stopping;
	bool has_reader;
	unsigned int turn;		/* records that may be shown before others have theirs; 0: all */
	struct erl_count *seen;		/* counts at the last snapshot, by probe */
	struct erl_count *now;		/* counts at this one */
};

/* For the tools. */

const struct options *run_options(const struct run *run)
{
	return run->options;
}

const struct tool *run_its_tool(const struct run *run)
{
	return run->tool;
}

int run_set(struct run *run, const char *variable, const void *value, size_t size)
{
	return loader_set(run->loader, variable, value, size);
}

int run_map(const struct run *run, const char *name)
{
	return loader_map(run->loader, name);
}

uint64_t run_wall_ns(const struct run *run, uint64_t monotonic_ns)
{
	return monotonic_ns + run->wall_offset;
}

const char *run_node(const struct run *run, int os_pid)
{
	return follow_node(run->follow, os_pid);
}

const char *run_process_name(const struct run *run, int os_pid, uint64_t id, char *buf)
{
	return follow_process_name(run->follow, os_pid, id, buf);
}

const char *run_id(struct run *run, int os_pid, uint64_t id)
{
	return ids_text(run->ids, os_pid, id);
}

const char *run_name(struct run *run, int os_pid, uint64_t id, uint64_t caught, char *buf)
{
	const char *now;

	if (erl_id_kind(caught) == ERL_ID_ATOM)
		return run_id(run, os_pid, caught);
	now = run_process_name(run, os_pid, id, buf);
	return *now ? now : run_id(run, os_pid, caught);
}

const char *run_key(struct run *run, int os_pid, uint64_t id)
{
	uint64_t kind = erl_id_value(id);

	if (run->options->by == TAKES_BY_KIND && kind < run->tool->kind_count)
		return run->tool->kinds[kind];
	return run_id(run, os_pid, id);
}

int run_tally(struct run *run, const struct tally_row **rows, size_t *count)
{
	int err;

	free(run->tally);
	err = tallies_take(run->loader, run->generation, &run->tally, count);
	*rows = run->tally;
	return err;
}

int run_tally_table(struct run *run, size_t columns,
		    void (*fill)(struct run *run, const struct tally_row *row, struct value *cells))
{
	_cleanup_free_ struct value *cells = NULL;
	const struct tally_row *rows;
	struct sink_table table = {};
	int err = run_tally(run, &rows, &table.rows);

	if (err)
		return err;
	cells = calloc(table.rows * columns + 1, sizeof(*cells));
	if (!cells)
		return -ENOMEM;
	for (size_t i = 0; i < table.rows; i++)
		fill(run, &rows[i], cells + i * columns);
	table.cells = cells;
	run_table(run, &table);
	return 0;
}

void run_columns(struct run *run, const struct column *columns, const enum tool_field *fields, size_t count)
{
	run->sink.setup.columns = columns;
	run->sink.setup.column_count = count;
	run->fields = fields;
}

void run_without_hist(struct run *run)
{
	run->without_hist = true;
}

void run_measures(struct run *run, const char *title, const char *unit)
{
	run->hist_title = title;
	run->hist_unit = unit;
}

const char *run_term(struct run *run, int os_pid, const struct term_snapshot *snapshot, char *buf,
		     size_t size)
{
	follow_term(run->follow, os_pid, snapshot, buf, size);
	return buf;
}

size_t run_targets(const struct run *run)
{
	return follow_count(run->follow);
}

struct run_target run_target(const struct run *run, size_t i)
{
	const struct attachment *a = follow_get(run->follow, i);

	return (struct run_target){
		.os_pid = a->target->pid, .target = a->target, .pids = &a->pids,
		.is_over = follow_is_over(run->follow, i),
	};
}

const struct view *run_view(const struct run *run)
{
	return &run->view;
}

uint64_t run_reached_ns(const struct run *run)
{
	return run->end_ns ? run->end_ns : duration_now();
}

uint64_t run_on_ns(const struct run *run, uint64_t reached_ns)
{
	return pace_on_ns(&run->pace, reached_ns);
}

int run_each(const struct run *run, const char *map,
	     bool (*visit)(void *data, const void *key, const void *value), void *data)
{
	return map_each(run_map(run, map), visit, data);
}

void run_event(struct run *run, const struct sink_event *event)
{
	run->sink.ops->event(&run->sink, event);
}

void run_hist(struct run *run, const struct sink_hist *hist)
{
	run->sink.ops->hist(&run->sink, hist);
}

void run_table(struct run *run, const struct sink_table *table)
{
	run->sink.ops->table(&run->sink, table);
}

int run_hits(struct run *run, uint32_t probe, uint64_t *events, uint64_t *lost)
{
	if (probe >= probe_count())
		return -ENOENT;
	*events = run->now[probe].events - run->seen[probe].events;
	*lost = run->now[probe].lost - run->seen[probe].lost;
	return 0;
}

uint64_t run_sum(const struct run *run, const char *map, uint32_t index)
{
	int cpus = libbpf_num_possible_cpus();
	_cleanup_free_ uint64_t *counts = calloc(cpus > 0 ? (size_t)cpus : 1, sizeof(*counts));
	uint64_t sum = 0;

	if (!run || !counts || cpus <= 0 || bpf_map_lookup_elem(run_map(run, map), &index, counts))
		return 0;
	for (int i = 0; i < cpus; i++)
		sum += counts[i];
	return sum;
}

size_t run_fates(const struct run *run, const struct sink_note *fates, size_t count,
		 struct sink_note notes[TOOL_MAX_NOTES])
{
	for (uint32_t i = 0; i < count; i++) {
		notes[i] = fates[i];
		notes[i].count = run_sum(run, "fates", i);
	}
	return count;
}

/* Counts. */

static int read_count(int fd, int cpus, uint32_t probe, struct erl_count *buf, struct erl_count *sum)
{
	*sum = (struct erl_count){};
	if (bpf_map_lookup_elem(fd, &probe, buf))
		return -errno;
	for (int i = 0; i < cpus; i++) {
		sum->events += buf[i].events;
		sum->lost += buf[i].lost;
	}
	return 0;
}

static int read_counts(struct run *run)
{
	int cpus = libbpf_num_possible_cpus(), fd = run_map(run, "erl_counts");
	_cleanup_free_ struct erl_count *buf = calloc(cpus > 0 ? (size_t)cpus : 1, sizeof(*buf));
	int err = buf && cpus > 0 ? 0 : -ENOMEM;

	for (uint32_t probe = 0; !err && probe < probe_count(); probe++)
		err = read_count(fd, cpus, probe, buf, &run->now[probe]);
	return err;
}

/* Snapshots. */

static const char *key_text(struct run *run, const struct hist_key *key, const char *node)
{
	if (run->options->by == TAKES_BY_NODE)
		return node[0] ? node : "(no name)";
	return key->id ? run_key(run, (int)key->os_pid, key->id) : "(unknown)";
}

static const char *process_name(struct run *run, const struct hist *hist, char buf[RUN_NAME_SIZE])
{
	if (erl_id_kind(hist->key.id) != ERL_ID_LOCAL)
		return NULL;
	return run_name(run, (int)hist->key.os_pid, hist->key.id, hist->sum.name, buf);
}

static void show_hist(void *data, const struct hist *hist)
{
	struct run *run = data;
	char name[RUN_NAME_SIZE];
	struct sink_hist shown = {
		.title = run->hist_title, .unit = run->hist_unit,
		.count = hist->count, .sum = hist->sum.sum,
		.min = hist->count ? hist->sum.min : 0, .max = hist->sum.max,
		.slots = (const uint64_t *)hist->slots,
	};

	if (hist->key.os_pid) {
		shown.os_pid = (int)hist->key.os_pid;
		shown.node = run_node(run, shown.os_pid);
		shown.key = key_text(run, &hist->key, shown.node);
		shown.name = process_name(run, hist, name);
	} else if (run->options->by && hist->count) {
		shown.key = "other";
	}
	if (hist->count || !run->options->by)
		run->sink.ops->hist(&run->sink, &shown);
}

/* There is something in the pipe yet, or the terminal is full: writing may have to wait. */
static bool reader_is_behind(const struct run *run)
{
	int fd = fileno(run->output), left = 0;
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
	struct stat stat;

	if (!poll(&poll_fd, 1, 0))
		return true;
	return !fstat(fd, &stat) && S_ISFIFO(stat.st_mode) && !ioctl(fd, FIONREAD, &left) && left > 0;
}

static int show_table(struct run *run)
{
	return run->tool->snapshot ? run->tool->snapshot(run) : 0;
}

static int take_snapshot(struct run *run)
{
	bool is_interval = run->options->interval_ns > 0;
	/* A file of CSV holds one table, and what comes first is it. */
	bool is_csv = run->options->format == SINK_CSV;
	int err = read_counts(run);

	if (!err && is_interval)
		run->sink.ops->interval(&run->sink, run_wall_ns(run, duration_now()));
	if (!err && loader_map(run->loader, "erl_generation") >= 0)
		err = dump_turn(run->loader, &run->generation);
	if (run->tool->is_paced && reader_is_behind(run))
		pace_hold(&run->pace);
	if (!err && is_csv)
		err = show_table(run);
	if (!err && run->tool->hist_title && !run->without_hist)
		err = hist_take(run->loader, run->generation, show_hist, run);
	if (!err && !is_csv)
		err = show_table(run);
	ids_forget(run->ids);
	memcpy(run->seen, run->now, probe_count() * sizeof(*run->seen));
	if (err)
		pr_err("cannot read the results: %s", strerror(-err));
	return err;
}

/* Nobody reads any more: that is the end, not an error. */
static bool reader_is_gone(struct run *run)
{
	if (!fflush(run->output) && !ferror(run->output))
		return false;
	run->has_reader = errno != EPIPE;
	run->is_stopping = true;
	return true;
}

/* Events. */

static int on_record(void *data, void *record, size_t size)
{
	struct run *run = data;

	if (run->fields)
		cases_show(run, run->tool, run->fields, run->sink.setup.column_count, record, size);
	else
		run->tool->event(run, record, size);
	ids_forget(run->ids);
	return run->turn && !--run->turn ? -EAGAIN : 0;
}

static bool show_open(void *data, const void *key, const void *value)
{
	struct run *run = data;
	struct measure_event e;
	bool is_known;

	(void)key;
	memcpy(&e, value, sizeof(e));
	/* Of a VM that has ended, nobody knows when the case did. */
	is_known = follow_is_live(run->follow, (pid_t)e.os_pid);
	e.end_ns = is_known ? duration_now() : e.start_ns;
	if (!is_known || e.end_ns - e.start_ns >= run->options->min_ns)
		cases_show(run, run->tool, run->fields, run->sink.setup.column_count, &e, sizeof(e));
	return false;
}

/* What has begun and not ended is not lost: it is shown with the time that it has taken so far. */
static int show_all_open(struct run *run)
{
	int err = run->tool->open && run->fields ? map_each(run_map(run, run->tool->open), show_open, run) : 0;

	if (err)
		pr_err("cannot read the cases that have not ended: %s", strerror(-err));
	return err;
}

static int add_fd(const struct run *run, int fd, enum happening what)
{
	struct epoll_event event = {
		.events = EPOLLIN, .data.u64 = (uint64_t)fd << 32 | (uint32_t)what,
	};

	return epoll_ctl(run->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/* The timer lives as long as the epoll set; its fd is closed with the process. */
static int add_timer(const struct run *run, uint64_t first_ns, uint64_t every_ns, enum happening what)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	struct itimerspec when = {
		.it_value = { (time_t)(first_ns / NS_PER_S), (long)(first_ns % NS_PER_S) },
		.it_interval = { (time_t)(every_ns / NS_PER_S), (long)(every_ns % NS_PER_S) },
	};

	if (fd < 0 || timerfd_settime(fd, 0, &when, NULL))
		return -errno;
	return add_fd(run, fd, what);
}

/*
 * The first SIGINT or SIGTERM ends the trace, the second kills at once, even while we wait for
 * somebody to read our output; hence a handler, and not a signalfd with blocked signals.
 */
static int stop_fd = -1;

static void on_last_signal(int number)
{
	screen_abandon();
	signal(number, SIG_DFL);
	raise(number);
}

static void on_first_signal(int number)
{
	uint64_t one = 1;

	(void)number;
	signal(SIGINT, on_last_signal);
	signal(SIGTERM, on_last_signal);
	(void)!write(stop_fd, &one, sizeof(one));
}

static int add_signals(const struct run *run)
{
	struct sigaction action = { .sa_handler = on_first_signal, .sa_flags = SA_RESTART };

	stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (stop_fd < 0)
		return -errno;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	return add_fd(run, stop_fd, ON_SIGNAL);
}

static void on_interval(struct run *run)
{
	uint64_t start = duration_now(), took;

	if (run->view.is_paused || run->skip) {
		run->skip -= run->skip > 0;
		return;
	}
	if (take_snapshot(run) || reader_is_gone(run))
		run->is_stopping = true;
	took = duration_now() - start;
	pr_debug("read and shown in %.1f ms", (double)took / NS_PER_MS);
	if (run->chooses_interval)
		run->skip = took * MOST_SHARE / run->options->interval_ns;
	run->intervals++;
	if (run->options->count && run->intervals >= run->options->count)
		run->is_stopping = true;
}

static void on_key(struct run *run)
{
	enum screen_wish wish = screen_keys();

	if (wish == SCREEN_QUIT)
		run->is_stopping = true;
	else if (wish == SCREEN_SHOW)
		run->tool->show(run);
}

static void on_end_of_target(struct run *run)
{
	follow_reap(run->follow);
	/* Processes that were named do not come back; others may. */
	if (run->options->pid_count && !follow_stats(run->follow).attached)
		run->is_stopping = true;
}

/*
 * A busy node fills the ring faster than we print. libbpf reads until it is empty, which it then never is;
 * so there is a limit, or neither a signal nor a timer would be heard.
 */
static void consume(struct run *run, unsigned int limit)
{
	if (!run->ring)
		return;
	run->turn = limit;
	ring_buffer__consume(run->ring);
	reader_is_gone(run);
}

static void handle(struct run *run, enum happening what)
{
	switch (what) {
	case ON_SIGNAL:
		run->is_stopping = true;
		break;
	case ON_INTERVAL:
		on_interval(run);
		break;
	case ON_DURATION:
	case ON_CHILD:
		run->is_stopping = true;
		break;
	case ON_RING:
	case ON_RING_TIME:
		consume(run, RING_TURN);
		break;
	case ON_END:
		on_end_of_target(run);
		break;
	case ON_SCAN:
		follow_scan(run->follow);
		break;
	case ON_KEY:
		on_key(run);
		break;
	case ON_TICK:
		if (run->tool->is_paced)
			pace_tick(&run->pace);
		run->tool->tick(run);
		break;
	}
}

/* Timers stay readable until they are read; the other fds are emptied by their handlers. */
static void drain_fd(int what, int fd)
{
	uint64_t times;

	if (what == ON_INTERVAL || what == ON_SCAN || what == ON_RING_TIME || what == ON_TICK)
		(void)!read(fd, &times, sizeof(times));
}

static void loop(struct run *run)
{
	while (!run->is_stopping) {
		struct epoll_event events[8];
		int n = epoll_wait(run->epoll, events, 8, -1);

		/* Interrupted: the terminal may have another size. */
		if (n < 0 && run->has_screen)
			on_key(run);
		for (int i = 0; i < n && !run->is_stopping; i++) {
			int what = (int)(events[i].data.u64 & 0xffffffff);

			drain_fd(what, (int)(events[i].data.u64 >> 32));
			handle(run, (enum happening)what);
		}
	}
}

static int prepare_loop(struct run *run)
{
	const struct options *o = run->options;
	int err = add_signals(run);

	if (!err && o->interval_ns)
		err = add_timer(run, o->interval_ns, o->interval_ns, ON_INTERVAL);
	if (!err && o->duration_ns)
		err = add_timer(run, o->duration_ns, 0, ON_DURATION);
	if (!err && !o->pid_count)
		err = add_timer(run, SCAN_NS, run->child ? SCAN_CHILD_NS : SCAN_NS, ON_SCAN);
	if (!err && run->ring)
		err = add_timer(run, RING_NS, RING_NS, ON_RING_TIME);
	if (!err && run->ring)
		err = add_fd(run, ring_buffer__epoll_fd(run->ring), ON_RING);
	if (!err && run->tool->tick)
		err = add_timer(run, run->tool->tick_ns, run->tool->tick_ns, ON_TICK);
	if (!err && run->child)
		err = add_fd(run, child_fd(run->child), ON_CHILD);
	if (!err)
		err = add_fd(run, follow_fd(run->follow), ON_END);
	if (err)
		pr_err("cannot wait for events: %s", strerror(-err));
	return err;
}

/* Detach first: what is read then is all there is, to the last event. */
static int finish(struct run *run)
{
	struct summary_input summary = {
		.tool = run->tool, .follow = run->follow, .counts = run->now, .start_ns = run->start_ns,
	};
	uint64_t lost = 0;
	bool is_written;

	run->end_ns = duration_now();
	if (run->tool->is_paced)
		pace_end(&run->pace, run->end_ns);
	follow_detach(run->follow);
	if (!run->has_reader)
		return EXIT_OK;
	consume(run, 0);
	if (show_all_open(run))
		return EXIT_FAILED;
	/* In interval mode the last, incomplete interval is shown too, unless it was counted out. */
	if (!(run->options->count && run->intervals >= run->options->count) && take_snapshot(run))
		return EXIT_FAILED;
	if (read_counts(run) || summary_show(&summary, &run->sink, run, &lost))
		return EXIT_FAILED;
	is_written = !fflush(run->output) && !ferror(run->output);
	if (!is_written && errno != EPIPE) {
		pr_err("cannot write the output: %s", strerror(errno));
		return EXIT_FAILED;
	}
	return lost && run->options->strict ? EXIT_LOST : EXIT_OK;
}

/* Start. */

static int open_output(struct run *run)
{
	struct sink_setup setup = {
		.tool = run->tool->name,
		.columns = run->tool->columns, .column_count = run->tool->column_count,
		.show_time = run->options->show_time, .milliseconds = run->options->milliseconds,
	};

	run->output = run->options->output ? fopen(run->options->output, "we") : stdout;
	if (!run->output) {
		pr_err("cannot write %s: %s", run->options->output, strerror(errno));
		return -errno;
	}
	setup.to = run->output;
	sink_init(&run->sink, run->options->format, &setup);
	run->fields = run->tool->fields;
	run_measures(run, run->tool->hist_title, run->tool->hist_unit);
	return 0;
}

static int configure_measure(struct run *run)
{
	const struct options *o = run->options;
	struct measure_config measure = cases_config(run->tool, o);
	__u32 by_key = o->by != 0;
	int err = run_set(run, "measure", &measure, sizeof(measure));

	/* Only the programs of tools that measure include measure.bpf.h. */
	if (err == -ENOENT && !run->tool->hist_title && !run->tool->fields)
		return 0;
	if (!err)
		err = run_set(run, "hist_by_key", &by_key, sizeof(by_key));
	if (!err && !o->by)
		hist_without_keys(run->loader);
	return err;
}

static int load(struct run *run)
{
	size_t size;
	const void *elf = run->tool->elf(&size);
	int err = loader_open(elf, size, &run->kernel, &run->loader);

	if (!err && run->tool->configure)
		err = run->tool->configure(run);
	if (!err)
		err = configure_measure(run);
	if (!err)
		err = loader_make_maps(run->loader);
	if (!err && loader_map(run->loader, "hist_total") >= 0)
		err = hist_prepare(run->loader);
	if (!err && (run->tool->event || run->fields)) {
		run->ring = ring_buffer__new(run_map(run, "erl_ring"), on_record, run, NULL);
		err = run->ring ? 0 : -errno;
	}
	return err;
}

static int make_follow(struct run *run)
{
	run->wish = (struct attach_wish){
		.loader = run->loader, .kernel = &run->kernel, .glob = run->options->glob,
		.source = run->options->source, .allow_denied = run->options->allow_denied,
		.args = run->tool->args, .without_states = run->tool->without_states,
		.with_terms = run->options->show || run->tool->with_terms,
		.without = run->options->min_ns ? NULL : run->tool->with_min,
		.functions = run->tool->takes & TAKES_VM_FUNCTIONS ? &run->options->functions : NULL,
		.chosen = run->tool->glob ? run->options->glob : NULL,
	};
	run->follow = follow_new(&run->wish, run->options);
	if (run->follow)
		run->ids = ids_new(run->loader, run->follow);
	if (run->ids && run->options->pace == PACE_NEVER)
		follow_pause(run->follow);
	return run->ids ? 0 : -errno;
}

static const char *first_reason(const struct run *run)
{
	for (size_t i = 0; i < follow_count(run->follow); i++) {
		const struct attachment *a = follow_get(run->follow, i);

		for (size_t m = 0; m < a->missing_count; m++) {
			if (a->missing[m].whole)
				return a->missing[m].why;
		}
	}
	return "no such probe; `erlbpf list` shows which there are";
}

/* Nothing to trace: say why, and what to do. EXIT_OK if there is something, or may be soon. */
static int check_targets(const struct run *run)
{
	struct follow_stats stats = follow_stats(run->follow);

	if (stats.attached || run->child)
		return EXIT_OK;
	if (stats.without_probes) {
		pr_err("none of the %zu BEAMs here has the probes that %s needs: %s; `erlbpf doctor` says "
		       "what to do", stats.without_probes, run->tool->name, first_reason(run));
		return EXIT_NO_TARGET;
	}
	if (stats.last_error == -EACCES || stats.last_error == -EPERM) {
		pr_err("there are processes that may not be looked at; run it with sudo");
		return EXIT_NO_PRIVILEGE;
	}
	if (stats.last_error)
		return EXIT_FAILED;
	if (run->options->node)
		pr_err("no node named %s runs here; `erlbpf doctor` lists those that do",
		       run->options->node);
	else
		pr_err("no BEAM runs here; start a node, or start one with -c 'erl ...'");
	return EXIT_NO_TARGET;
}

static void announce(const struct run *run)
{
	struct follow_stats stats = follow_stats(run->follow);
	const struct target *first;

	if (!stats.attached) {
		pr_info("Tracing %s: waiting for the command's node. Ctrl-C ends it.", run->tool->name);
		return;
	}
	first = follow_get(run->follow, 0)->target;
	if (stats.attached == 1 && follow_count(run->follow) == 1)
		pr_info("Tracing %s on %s (process %d, OTP %d, source %s). Ctrl-C ends it.",
			run->tool->name, first->node[0] ? first->node : "a node without a name",
			first->pid, first->vm->otp, attachment_source(follow_get(run->follow, 0)));
	else
		pr_info("Tracing %s on %zu nodes. Ctrl-C ends it.", run->tool->name, stats.attached);
}

static int start_child(struct run *run)
{
	if (!run->options->command)
		return 0;
	run->child = child_start(run->options->command);
	if (!run->child) {
		pr_err("cannot start %s: %s", run->options->command[0], strerror(errno));
		return -errno;
	}
	follow_only_tree(run->follow, child_pid(run->child));
	return 0;
}

/* A table that lives is for a person at a terminal. */
static bool wants_screen(const struct run *run)
{
	return run->tool->sort && run->options->format == SINK_TEXT && !run->options->output &&
	       isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

/* Whatever ends us, the terminal is restored. */
static int open_screen(struct run *run)
{
	static const int deaths[] = { SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE };

	if (screen_open(&run->sink, &run->view, run->options->rows)) {
		pr_err("this terminal is not known (TERM=%s); -f csv or | cat does without it",
		       getenv("TERM") ? getenv("TERM") : "");
		return -ENOTTY;
	}
	run->has_screen = true;
	run->sink.ops = &sink_screen;
	for (size_t i = 0; i < sizeof(deaths) / sizeof(*deaths); i++)
		signal(deaths[i], on_last_signal);
	/* Something to see at once. */
	run->tool->snapshot(run);
	return add_fd(run, STDIN_FILENO, ON_KEY);
}

static int trace(struct run *run)
{
	int code = follow_scan(run->follow);

	if (code == EXIT_OK)
		code = check_targets(run);
	if (code != EXIT_OK)
		return code;
	if (prepare_loop(run))
		return EXIT_FAILED;
	if (run->tool->is_paced)
		pace_begin(&run->pace, run->options->pace, run->loader, run->follow);
	if (run->tool->begin)
		run->tool->begin(run);
	announce(run);
	if (wants_screen(run) && open_screen(run))
		return EXIT_FAILED;
	if (run->child && child_release(run->child)) {
		pr_err("cannot run %s: %s", run->options->command[0], strerror(errno));
		return EXIT_FAILED;
	}
	loop(run);
	code = finish(run);
	if (code == EXIT_OK && run->child && !follow_stats(run->follow).seen) {
		pr_err("no node was seen that %s started", run->options->command[0]);
		code = EXIT_NO_TARGET;
	}
	return code;
}

static void run_free(struct run *run)
{
	screen_close();
	if (run->tool->end)
		run->tool->end(run);
	child_free(run->child);
	follow_free(run->follow);
	ids_free(run->ids);
	ring_buffer__free(run->ring);
	loader_free(run->loader);
	if (run->output && run->output != stdout)
		fclose(run->output);
	if (run->epoll >= 0)
		close(run->epoll);
	free(run->tally);
	free(run->seen);
	free(run->now);
}

/* What the user wants to see of a large table. 0, or -EINVAL, explained. */
static int set_view(struct run *run)
{
	const struct options *o = run->options;
	const char *sort = o->sort ? o->sort : run->tool->sort;

	if (!sort)
		return 0;
	run->view.rows = o->rows ? o->rows : o->format == SINK_TEXT ? TEXT_ROWS : DATA_ROWS;
	run->view.is_reversed = *sort == '-';
	snprintf(run->view.filter, sizeof(run->view.filter), "%s", o->filter ? o->filter : "");
	if (!view_find_column(run->tool->columns, run->tool->column_count, sort + (*sort == '-'),
			      &run->view.sort))
		return 0;
	pr_err("%s has no column \"%s\"; `erlbpf help %s` lists them", run->tool->name, sort,
	       run->tool->name);
	return -EINVAL;
}

int run_tool(const struct tool *tool, const struct options *wanted)
{
	struct options options = *wanted;
	struct run run = {
		.tool = tool, .options = &options, .start_ns = duration_now(),
		.wall_offset = duration_wall_offset(), .epoll = epoll_create1(EPOLL_CLOEXEC),
		.has_reader = true, .seen = calloc(probe_count(), sizeof(*run.seen)),
		.now = calloc(probe_count(), sizeof(*run.now)),
	};
	const char *refusal;
	int code = EXIT_FAILED;

	if (tool->glob && !options.chose_glob)
		options.glob = tool->glob;
	run.chooses_interval = tool->interval_ns && !options.interval_ns;
	if (run.chooses_interval)
		options.interval_ns = tool->interval_ns;
	if (set_view(&run)) {
		run_free(&run);
		return EXIT_USAGE;
	}
	kernel_detect(&run.kernel);
	refusal = kernel_refusal(&run.kernel);
	if (refusal) {
		pr_err("%s", refusal);
		code = EXIT_NO_PRIVILEGE;
	} else if (run.seen && run.now && run.epoll >= 0 && !open_output(&run) && !load(&run) &&
		   !make_follow(&run) && !start_child(&run)) {
		code = trace(&run);
	}
	run_free(&run);
	return code;
}
