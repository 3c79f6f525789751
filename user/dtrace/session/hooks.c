// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/session/hooks.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "dtrace/provider/objects.h"
#include "load/guardian.h"
#include "node/naming.h"
#include "node/pids.h"
#include "target/target.h"

#define MAX_CPUS 8192
#define RUN_ARGS 12 /* words of the context of a raw tracepoint program */

/* A probe and the program that it starts. */
struct wired {
	const struct d_probe *probe;
	int program; /* of the binding */
	int fd;	     /* the loader's, unless it is a tracepoint's */
};

/* A program that serves all system calls of one way; its map says which, and what their probes are. */
struct system_calls {
	int program; /* of the binding */
	int fd, map;
	const char *tracepoint;
};

struct hooks {
	struct loader *loader;
	const struct kernel *kernel;
	struct binding *binding;
	struct probes *probes;
	struct wired *wired;
	size_t count;
	struct system_calls *calls;
	size_t calls_count;
	int *links; /* of clocks and tracepoints */
	size_t link_count;
	int *held; /* numbers of the guardian's links */
	size_t held_count;
	size_t refused; /* places that the kernel puts no probe on */
	int cpu;	/* the only one of profile; -1: all */
	bool with_terms;
	pid_t asked; /* the last process that was asked whether it is a BEAM */
	bool is_beam;
	struct erl_config config; /* what programs know of it then */
};

struct hooks *hooks_new(struct loader *loader, const struct kernel *kernel, struct binding *binding,
			struct probes *probes, bool with_terms)
{
	struct hooks *hooks = calloc(1, sizeof(*hooks));

	if (!hooks)
		return NULL;
	hooks->loader = loader;
	hooks->kernel = kernel;
	hooks->binding = binding;
	hooks->probes = probes;
	hooks->cpu = -1;
	hooks->with_terms = with_terms;
	return hooks;
}

void hooks_keep_to(struct hooks *hooks, int cpu)
{
	hooks->cpu = cpu;
}

void hooks_free(struct hooks *hooks)
{
	if (!hooks)
		return;
	hooks_detach(hooks);
	for (size_t i = 0; i < hooks->calls_count; i++) {
		close(hooks->calls[i].fd);
		close(hooks->calls[i].map);
	}
	for (size_t i = 0; i < hooks->count; i++) {
		if (hooks->wired[i].probe->hook == HOOK_TRACEPOINT)
			close(hooks->wired[i].fd);
	}
	free(hooks->calls);
	free(hooks->links);
	free(hooks->held);
	free(hooks->wired);
	free(hooks);
}

/* Loading. */

static enum loader_hook loader_hook_of(enum d_hook hook)
{
	switch (hook) {
	case HOOK_PROFILE: return LOADER_PERF_EVENT;
	case HOOK_PID_ENTRY:
	case HOOK_PID_RETURN:
	case HOOK_PID_OFFSET: return LOADER_UPROBE;
	default: return LOADER_RAW_TRACEPOINT;
	}
}

static bool is_of_call(const struct d_probe *probe)
{
	return probe->hook == HOOK_SYSCALL_ENTRY || probe->hook == HOOK_SYSCALL_RETURN;
}

/* The copy of the program for calls of that way, with a map of its own. NULL and errno. */
static struct system_calls *calls_of(struct hooks *hooks, int program, const char *name, const char *tracepoint)
{
	struct loader_own own = { .map = "d_syscalls", .map_fd = -1 };
	int fd;

	for (size_t i = 0; i < hooks->calls_count; i++) {
		if (hooks->calls[i].program == program)
			return &hooks->calls[i];
	}
	if (!array_has_room(hooks->calls, hooks->calls_count))
		return NULL;
	fd = loader_program_own(hooks->loader, name, LOADER_RAW_TRACEPOINT, &own);
	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	hooks->calls[hooks->calls_count] = (struct system_calls){ program, fd, own.map_fd, tracepoint };
	return &hooks->calls[hooks->calls_count++];
}

/* An entry of d_syscalls: the number of the entry's probe, and which of the two are wanted. */
static int load_call(struct hooks *hooks, struct wired *wired, const char *name)
{
	const struct d_probe *probe = wired->probe;
	bool is_return = probe->hook == HOOK_SYSCALL_RETURN;
	uint32_t key = (uint32_t)probe->syscall, value = (probe->number - is_return) << 2 | (is_return ? 2 : 1);
	struct system_calls *calls = calls_of(hooks, wired->program, name, probe->tracepoint);

	if (!calls)
		return -errno;
	wired->fd = calls->fd;
	return bpf_map_update_elem(calls->map, &key, &value, BPF_ANY) ? -errno : 0;
}

/* What a program has to know of a BEAM to read its terms. */
static void read_config(struct erl_config *config, const struct target *target)
{
	struct erl_pid_layout pids;
	struct naming *naming;

	memset(config, 0, sizeof(*config));
	config->otp = (uint64_t)target->vm->like;
	if (pid_layout_read(target, &pids))
		return;
	config->pids = pids;
	naming = naming_new(target, &pids);
	if (naming)
		naming_layout(naming, &config->names);
	naming_free(naming);
}

/* NULL: it is no BEAM. */
static const struct erl_config *config_of(struct hooks *hooks, pid_t pid)
{
	struct target *target;
	const char *why;

	if (!hooks->with_terms || !pid)
		return NULL;
	if (hooks->asked != pid) {
		hooks->asked = pid;
		hooks->is_beam = !target_open(pid, &target, &why);
		if (hooks->is_beam) {
			read_config(&hooks->config, target);
			target_free(target);
		}
	}
	return hooks->is_beam ? &hooks->config : NULL;
}

static int load_program(struct hooks *hooks, struct wired *wired, const char *name)
{
	const struct d_probe *probe = wired->probe;
	struct loader_own own = { .variable = "d_tracepoint_probe", .value = probe->number };

	if (is_of_call(probe))
		return load_call(hooks, wired, name);
	wired->fd = probe->hook == HOOK_TRACEPOINT
			    ? loader_program_own(hooks->loader, name, LOADER_RAW_TRACEPOINT, &own)
			    : loader_program_named(hooks->loader, name, loader_hook_of(probe->hook),
						   config_of(hooks, probe->pid));
	return wired->fd < 0 ? wired->fd : 0;
}

/* The kernel follows every way through a program, up to a limit, and says so in different ways. */
void hooks_report_refusal(const struct d_probe *probe, const struct d_program *program, int err)
{
	const struct clause *clause = program->clause_count ? program->clauses[0]->clause : NULL;

	if (err != -E2BIG && err != -EFAULT)
		return;
	pr_err("[D_PROG_LEN] line %d: the clauses of %s:%s:%s:%s have more to do than the kernel allows in one probe: "
	       "use fewer clauses or string functions, or a smaller -x strsize",
	       clause ? clause->line : 0, probe->names.provider, probe->names.module, probe->names.function,
	       probe->names.name);
}

static int wire(struct hooks *hooks, const struct d_probe *probe)
{
	int program = binding_program_of(hooks->binding, probe);
	size_t programs;
	const struct d_program *all = binding_programs(hooks->binding, &programs);
	struct wired *wired = &hooks->wired[hooks->count];
	int err;

	if (program < 0)
		return 0;
	*wired = (struct wired){ .probe = probe, .program = program };
	err = load_program(hooks, wired, all[program].name);
	if (err)
		hooks_report_refusal(probe, &all[program], err);
	hooks->count += !err;
	return err;
}

int hooks_load(struct hooks *hooks)
{
	size_t count = probes_count(hooks->probes);
	int err = 0;

	hooks->wired = calloc(count + 1, sizeof(*hooks->wired));
	if (!hooks->wired)
		return -ENOMEM;
	for (size_t i = 0; !err && i < count; i++) {
		const struct d_probe *probe = probes_get(hooks->probes, i);

		/* The errors are where the clauses are; the catalogue's probes are follow's to load. */
		if (probe->hook != HOOK_ERLANG && probe->number != D_PROBE_ERROR)
			err = wire(hooks, probe);
	}
	return err;
}

/* Running by hand. */

static const struct wired *find(const struct hooks *hooks, const struct d_probe *probe)
{
	for (size_t i = 0; i < hooks->count; i++) {
		if (hooks->wired[i].probe == probe)
			return &hooks->wired[i];
	}
	return NULL;
}

bool hooks_has(const struct hooks *hooks, const struct d_probe *probe)
{
	return find(hooks, probe) != NULL;
}

void hooks_each_own(const struct hooks *hooks, void (*visit)(void *data, int program), void *data)
{
	for (size_t i = 0; i < hooks->count; i++) {
		if (hooks->wired[i].probe->hook == HOOK_TRACEPOINT)
			visit(data, hooks->wired[i].fd);
	}
	for (size_t i = 0; i < hooks->calls_count; i++)
		visit(data, hooks->calls[i].fd);
}

int hooks_run(const struct hooks *hooks, const struct d_probe *probe)
{
	const struct wired *wired = find(hooks, probe);
	uint64_t args[RUN_ARGS] = { probe->number };
	struct bpf_test_run_opts options = { .sz = sizeof(options), .ctx_in = args, .ctx_size_in = sizeof(args) };

	if (!wired)
		return -ENOENT;
	return bpf_prog_test_run_opts(wired->fd, &options) ? -errno : 0;
}

/* Attaching. */

static int add_link(struct hooks *hooks, int fd)
{
	if (!array_has_room(hooks->links, hooks->link_count)) {
		close(fd);
		return -ENOMEM;
	}
	hooks->links[hooks->link_count++] = fd;
	return 0;
}

static int open_clock(const struct d_probe *probe, int cpu)
{
	struct perf_event_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.sample_period = probe->period_ns;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* On every CPU that is online, or on the one of -x cpu; others say ENODEV. */
static int attach_profile(struct hooks *hooks, const struct wired *wired)
{
	int cpus = libbpf_num_possible_cpus(), attached = 0, err = 0;

	for (int cpu = 0; !err && cpu < cpus && cpu < MAX_CPUS; cpu++) {
		bool is_wanted = hooks->cpu < 0 || hooks->cpu == cpu;
		_cleanup_close_ int event = is_wanted ? open_clock(wired->probe, cpu) : -ENODEV;
		int fd;

		if (event == -ENODEV)
			continue;
		fd = event < 0 ? event : kernel_link_event(wired->fd, event, erl_cookie(0, 0, wired->probe->number));
		err = fd < 0 ? fd : add_link(hooks, fd);
		attached += !err;
	}
	if (err || !attached)
		pr_err("cannot attach profile:::%s: %s", wired->probe->names.name, strerror(err ? -err : ENODEV));
	return err ? err : attached ? 0 : -ENODEV;
}

/* Probes of one program in one file of one process. */
struct uprobe_batch {
	const struct wired *first;
	unsigned long *offsets, *semaphores;
	uint64_t *cookies;
	size_t count;
};

static int link_all(struct hooks *hooks, const struct kernel_sites *sites, int program)
{
	int number = guardian_link(program, sites, hooks->kernel->attach);

	if (number < 0)
		return number;
	if (!array_has_room(hooks->held, hooks->held_count)) {
		guardian_unlink(&number, 1);
		return -ENOMEM;
	}
	hooks->held[hooks->held_count++] = number;
	return 0;
}

/*
 * A link is made for all places or for none, and the kernel refuses some instructions. So what is refused is
 * halved until the places are found that it does not want.
 */
static int link_most(struct hooks *hooks, const struct kernel_sites *sites, int program)
{
	struct kernel_sites half = *sites;
	int err = link_all(hooks, sites, program), other;

	if (err != -EINVAL && err != -EOPNOTSUPP && err != -ENOEXEC && err != -524 /* ENOTSUPP */ && err != -EIO)
		return err;
	if (sites->count == 1) {
		hooks->refused++;
		return 0;
	}
	half.count = sites->count / 2;
	err = link_most(hooks, &half, program);
	half.count = sites->count - sites->count / 2;
	half.offsets += sites->count / 2;
	half.semaphores += sites->count / 2;
	half.cookies += sites->count / 2;
	other = err ? 0 : link_most(hooks, &half, program);
	return err ? err : other;
}

static int attach_batch(struct hooks *hooks, const struct uprobe_batch *batch)
{
	const struct d_probe *probe = batch->first->probe;
	struct kernel_sites sites = {
		.file = probe->object->fd,
		.offsets = batch->offsets,
		.semaphores = batch->semaphores,
		.cookies = batch->cookies,
		.count = batch->count,
		.at_return = probe->hook == HOOK_PID_RETURN,
		.pid = probe->pid,
	};
	size_t refused = hooks->refused;
	int err;

	err = link_most(hooks, &sites, batch->first->fd);
	if (err)
		pr_err("cannot attach to %s of process %d: %s", probe->object->name, probe->pid, strerror(-err));
	else if (hooks->refused > refused)
		pr_warn("the kernel refuses %zu of %zu probes in %s of process %d", hooks->refused - refused,
			batch->count, probe->object->name, probe->pid);
	return err;
}

static bool is_of_pid(const struct wired *wired)
{
	return wired->probe->object != NULL;
}

static bool is_same_batch(const struct wired *a, const struct wired *b)
{
	return a->fd == b->fd && a->probe->object == b->probe->object && a->probe->hook == b->probe->hook;
}

static int attach_functions(struct hooks *hooks)
{
	_cleanup_free_ unsigned long *offsets = calloc(hooks->count + 1, sizeof(*offsets));
	_cleanup_free_ unsigned long *semaphores = calloc(hooks->count + 1, sizeof(*semaphores));
	_cleanup_free_ uint64_t *cookies = calloc(hooks->count + 1, sizeof(*cookies));
	_cleanup_free_ bool *is_done = calloc(hooks->count + 1, sizeof(*is_done));
	int err = offsets && semaphores && cookies && is_done ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < hooks->count; i++) {
		struct uprobe_batch batch = { &hooks->wired[i], offsets, semaphores, cookies, 0 };

		if (is_done[i] || !is_of_pid(&hooks->wired[i]))
			continue;
		for (size_t j = i; j < hooks->count; j++) {
			const struct d_probe *probe = hooks->wired[j].probe;

			if (is_done[j] || !is_of_pid(&hooks->wired[j]) ||
			    !is_same_batch(&hooks->wired[i], &hooks->wired[j]))
				continue;
			is_done[j] = true;
			offsets[batch.count] = probe->offset;
			cookies[batch.count++] = erl_cookie((uint32_t)probe->pid, probe->function, probe->number);
		}
		err = attach_batch(hooks, &batch);
	}
	return err;
}

static int attach_tracepoint(struct hooks *hooks, int program, const char *tracepoint)
{
	int fd = kernel_link_tracepoint(program, tracepoint), err = fd < 0 ? fd : add_link(hooks, fd);

	if (err)
		pr_err("cannot attach to the tracepoint %s: %s", tracepoint, strerror(-err));
	return err;
}

int hooks_attach(struct hooks *hooks)
{
	int err = 0;

	for (size_t i = 0; !err && i < hooks->count; i++) {
		const struct wired *wired = &hooks->wired[i];

		if (wired->probe->hook == HOOK_PROFILE)
			err = attach_profile(hooks, wired);
		else if (wired->probe->hook == HOOK_TRACEPOINT)
			err = attach_tracepoint(hooks, wired->fd, wired->probe->tracepoint);
	}
	for (size_t i = 0; !err && i < hooks->calls_count; i++)
		err = attach_tracepoint(hooks, hooks->calls[i].fd, hooks->calls[i].tracepoint);
	return err ? err : attach_functions(hooks);
}

void hooks_detach(struct hooks *hooks)
{
	guardian_unlink(hooks->held, hooks->held_count);
	kernel_close_links(hooks->links, hooks->link_count);
	hooks->held_count = hooks->link_count = 0;
}
