// SPDX-License-Identifier: BSD-2-Clause
/*
 * The order of things. All programs are loaded and all probes prepared, then BEGIN runs, then probes are put in
 * place, and only then is what BEGIN recorded printed: who waits for its words may count on the probes. At the
 * end probes are taken away first, so that what is read then is all there is, then END runs.
 *
 * A script of BEGIN, END and ticks alone looks at no process and links nothing.
 */
#include "dtrace/session/session.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/log.h"
#include "d/build.h"
#include "dtrace/session/bind.h"
#include "dtrace/print/consumer.h"
#include "dtrace/session/drops.h"
#include "dtrace/session/feed.h"
#include "dtrace/session/hooks.h"
#include "dtrace/print/merge.h"
#include "dtrace/provider/erlang.h"
#include "dtrace/provider/symbols.h"
#include "dtrace/print/values.h"
#include "probe/catalogue.h"
#include "node/naming.h"
#include "node/terms.h"
#include "run/child.h"
#include "run/cost.h"
#include "run/follow.h"
#include "load/kernel.h"
#include "load/load.h"
#include "run/stop.h"
#include "target/target.h"

#define RING_NS (50 * NS_PER_MS)
#define RING_SIZE (8u << 20) /* some hundredths of a second of the busiest probe, if we do not get to run */
#define RING_TURN 4096	     /* records that are printed before anything else is looked at */
#define TICK_LEAST_NS (100 * NS_PER_US)
#define TICK_CATCH_UP 8 /* firings of a tick that was late, at a time */
#define SCAN_NS (500 * NS_PER_MS)
#define SCAN_CHILD_NS (20 * NS_PER_MS)
#define MAX_WAIT 256
#define ENTRY_OVERHEAD 80 /* of a hash: struct htab_elem, and what the allocator rounds up */

enum happening { ON_SIGNAL, ON_RING, ON_RING_TIME, ON_TICK, ON_CHILD, ON_PROCESS, ON_END_OF_TARGET, ON_SCAN };

/* A probe that a timer fires. */
struct tick {
	const struct d_probe *probe;
	int timer;
};

struct session {
	struct unit *unit;
	struct probes *probes;
	const struct session_options *options;
	struct consumer *consumer;
	struct binding *binding;
	struct d_object object;

	struct kernel kernel;
	struct kernel_warmth *warmth; /* until the probes are in place */
	struct loader *loader;
	struct hooks *hooks;
	struct follow *follow; /* NULL: no clause is about the catalogue's probes */
	struct options follow_options;
	struct attach_wish wish;
	struct attach_choice choice;
	struct symbols *symbols; /* made when the first address is printed */
	struct feed *feed;
	int state;	     /* fd of the map d_state */
	int names;	     /* of d_probe_names, where it is wanted */
	struct d_state seen; /* when records were read last */
	struct drops *drops;

	int epoll;
	struct tick *ticks;
	size_t tick_count;
	int timers[2]; /* of the ring, of the search for processes */
	size_t timer_count;
	int waited[MAX_WAIT]; /* pidfds of the processes that the trace ends with */
	size_t waited_count, ended;
	bool is_stopping;
	bool has_reader;
	bool is_refused; /* a program of the catalogue's probes was not taken by the kernel */
	int status;
};

/* What the consumer wants. */

static const struct probe_names *op_probe(void *data, uint32_t number, uint32_t function, uint32_t os_pid)
{
	static const struct probe_names unknown = { 0, "", "", "", "" };
	const struct session *s = data;
	const struct d_probe *probe = probes_find(s->probes, number, function, (pid_t)os_pid);

	/* Those of the kernel are of no process, whichever one they fire in. */
	if (!probe)
		probe = probes_find(s->probes, number, function, 0);
	return probe ? &probe->names : &unknown;
}

/* NULL if memory is short. */
static struct symbols *symbols_of(struct session *s)
{
	if (!s->symbols)
		s->symbols = symbols_new();
	return s->symbols;
}

static int op_each(void *data, const struct unit_agg *agg, int (*visit)(void *to, const struct agg_entry *entry),
		   void *to)
{
	struct session *s = data;

	if (merge_is_wanted(agg) && symbols_of(s))
		return merge_each(loader_map(s->loader, agg->map), agg, s->symbols, visit, to);
	return values_each(loader_map(s->loader, agg->map), agg, visit, to);
}

static int op_clear(void *data, const struct unit_agg *agg)
{
	const struct session *s = data;

	return values_clear(loader_map(s->loader, agg->map), agg);
}

static int op_remove(void *data, const struct unit_agg *agg, const void *key)
{
	struct session *s = data;

	if (merge_is_wanted(agg) && symbols_of(s))
		return merge_remove(loader_map(s->loader, agg->map), agg, s->symbols, key);
	return values_remove(loader_map(s->loader, agg->map), key);
}

static void op_symbol(void *data, uint32_t os_pid, uint64_t address, enum field_symbol symbol, char *buf, size_t size)
{
	struct session *s = data;

	buf[0] = '\0';
	if (symbols_of(s))
		symbols_text(s->symbols, (pid_t)os_pid, address, symbol, buf, size);
}

/* Processes that are followed are known longer than they live. */
static void show_term(struct session *s, pid_t pid, const struct term_snapshot *snapshot, char *buf, size_t size)
{
	buf[0] = '\0';
	if (s->follow)
		follow_term(s->follow, pid, snapshot, buf, size);
	if (!buf[0] && symbols_of(s))
		symbols_term(s->symbols, pid, snapshot, buf, size);
}

/* module:function/arity, which the VM has at an address. */
static void show_mfa(struct session *s, pid_t pid, const struct term_snapshot *snapshot, char *buf, size_t size)
{
	uint64_t mfa[3] = {};
	struct term_snapshot names[2] = {};
	char module[NAME_SIZE], function[NAME_SIZE];

	if (terms_bytes(snapshot, snapshot->term, mfa, sizeof(mfa)) < sizeof(mfa))
		return;
	names[0].term = mfa[0];
	names[1].term = mfa[1];
	show_term(s, pid, &names[0], module, sizeof(module));
	show_term(s, pid, &names[1], function, sizeof(function));
	snprintf(buf, size, "%s:%s/%" PRIu64, module, function, mfa[2]);
}

static void op_term(void *data, uint32_t os_pid, const void *record, size_t size, char *buf, size_t buf_size)
{
	const struct term_snapshot *snapshot = record;
	struct session *s = data;

	(void)size;
	buf[0] = '\0';
	if (snapshot->flags & D_TERM_TEXT)
		snprintf(buf, buf_size, "%.*s", ERL_TEXT, (const char *)snapshot->lines);
	else if (snapshot->flags & D_TERM_MFA)
		show_mfa(s, (pid_t)os_pid, snapshot, buf, buf_size);
	else if (!(snapshot->flags & D_TERM_NONE))
		show_term(s, (pid_t)os_pid, snapshot, buf, buf_size);
}

static void op_exit(void *data, int status)
{
	struct session *s = data;

	s->status = status;
	s->is_stopping = true;
}

static const char *op_setopt(void *data, const char *name, const char *value)
{
	const struct session *s = data;

	return s->options->setopt(s->options->setopt_data, name, value);
}

/* What it held is printed or forgotten: its number may be given out again. */
static void op_speculation_done(void *data, uint32_t speculation)
{
	const struct session *s = data;
	uint32_t key = speculation - 1;
	uint64_t state = D_SPECULATION_FREE;

	bpf_map_update_elem(loader_map(s->loader, "d_speculations"), &key, &state, BPF_ANY);
}

static const struct consumer_ops consumer_ops = {
	.probe = op_probe,
	.each = op_each,
	.clear = op_clear,
	.remove = op_remove,
	.symbol = op_symbol,
	.term = op_term,
	.exit = op_exit,
	.setopt = op_setopt,
	.speculation_done = op_speculation_done,
};

/* Making. */

struct session *session_new(struct unit *unit, struct probes *probes, const struct session_options *options,
			    const struct consumer_options *consumer_options)
{
	struct session *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->unit = unit;
	s->probes = probes;
	s->options = options;
	s->has_reader = true;
	if (options->kernel)
		s->kernel = *options->kernel;
	s->state = s->names = -1;
	if (options->child)
		probes_set_child(probes, options->child);
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	s->binding = binding_new(unit, probes);
	s->consumer = consumer_new(unit, consumer_options, &consumer_ops, s);
	if (s->epoll >= 0 && s->binding && s->consumer)
		return s;
	session_free(s);
	errno = ENOMEM;
	return NULL;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	kernel_cool(s->warmth);
	hooks_free(s->hooks);
	follow_free(s->follow);
	feed_free(s->feed);
	drops_free(s->drops);
	loader_free(s->loader);
	symbols_free(s->symbols);
	consumer_free(s->consumer);
	binding_free(s->binding);
	for (size_t i = 0; i < s->tick_count; i++)
		close(s->ticks[i].timer);
	for (size_t i = 0; i < s->timer_count; i++)
		close(s->timers[i]);
	for (size_t i = 0; i < s->waited_count; i++)
		close(s->waited[i]);
	free(s->ticks);
	if (s->epoll >= 0)
		close(s->epoll);
	free(s);
}

bool session_build(struct session *s)
{
	const struct d_program *programs;
	size_t count;

	if (!binding_make(s->binding, s->options->zero_ok, s->options->child || s->options->waits_for_nodes))
		return false;
	programs = binding_programs(s->binding, &count);
	return d_build(s->unit, programs, count, &s->object);
}

size_t session_matched(const struct session *s, unsigned int first, unsigned int last)
{
	return binding_matched(s->binding, first, last);
}

void session_dump(const struct session *s, FILE *to)
{
	size_t count;
	const struct d_program *programs = binding_programs(s->binding, &count);

	d_build_dump(to, s->unit, programs, count);
}

/* Loading. */

/* The kernel wants a power of two, in pages. */
static unsigned int ring_size(size_t wanted)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	while (size < wanted && size < 1u << 30)
		size *= 2;
	return (unsigned int)size;
}

/* The reader is woken when a quarter is full. */
static int resize_ring(const struct session *s)
{
	unsigned int size = ring_size(s->options->ring_size ? s->options->ring_size : RING_SIZE);
	uint64_t wakeup = size / 4;
	int err = loader_resize(s->loader, "erl_ring", size);

	return err ? err : loader_set(s->loader, "ring_wakeup", &wakeup, sizeof(wakeup));
}

static int set_wall_clock(const struct session *s)
{
	struct timespec wall;
	uint64_t offset;

	clock_gettime(CLOCK_REALTIME, &wall);
	offset = (uint64_t)wall.tv_sec * NS_PER_S + (uint64_t)wall.tv_nsec - duration_now();
	return loader_set(s->loader, "d_wall_offset", &offset, sizeof(offset));
}

/* What long loops are made of, where the kernel has it. */
static int set_loop(const struct session *s)
{
	uint64_t has_loop = libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, BPF_FUNC_loop, NULL) == 1;

	return loader_set(s->loader, "d_has_loop", &has_loop, sizeof(has_loop));
}

static bool is_agg(const struct unit_map *map)
{
	return !strncmp(map->name, "d_agg_", strlen("d_agg_"));
}

/* Grows with what is stored. */
static bool is_store(const struct unit_map *map)
{
	return is_agg(map) || !strncmp(map->name, "d_array_", strlen("d_array_"));
}

/* Each has an equal part of the memory. */
static unsigned int entries_of(const struct session *s, const struct unit_map *wanted)
{
	size_t size = wanted->key_size + ENTRY_OVERHEAD +
		      wanted->value_size * (is_agg(wanted) ? (size_t)libbpf_num_possible_cpus() : 1);
	size_t stores = 0, most;

	for (const struct unit_map *map = s->object.maps; map; map = map->next)
		stores += is_store(map);
	if (!s->options->map_bytes || !is_store(wanted))
		return wanted->entries;
	most = s->options->map_bytes / stores / size;
	return most < wanted->entries ? most ? (unsigned int)most : 1 : wanted->entries;
}

static int shape_maps(const struct session *s)
{
	int err = 0;

	for (const struct unit_map *map = s->object.maps; !err && map; map = map->next)
		err = loader_shape(s->loader, map->name, map->key_size, map->value_size, entries_of(s, map));
	for (const struct unit_setting *set = s->object.settings; !err && set; set = set->next)
		err = loader_set(s->loader, set->name, &set->value, sizeof(set->value));
	if (!err)
		err = set_wall_clock(s);
	if (!err)
		err = set_loop(s);
	if (!err)
		err = resize_ring(s);
	loader_without(s->loader, "d_array_");
	loader_without(s->loader, "d_agg_");
	if (err)
		pr_err("cannot shape the BPF maps: %s", strerror(-err));
	return err;
}

static size_t strings_of(const struct unit_clause *clause)
{
	size_t strings = 0;

	for (const struct action *action = clause->actions; action; action = action->next) {
		for (const struct field *field = action->fields; field; field = field->next)
			strings += field->kind == FIELD_STRING;
	}
	return strings;
}

/* The longest record as DTrace counts it: what precedes it, its fields, and strings at their full size. */
static size_t longest_record(const struct session *s)
{
	const size_t header = 24; /* a perf_event_header, and which probe, clause and speculation it is of */
	size_t longest = header;

	for (const struct unit_clause *clause = s->unit->clauses; clause; clause = clause->next) {
		size_t size = header + clause->record_size - sizeof(struct d_record) +
			      strings_of(clause) * (s->unit->options.strsize + 1);

		longest = size > longest ? size : longest;
	}
	return longest;
}

/* What the program does must be allowed, and what it wants of the kernel beyond what all programs do must be there. */
static bool is_possible(const struct session *s)
{
	if (s->unit->destructive && !s->unit->options.is_destructive) {
		pr_err("could not enable tracing: destructive actions need -w");
		return false;
	}
	if (s->options->ring_size && s->options->ring_size < longest_record(s)) {
		pr_err("could not enable tracing: the buffer is too small for one record; set -x bufsize");
		return false;
	}
	if (!s->unit->writes_user || kernel_may_write_user())
		return true;
	pr_err("copyout() and copyoutstr() are not possible here: this kernel lets no BPF program write to the memory "
	       "of a process");
	return false;
}

int session_load(struct session *s)
{
	uint32_t zero = 0;
	int err;

	if (!is_possible(s))
		return -EPERM;
	err = loader_open(s->object.elf, s->object.size, &s->kernel, &s->loader);

	if (!err)
		err = shape_maps(s);
	if (!err)
		err = loader_make_maps(s->loader);
	if (err)
		return err;
	s->state = loader_map(s->loader, "d_state");
	s->names = s->unit->uses_probe_names ? loader_map(s->loader, "d_probe_names") : -1;
	if (s->object.globals_size &&
	    bpf_map_update_elem(loader_map(s->loader, "d_globals"), &zero, s->object.globals, BPF_ANY))
		err = -errno;
	s->feed = err ? NULL : feed_new(loader_map(s->loader, "erl_ring"), loader_map(s->loader, "d_frames"));
	s->drops = s->feed ? drops_new(loader_map(s->loader, "d_drops")) : NULL;
	if (!err && !s->drops)
		err = -errno;
	if (err)
		pr_err("cannot prepare the BPF maps: %s", strerror(-err));
	return err;
}

/* probeprov, probename and so on, for the programs that ask. */
static void tell_names(const struct session *s, const struct d_probe *probe)
{
	struct d_probe_name name = { .id = probe->names.id };
	uint64_t key = erl_cookie((uint32_t)probe->pid, probe->function, probe->number);
	const char *const names[] = {
		probe->names.provider,
		probe->names.module,
		probe->names.function,
		probe->names.name,
	};

	if (s->names < 0)
		return;
	for (int i = 0; i < 4; i++)
		snprintf(name.fields[i], sizeof(name.fields[i]), "%s", names[i]);
	bpf_map_update_elem(s->names, &key, &name, BPF_ANY);
}

/* The catalogue's probes. */

static bool choose_probe(void *data, const char *program, const struct target *target, uint32_t probe)
{
	const struct session *s = data;
	char provider[PROBE_NAME_SIZE], name[PROBE_NAME_SIZE];

	return binding_may_mean(s->binding, program,
				probe_numbered(probe_def(probe)->provider, (unsigned int)target->pid, provider),
				probe_name(probe, name));
}

static bool choose_site(void *data, const char *program, const struct target *target, struct site *site)
{
	struct session *s = data;
	const struct d_probe *probe = erlang_probe_of_site(s->probes, target, site);
	int wanted = probe ? binding_program_of(s->binding, probe) : -1;
	size_t count;
	const struct d_program *programs = binding_programs(s->binding, &count);

	if (wanted < 0 || strcmp(programs[wanted].name, program))
		return false;
	tell_names(s, probe);
	return true;
}

static void on_refusal(void *data, const struct target *target, const struct site *site, int err)
{
	struct session *s = data;
	const struct d_probe *probe = probes_find(s->probes, site->probe, site->function, target->pid);
	int program = probe ? binding_program_of(s->binding, probe) : -1;
	size_t count;

	s->is_refused = true;
	if (program >= 0)
		hooks_tell_refusal(probe, &binding_programs(s->binding, &count)[program], err);
}

static bool wants_follow(const struct session *s)
{
	size_t count;
	const struct d_program *programs = binding_programs(s->binding, &count);

	for (size_t i = 0; i < count; i++) {
		if (programs[i].hook == HOOK_ERLANG)
			return true;
	}
	return false;
}

static int make_follow(struct session *s)
{
	const struct probes_options *wanted = probes_get_options(s->probes);

	s->choice = (struct attach_choice){ choose_probe, choose_site, on_refusal, s };
	s->wish = (struct attach_wish){
		.loader = s->loader,
		.kernel = &s->kernel,
		.glob = "*",
		.choice = &s->choice,
		.allow_denied = wanted->allow_denied,
		.args = s->object.args | (s->unit->uses_term ? 1u << ERL_ARG_TERM : 0),
		.with_terms = s->unit->uses_argterm,
	};
	s->follow_options.glob = "*";
	s->follow_options.node = s->options->node;
	s->follow_options.wait_for_name = s->options->waits_for_nodes;
	for (size_t i = 0; i < wanted->pid_count && i < OPTIONS_MAX_PIDS && !s->options->child; i++)
		s->follow_options.pids[s->follow_options.pid_count++] = wanted->pids[i];
	s->follow = follow_new(&s->wish, &s->follow_options);
	if (!s->follow)
		return -errno;
	follow_pause(s->follow);
	return follow_scan(s->follow) == EXIT_OK && !s->is_refused ? 0 : -ESRCH;
}

/* Processes whose functions are probed are short-lived as a rule, and their stacks may be printed. */
static void look_at_processes(struct session *s)
{
	pid_t last = 0;

	for (size_t i = 0; i < probes_count(s->probes); i++) {
		const struct d_probe *probe = probes_get(s->probes, i);

		if (!probe->object || probe->pid == last)
			continue;
		last = probe->pid;
		if (symbols_of(s))
			symbols_look(s->symbols, last);
	}
}

int session_prepare(struct session *s)
{
	int err;

	s->hooks = hooks_new(s->loader, &s->kernel, s->binding, s->probes, s->unit->uses_term);
	if (s->hooks)
		hooks_keep_to(s->hooks, s->options->cpu);
	err = s->hooks ? hooks_load(s->hooks) : -ENOMEM;
	for (size_t i = 0; !err && i < probes_count(s->probes); i++)
		tell_names(s, probes_get(s->probes, i));
	look_at_processes(s);
	if (!err && wants_follow(s))
		err = make_follow(s);
	return err;
}

/* The state that programs share. */

static void read_state(const struct session *s, struct d_state *state)
{
	uint32_t zero = 0;

	memset(state, 0, sizeof(*state));
	bpf_map_lookup_elem(s->state, &zero, state);
}

/* Nothing is in place yet, so that nobody counts meanwhile. */
static int set_live(const struct session *s)
{
	struct d_state state;
	uint32_t zero = 0;

	read_state(s, &state);
	state.is_live = 1;
	return bpf_map_update_elem(s->state, &zero, &state, BPF_ANY) ? -errno : 0;
}

static bool is_over(const struct session *s)
{
	struct d_state state;

	read_state(s, &state);
	return state.is_over;
}

/* Records. */

static void lose_reader(struct session *s)
{
	s->has_reader = false;
	s->is_stopping = true;
	s->status = 1;
}

static void tell_drops(const struct session *s)
{
	const char *name = s->consumer->options->mute ? NULL : s->options->name;

	drops_tell(s->drops, consumer_speculation_drops(s->consumer), name, s->options->drop_tags);
}

static void print_records(struct session *s, unsigned int limit)
{
	const void *record;
	size_t size;

	for (unsigned int i = 0; !limit || i < limit; i++) {
		record = feed_next(s->feed, &size);
		if (!record)
			break;
		if (s->has_reader && consumer_record(s->consumer, record, size))
			lose_reader(s);
	}
	if (s->has_reader && consumer_flush(s->consumer))
		lose_reader(s);
}

/*
 * exit() was called. As a rule its record has said so; but it may be lost, or its clause may have come to nothing
 * behind exit().
 */
static void stop_if_over(struct session *s)
{
	if (!s->seen.is_over || feed_has(s->feed) || s->is_stopping)
		return;
	s->is_stopping = true;
	s->status = (int)s->seen.exit_status;
}

/*
 * What the ring has. A busy process fills it faster than we print, so there is a limit, or neither a signal nor
 * a timer would be heard.
 */
static void consume(struct session *s)
{
	if (feed_read(s->feed))
		lose_reader(s);
	print_records(s, RING_TURN);
	tell_drops(s);
	read_state(s, &s->seen);
	stop_if_over(s);
}

/* To the last record, when nothing fires. */
static void consume_last(struct session *s)
{
	print_records(s, 0);
	if (feed_read_last(s->feed))
		lose_reader(s);
	print_records(s, 0);
	tell_drops(s);
}

/* Waiting. */

static int add_fd(const struct session *s, int fd, enum happening what, uint64_t index)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = index << 8 | (uint64_t)what };

	return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
}

/* Its fd, or -errno. Timers that begin together and end together are heard in the order in which they were made. */
static int make_timer(uint64_t begin_ns, uint64_t every_ns)
{
	struct itimerspec when = { .it_value = to_timespec(begin_ns + every_ns), .it_interval = to_timespec(every_ns) };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), err;

	if (fd < 0 || !timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL))
		return fd < 0 ? -errno : fd;
	err = -errno;
	close(fd);
	return err;
}

static int add_timer(struct session *s, uint64_t every_ns, enum happening what)
{
	int fd = make_timer(duration_now(), every_ns);
	int err = fd < 0 ? fd : add_fd(s, fd, what, (uint64_t)fd);

	if (!err)
		s->timers[s->timer_count++] = fd;
	return err;
}

static bool is_tick(const struct d_probe *probe)
{
	return probe->hook == HOOK_RUN && probe->period_ns;
}

static int add_ticks(struct session *s)
{
	uint64_t now = duration_now();
	int err = 0;

	s->ticks = calloc(probes_count(s->probes) + 1, sizeof(*s->ticks));
	if (!s->ticks)
		return -ENOMEM;
	for (size_t i = 0; !err && i < probes_count(s->probes); i++) {
		const struct d_probe *probe = probes_get(s->probes, i);
		struct tick *tick = &s->ticks[s->tick_count];

		if (!is_tick(probe) || !hooks_has(s->hooks, probe))
			continue;
		tick->probe = probe;
		tick->timer = make_timer(now, probe->period_ns > TICK_LEAST_NS ? probe->period_ns : TICK_LEAST_NS);
		if (tick->timer < 0)
			return tick->timer;
		err = add_fd(s, tick->timer, ON_TICK, s->tick_count++);
	}
	return err;
}

static int add_signals(const struct session *s)
{
	int fd = stop_open(NULL);

	return fd < 0 ? fd : add_fd(s, fd, ON_SIGNAL, 0);
}

static int add_processes(struct session *s)
{
	int err = 0;

	for (size_t i = 0; !err && i < s->options->wait_count && s->waited_count < MAX_WAIT; i++) {
		int fd = (int)syscall(SYS_pidfd_open, s->options->wait_for[i], 0);

		err = fd < 0 ? -errno : add_fd(s, fd, ON_PROCESS, i);
		if (fd >= 0)
			s->waited[s->waited_count++] = fd;
	}
	return err;
}

static int prepare_loop(struct session *s)
{
	uint64_t switch_ns = s->options->switch_ns ? s->options->switch_ns : RING_NS;
	int err = add_ticks(s);

	if (!err)
		err = add_timer(s, switch_ns, ON_RING_TIME);
	if (!err)
		err = add_fd(s, feed_fd(s->feed), ON_RING, 0);
	if (!err && s->options->child)
		err = add_fd(s, child_fd(s->options->child), ON_CHILD, 0);
	if (!err)
		err = add_processes(s);
	if (!err && s->follow)
		err = add_fd(s, follow_fd(s->follow), ON_END_OF_TARGET, 0);
	if (!err && s->follow && !s->follow_options.pid_count)
		err = add_timer(s, s->options->child ? SCAN_CHILD_NS : SCAN_NS, ON_SCAN);
	if (err)
		pr_err("cannot wait for events: %s", strerror(-err));
	return err;
}

static void tell_exited(const struct session *s, pid_t pid)
{
	if (!s->options->quiet)
		fprintf(stderr, "%s: pid %d has exited\n", s->options->name, pid);
}

/* After exit() no tick fires, however late we are. What it recorded is printed at once. */
static void on_tick(struct session *s, const struct tick *tick)
{
	uint64_t times = 0;

	if (read(tick->timer, &times, sizeof(times)) != sizeof(times))
		return;
	if (times > TICK_CATCH_UP)
		times = TICK_CATCH_UP;
	for (; times && !is_over(s); times--)
		hooks_run(s->hooks, tick->probe);
	consume(s);
}

/* The last words of a process are in the ring. */
static void on_process(struct session *s, uint64_t index)
{
	tell_exited(s, s->options->wait_for[index]);
	epoll_ctl(s->epoll, EPOLL_CTL_DEL, s->waited[index], NULL);
	s->is_stopping = ++s->ended >= s->options->wait_count;
}

/* Who runs on and on does not remember all nodes that ever were. */
static void on_scan(struct session *s)
{
	if (s->options->waits_for_nodes)
		follow_forget(s->follow);
	follow_scan(s->follow);
	for (size_t i = 0; s->options->waits_for_nodes && i < follow_count(s->follow); i++) {
		if (!follow_is_over(s->follow, i))
			target_settle_node(follow_get(s->follow, i)->target);
	}
}

static void handle(struct session *s, enum happening what, uint64_t index)
{
	uint64_t times;

	switch (what) {
	case ON_SIGNAL: s->is_stopping = true; break;
	case ON_RING_TIME:
		(void)!read((int)index, &times, sizeof(times));
		consume(s);
		break;
	case ON_RING: consume(s); break;
	case ON_TICK: on_tick(s, &s->ticks[index]); break;
	case ON_CHILD:
		tell_exited(s, child_pid(s->options->child));
		s->is_stopping = true;
		break;
	case ON_PROCESS: on_process(s, index); break;
	case ON_END_OF_TARGET: follow_reap(s->follow); break;
	case ON_SCAN:
		(void)!read((int)index, &times, sizeof(times));
		on_scan(s);
		break;
	}
}

/* What may be printed is not waited with; nor with the end, which may be a record that has to wait for others. */
static int patience_ms(const struct session *s)
{
	return feed_has(s->feed) ? 0 : s->seen.is_over ? 1 : -1;
}

static void wait_at_most(struct session *s, int ms)
{
	struct epoll_event events[16];
	int n = epoll_wait(s->epoll, events, 16, ms);

	if (!n)
		consume(s);
	for (int i = 0; i < n && !s->is_stopping; i++)
		handle(s, (enum happening)(events[i].data.u64 & 0xff), events[i].data.u64 >> 8);
}

int session_fd(const struct session *s)
{
	return s->epoll;
}

bool session_turn(struct session *s)
{
	if (!s->is_stopping)
		wait_at_most(s, 0);
	return !s->is_stopping;
}

/* The course. */

static int fire(const struct session *s, uint32_t number)
{
	const struct d_probe *probe = probes_find(s->probes, number, 0, 0);
	int err = probe ? hooks_run(s->hooks, probe) : -ENOENT;

	if (err && err != -ENOENT)
		pr_err("cannot run dtrace:::%s: %s", probe->names.name, strerror(-err));
	return err == -ENOENT ? 0 : err;
}

/* Put everything in place, unless BEGIN has said that it is over. */
static int go_live(struct session *s)
{
	int err;

	if (is_over(s))
		return 0;
	err = set_live(s);
	if (!err)
		err = hooks_attach(s->hooks);
	if (!err && s->follow) {
		err = follow_resume(s->follow);
		if (err)
			pr_err("cannot attach the probes: %s", strerror(-err));
	}
	return err;
}

static int release_child(const struct session *s)
{
	int err = s->options->child && !s->is_stopping ? child_release(s->options->child) : 0;

	if (err)
		pr_err("cannot run the command: %s", strerror(-err));
	return err;
}

static void cool(struct session *s)
{
	kernel_cool(s->warmth);
	s->warmth = NULL;
}

int session_start(struct session *s)
{
	int err = fire(s, D_PROBE_BEGIN);

	if (!err)
		err = go_live(s);
	cool(s);
	if (!err)
		err = prepare_loop(s);
	if (err)
		return err;
	consumer_begin(s->consumer);
	consume(s);
	return release_child(s);
}

/* Behind the last record. */
static int print_end(struct session *s)
{
	struct d_drops lost = drops_total(s->drops);
	int err = consumer_end(s->consumer);

	return err ? err : consumer_summary(s->consumer, &lost);
}

int session_end(struct session *s)
{
	int err;

	hooks_detach(s->hooks);
	if (s->follow)
		follow_detach(s->follow);
	consume_last(s);
	err = fire(s, D_PROBE_END);
	consume_last(s);
	if (s->has_reader && print_end(s))
		err = -EPIPE;
	return err ? 1 : s->status;
}

static bool puts_probes(const struct session *s)
{
	size_t count;
	const struct d_program *programs = binding_programs(s->binding, &count);

	for (size_t i = 0; i < count; i++) {
		if (programs[i].hook == HOOK_ERLANG || programs[i].hook == HOOK_PID_ENTRY ||
		    programs[i].hook == HOOK_PID_RETURN || programs[i].hook == HOOK_PID_OFFSET)
			return true;
	}
	return false;
}

/* -x cpu: what this thread runs by itself, runs there. */
static int keep_to_cpu(int cpu)
{
	cpu_set_t cpus;
	int err;

	if (cpu < 0)
		return 0;
	CPU_ZERO(&cpus);
	if (cpu < CPU_SETSIZE)
		CPU_SET(cpu, &cpus);
	if (!sched_setaffinity(0, sizeof(cpus), &cpus))
		return 0;
	err = -errno;
	pr_err("could not enable tracing: CPU %d: %s", cpu, strerror(-err));
	return err;
}

int session_run(struct session *s)
{
	const char *refusal;
	int err;

	if (!s->options->kernel)
		kernel_detect(&s->kernel);
	refusal = kernel_refusal(&s->kernel);
	if (refusal) {
		pr_err("%s", refusal);
		return 1;
	}
	if (puts_probes(s))
		s->warmth = kernel_warm(&s->kernel);
	err = keep_to_cpu(s->options->cpu);
	if (!err)
		err = session_load(s);
	if (!err)
		err = session_prepare(s);
	if (!err)
		err = add_signals(s);
	if (!err)
		err = session_start(s);
	if (err)
		return 1;
	while (!s->is_stopping)
		wait_at_most(s, patience_ms(s));
	return session_end(s);
}

/* What others ask. */

const struct aggregates *session_aggregates(const struct session *s)
{
	return &s->consumer->aggregates;
}

struct print session_print(const struct session *s)
{
	return consumer_print(s->consumer, NULL);
}

struct d_drops session_losses(const struct session *s)
{
	return drops_total(s->drops);
}

uint64_t session_faults(const struct session *s)
{
	return s->consumer->faults;
}

uint64_t session_muted(const struct session *s)
{
	return s->consumer->muted;
}

const struct target *session_target(const struct session *s, pid_t pid)
{
	for (size_t i = s->follow ? follow_count(s->follow) : 0; i-- > 0;) {
		if (follow_get(s->follow, i)->target->pid == pid)
			return follow_get(s->follow, i)->target;
	}
	return NULL;
}

void session_each_target(const struct session *s, void (*visit)(void *data, const struct target *target), void *data)
{
	for (size_t i = 0; s->follow && i < follow_count(s->follow); i++) {
		if (!follow_is_over(s->follow, i))
			visit(data, follow_get(s->follow, i)->target);
	}
}

void session_cost(const struct session *s, bool is_measured, struct cost *cost)
{
	*cost = (struct cost){};
	if (!is_measured) {
		cost_estimate(s->feed ? feed_firings(s->feed) : 0, cost);
		return;
	}
	cost_add_programs(s->loader, s->follow, &s->kernel, cost);
	if (s->hooks)
		hooks_each_own(s->hooks, cost_add_program, cost);
}
