// SPDX-License-Identifier: BSD-2-Clause
/*
 * Only schedulers execute Erlang code, and the VM starts them all before any; but nothing here needs to know which
 * threads these are. Nothing of the node changes: events belong to its threads, and the processor compares addresses.
 *
 * Where a function is may change when its module is loaded again. The VM's table of modules is looked at ten times a
 * second; calls in between are not seen. What is at an address is checked before an event is put there, and the program
 * checks it again at each hit: an event never shows anything else than the call of a function that is wanted.
 */
#include "erlang/hardware.h"

#include <bpf/bpf.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/duration.h"
#include "base/log.h"
#include "erlang/erlang_choice.h"
#include "load/kernel/debug_registers.h"
#include "node/atoms/spelling.h"
#include "node/code/modules.h"
#include "node/names/naming.h"
#include "probe/catalogue.h"
#include "probe/sites/jit_entry.h"

#define LOOK_NS (100 * NS_PER_MS)
#define LIMIT_NS (250 * NS_PER_MS) /* over which calls are counted, for the limit */
#define LOOKS_TO_AWAIT 10	   /* from one to the next for code that is not there: it takes longer */
#define ROUNDS 4		   /* in which the threads of a node are looked for at first */

struct placed_function {
	struct modules_function function;
	uint64_t header; /* of the code that it is in, 0: it is in none */
	uint64_t entry;
};

struct placed_thread {
	pid_t tid;
	bool is_seen;
	int links[DEBUG_REGISTERS]; /* -1: none */
};

struct hardware {
	const struct target *target;
	const struct breakpoints_request *request;
	struct modules *modules;
	struct naming *naming;
	struct placed_function functions[DEBUG_REGISTERS];
	size_t count;
	struct placed_thread *threads;
	size_t thread_count;
	int program, timer;
	uint64_t cookie;
	bool is_paused;
	bool has_complained;
	unsigned int looks;
	uint64_t counted_ns, counted; /* calls, up to then */
};

/* Links. */

static void unlink_function(struct hardware *h, size_t function)
{
	for (size_t i = 0; i < h->thread_count; i++) {
		int *link = &h->threads[i].links[function];

		if (*link >= 0)
			close(*link);
		*link = -1;
	}
}

static void unlink_thread(struct placed_thread *thread)
{
	for (size_t i = 0; i < DEBUG_REGISTERS; i++) {
		if (thread->links[i] >= 0)
			close(thread->links[i]);
		thread->links[i] = -1;
	}
}

static bool is_still_there(const struct hardware *h, const struct placed_function *f)
{
	return f->entry && code_is_entry(h->target, f->entry, f->function.module, f->function.name, f->function.arity);
}

/* For all threads that have none. A thread that has ended is no error. */
static int link_function(struct hardware *h, size_t function)
{
	const struct placed_function *f = &h->functions[function];
	bool is_checked = false;

	for (size_t i = 0; f->entry && i < h->thread_count; i++) {
		int *link = &h->threads[i].links[function];

		if (*link >= 0)
			continue;
		if (!is_checked && !is_still_there(h, f))
			return 0;
		is_checked = true;
		*link = debug_registers_link(h->program, h->threads[i].tid, f->entry, h->cookie);
		if (*link < 0 && *link != -ESRCH) {
			int err = *link;

			*link = -1;
			return err;
		}
	}
	return 0;
}

static int link_all(struct hardware *h)
{
	int err = 0;

	for (size_t i = 0; !err && i < h->count; i++)
		err = link_function(h, i);
	return err;
}

static void complain(struct hardware *h, int err)
{
	if (!err || err == -ESRCH || h->has_complained)
		return;
	h->has_complained = true;
	pr_warn("%s: a thread has no debug registers for us (%s): its calls are not counted", h->target->node,
		strerror(-err));
}

/* Threads. */

static struct placed_thread *find_thread(struct hardware *h, pid_t tid)
{
	for (size_t i = 0; i < h->thread_count; i++) {
		if (h->threads[i].tid == tid)
			return &h->threads[i];
	}
	return NULL;
}

static int see_thread(struct hardware *h, pid_t tid, bool *is_new)
{
	struct placed_thread *thread = find_thread(h, tid);

	if (!thread) {
		if (!array_has_room(h->threads, h->thread_count))
			return -ENOMEM;
		thread = &h->threads[h->thread_count++];
		*thread = (struct placed_thread){ .tid = tid, .links = { -1, -1, -1, -1 } };
		*is_new = true;
	}
	thread->is_seen = true;
	return 0;
}

static void forget_threads(struct hardware *h)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->thread_count; i++) {
		if (h->threads[i].is_seen)
			h->threads[kept++] = h->threads[i];
		else
			unlink_thread(&h->threads[i]);
	}
	h->thread_count = kept;
}

/* Which there are. 0 or -errno. */
static int see_threads(struct hardware *h, bool *is_new)
{
	_cleanup_dir_ DIR *dir = NULL;
	const struct dirent *entry;
	char path[64];
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)h->target->pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	for (size_t i = 0; i < h->thread_count; i++)
		h->threads[i].is_seen = false;
	while (!err && (entry = readdir(dir))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			err = see_thread(h, (pid_t)strtol(entry->d_name, NULL, 10), is_new);
	}
	if (!err)
		forget_threads(h);
	return err;
}

/* Threads that start while others get theirs are found in another round. */
static int link_threads(struct hardware *h)
{
	bool is_new = true;
	int err = 0;

	for (int round = 0; !err && is_new && round < ROUNDS; round++) {
		is_new = false;
		err = see_threads(h, &is_new);
		if (!err)
			err = link_all(h);
	}
	return err;
}

/* Functions. */

/* What is shown of a node that has ended was read before. */
static void name_function(const struct hardware *h, const struct placed_function *f, char name[NAME_SIZE])
{
	const struct modules_function *function = &f->function;
	uint64_t id = erl_id_of_mfa(atom_term(function->module), atom_term(function->name), function->arity);

	if (!h->naming || !naming_of_id(h->naming, id, name))
		snprintf(name, NAME_SIZE, "a function");
}

static int take_functions(struct hardware *h, const struct erlang_choice *choice, char *why)
{
	char pattern[64];
	for (size_t i = 0; i < choice->count; i++) {
		struct placed_function *f = &h->functions[h->count];
		const struct code_function *code = &choice->functions[i].code;
		char name[NAME_SIZE];
		int err;

		f->function = (struct modules_function){ code->module, code->name, code->arity };
		err = modules_current(h->modules, f->function.module, &f->header);
		if (!err)
			err = modules_entry(h->modules, f->header, &f->function, &f->entry);
		if (err && err != -ENOENT) {
			snprintf(why, BREAKPOINTS_WHY, "%s",
				 err == -ESTALE ? "its code was loaded again, and which of it is called cannot be known"
						: "its code cannot be read");
			return err;
		}
		/* What is left of code that was purged is no function any more. */
		if (err)
			continue;
		h->count++;
		name_function(h, f, name);
	}
	if (h->count)
		return 0;
	snprintf(why, BREAKPOINTS_WHY, "no code is loaded for \"%s\"",
		 spelling_of_pattern(choice->patterns[0], pattern, sizeof(pattern)));
	return -ENOENT;
}

/* -ENOENT: the node has none of them. */
static int choose(struct hardware *h, char *why)
{
	struct erlang_choice choice = { .target = h->target };
	int err = erlang_choice_make(&choice, h->request, why);

	if (!err)
		err = take_functions(h, &choice, why);
	if (!err) {
		err = erlang_choice_tell(&choice, h->request);
		if (err)
			snprintf(why, BREAKPOINTS_WHY, "its functions cannot be told to the kernel: %s",
				 strerror(-err));
	}
	erlang_choice_free(&choice);
	return err;
}

/* Code. */

static bool has_moved(struct hardware *h, struct placed_function *f)
{
	uint64_t header, entry = 0;
	int err = modules_current(h->modules, f->function.module, &header);

	/* What cannot be known stays as it is. */
	if (err && err != -ENOENT)
		return false;
	if (err)
		header = 0;
	if (header == f->header)
		return false;
	if (header && modules_entry(h->modules, header, &f->function, &entry))
		entry = 0;
	f->header = header;
	if (entry == f->entry)
		return false;
	f->entry = entry;
	return true;
}

static void tell_moved(const struct hardware *h, const struct placed_function *f, bool was_there)
{
	char name[NAME_SIZE];

	name_function(h, f, name);
	if (was_there && f->entry)
		pr_info("%s: %s was loaded again, and is at another place now; calls of the last 0.1 s may be missing",
			h->target->node, name);
	else if (was_there)
		pr_info("%s: %s is not loaded any more", h->target->node, name);
	else
		pr_info("%s: %s was loaded", h->target->node, name);
}

static void follow_code(struct hardware *h)
{
	for (size_t i = 0; i < h->count; i++) {
		bool was_there = h->functions[i].entry;

		/* What is not there is looked for in whole tables. */
		if ((!h->functions[i].header && h->looks % LOOKS_TO_AWAIT) || !has_moved(h, &h->functions[i]))
			continue;
		unlink_function(h, i);
		if (!h->is_paused)
			complain(h, link_function(h, i));
		tell_moved(h, &h->functions[i], was_there);
	}
}

/* Of a node that had none of the functions when it started. */
static void await_code(struct hardware *h)
{
	char why[BREAKPOINTS_WHY];

	if (h->looks % LOOKS_TO_AWAIT)
		return;
	if (choose(h, why))
		return;
	/* Whoever reads that may call them. */
	if (!h->is_paused)
		complain(h, link_threads(h));
	pr_info("%s: code of %zu function%s was loaded", h->target->node, h->count, h->count == 1 ? "" : "s");
}

/* Limits. */

static uint64_t calls_of(const struct hardware *h)
{
	int map = loader_map(h->request->loader, "entries_called");
	uint64_t called = 0;

	return map < 0 || bpf_map_lookup_elem(map, &h->target->os_id, &called) ? 0 : called;
}

static bool is_over_limit(struct hardware *h)
{
	uint64_t limit = h->request->call_limit ? h->request->call_limit : OPTIONS_CALL_LIMIT;
	uint64_t now = duration_now(), called = calls_of(h), took = now - h->counted_ns;
	double per_second = (double)(called - h->counted) * NS_PER_S / (double)took;

	if (took < LIMIT_NS)
		return false;
	h->counted_ns = now;
	h->counted = called;
	return per_second > (double)limit;
}

bool hardware_look(struct hardware *h)
{
	uint64_t times;

	if (read(h->timer, &times, sizeof(times)) < 0 && errno != EAGAIN)
		pr_debug("timer of process %d: %s", h->target->pid, strerror(errno));
	if (is_over_limit(h)) {
		pr_err("%s: the functions are called too often (see %s): the debug registers are free again, and calls "
		       "are not counted any more",
		       h->target->node, h->request->limit_option);
		return false;
	}
	h->looks++;
	if (h->count)
		follow_code(h);
	else
		await_code(h);
	if (!h->is_paused)
		complain(h, link_threads(h));
	return true;
}

void hardware_pause(struct hardware *h)
{
	h->is_paused = true;
	for (size_t i = 0; i < h->thread_count; i++)
		unlink_thread(&h->threads[i]);
}

int hardware_resume(struct hardware *h)
{
	int err;

	h->is_paused = false;
	err = link_threads(h);
	return err == -ESRCH ? 0 : err;
}

/* Start. */

static int load_program(struct hardware *h, const struct hardware_place *place, char *why)
{
	struct erl_config config;
	int map = loader_map(h->request->loader, "entries_called"), err;
	uint64_t none = 0;

	if (jit_entry_config(place->target, place->pids, place->names, &config)) {
		snprintf(why, BREAKPOINTS_WHY, "debug registers are used with the JIT of x86-64 only, OTP 25 to %d",
			 OTP_NEWEST);
		return -EOPNOTSUPP;
	}
	h->program = loader_program_named(h->request->loader, "function_entered", LOADER_PERF_EVENT, &config);
	err = h->program < 0 ? h->program : bpf_map_update_elem(map, &h->target->os_id, &none, BPF_ANY) ? -errno : 0;
	if (err) {
		snprintf(why, BREAKPOINTS_WHY, "the program for its functions cannot be loaded: %s", strerror(-err));
		return err;
	}
	h->cookie = erl_cookie(h->target->os_id, 0, (uint32_t)probe_find("vm", "breakpoint-entry"));
	return 0;
}

static int open_timer(struct hardware *h)
{
	const struct itimerspec when = {
		.it_value = { .tv_nsec = LOOK_NS },
		.it_interval = { .tv_nsec = LOOK_NS },
	};

	h->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (h->timer < 0 || timerfd_settime(h->timer, 0, &when, NULL))
		return -errno;
	return 0;
}

static const char *why_not_linked(int err)
{
	switch (-err) {
	case ENOSPC: return "others have debug registers of its threads, such as a debugger or perf";
	case EACCES:
	case EPERM: return "permission denied: the capability PERFMON is missing";
	case EMFILE: return "its threads are more than this process may have files (ulimit -n)";
	default: return strerror(-err);
	}
}

static int begin(struct hardware *h, const struct hardware_place *place, char *why)
{
	int err = load_program(h, place, why);

	if (err)
		return err;
	err = open_timer(h);
	h->is_paused = place->is_paused;
	h->counted_ns = duration_now();
	if (!err && !h->is_paused)
		err = link_threads(h);
	if (err)
		snprintf(why, BREAKPOINTS_WHY, "%s", why_not_linked(err));
	return err;
}

static int find_tables(struct hardware *h, char *why)
{
	int err;

	h->modules = modules_new(h->target);
	err = h->modules ? 0 : -errno;
	if (err)
		snprintf(why, BREAKPOINTS_WHY, "%s",
			 h->target->vm->flavor == FLAVOR_JIT ? "its table of modules is not found" : "it has no JIT");
	return err;
}

static int set(struct hardware *h, const struct hardware_place *place, char *why)
{
	int err = find_tables(h, why);

	if (!err)
		err = choose(h, why);
	/* The code of a node that has just started is loaded in a moment. */
	if (err == -ENOENT && place->is_new && h->modules)
		err = 0;
	return err ? err : begin(h, place, why);
}

struct hardware *hardware_set(const struct hardware_place *place, const struct breakpoints_request *request, char *why)
{
	struct hardware *h = calloc(1, sizeof(*h));
	int err = h ? 0 : -ENOMEM;

	if (!h) {
		snprintf(why, BREAKPOINTS_WHY, "memory is short");
	} else if (!kernel_is_at_least(place->kernel, 6, 1)) {
		snprintf(why, BREAKPOINTS_WHY, "debug registers start programs of ours on Linux 6.1 and later");
		err = -EOPNOTSUPP;
	}
	if (!err) {
		*h = (struct hardware){
			.target = place->target, .request = request, .naming = place->naming, .timer = -1
		};
		err = set(h, place, why);
	}
	if (!err)
		return h;
	hardware_free(h);
	errno = -err;
	return NULL;
}

void hardware_free(struct hardware *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->thread_count; i++)
		unlink_thread(&h->threads[i]);
	if (h->timer > 0)
		close(h->timer);
	modules_free(h->modules);
	free(h->threads);
	free(h);
}

int hardware_fd(const struct hardware *h)
{
	return h->timer;
}
