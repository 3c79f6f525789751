// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/attach/hooks.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "d/types/kernel_types.h"
#include "dtrace/symbols/symbols.h"
#include "dtrace/attach/places.h"
#include "dtrace/attach/ticks.h"
#include "load/kernel/clock.h"
#include "load/kernel/release.h"
#include "node/names/naming.h"
#include "node/atoms/pids.h"
#include "target/target.h"

#define MAX_CPUS 8192
#define RUN_ARGS 12 /* words of the context of a raw tracepoint program */

/* A probe and its program. */
struct wired {
	const struct d_probe *probe;
	struct d_source source;
	int program; /* of the binding */
	int fd;	     /* of the loader, unless it is a tracepoint */
	int clock;   /* of a tick, in the loader; -1: none */
};

/* A program for the entries or returns of all system calls; its map holds the wanted calls and their probes. */
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
	struct ticks *ticks;
	struct wired *wired;
	size_t count;
	struct system_calls *calls;
	size_t calls_count;
	int *links; /* of clocks and tracepoints */
	size_t link_count;
	struct places *places;		   /* in the code of processes */
	int cpu;			   /* the only one for profile; -1: all */
	struct symbols *symbols;	   /* of the kernel; NULL: not needed */
	struct kernel_types *kernel_types; /* the same */
	bool with_terms;
	pid_t asked; /* the last process tested for being a BEAM */
	bool is_beam;
	struct erl_config config; /* its data for programs */
};

struct hooks *hooks_new(struct loader *loader, const struct kernel *kernel, struct binding *binding,
			struct probes *probes, const struct hooks_config *needs)
{
	struct hooks *hooks = calloc(1, sizeof(*hooks));

	if (hooks)
		hooks->places = places_new(loader, kernel, needs->args);
	if (!hooks || !hooks->places) {
		free(hooks);
		return NULL;
	}
	hooks->loader = loader;
	hooks->kernel = kernel;
	hooks->binding = binding;
	hooks->probes = probes;
	hooks->cpu = needs->cpu;
	hooks->with_terms = needs->with_terms;
	hooks->symbols = needs->symbols;
	hooks->kernel_types = needs->kernel_types;
	return hooks;
}

/* Probes with a program of their own. */
static bool is_tracepoint(const struct d_probe *probe)
{
	return probe->hook == HOOK_TRACEPOINT || probe->hook == HOOK_SHAPED || probe->hook == HOOK_SHAPED_KERNEL;
}

void hooks_free(struct hooks *hooks)
{
	if (!hooks)
		return;
	hooks_detach(hooks);
	for (size_t i = 0; i < hooks->calls_count; i++) {
		release_program(hooks->calls[i].fd);
		close(hooks->calls[i].map);
	}
	for (size_t i = 0; i < hooks->count; i++) {
		if (is_tracepoint(hooks->wired[i].probe))
			release_program(hooks->wired[i].fd);
	}
	ticks_free(hooks->ticks);
	free(hooks->calls);
	free(hooks->links);
	places_free(hooks->places);
	free(hooks->wired);
	free(hooks);
}

/* Loading. */

static bool is_of_call(const struct d_probe *probe)
{
	return probe->hook == HOOK_SYSCALL_ENTRY || probe->hook == HOOK_SYSCALL_RETURN;
}

/* The kernel function that calls the programs of a tracepoint if there are several: stacks skip it. */
static void find_caller(const struct hooks *hooks, const char *tracepoint, struct d_tracepoint *own)
{
	char name[128];

	if (!hooks->symbols)
		return;
	snprintf(name, sizeof(name), "__traceiter_%s", tracepoint);
	symbols_kernel_function(hooks->symbols, name, (uint64_t *)&own->caller, (uint64_t *)&own->caller_size);
}

/* Without kernel types, a program reads the maximum, and is refused if the tracepoint has fewer arguments. */
static uint64_t count_arguments(const struct hooks *hooks, const char *tracepoint)
{
	int count = hooks->kernel_types ? kernel_types_arguments(hooks->kernel_types, tracepoint) : -1;

	return count < 0 ? D_ARGS : (uint64_t)count;
}

/* A copy of the program for entries or returns, with its own map. NULL and errno. */
static struct system_calls *calls_of(struct hooks *hooks, int program, const char *name, const char *tracepoint)
{
	struct d_tracepoint known = {};
	struct loader_own own = { .map = "d_syscalls",
				  .map_fd = -1,
				  .variable = "d_tracepoint_own",
				  .value = &known,
				  .value_size = sizeof(known) };
	int fd;

	for (size_t i = 0; i < hooks->calls_count; i++) {
		if (hooks->calls[i].program == program)
			return &hooks->calls[i];
	}
	if (!array_has_room(hooks->calls, hooks->calls_count))
		return NULL;
	find_caller(hooks, tracepoint, &known);
	fd = loader_program_own(hooks->loader, name, LOADER_RAW_TRACEPOINT, &own);
	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	hooks->calls[hooks->calls_count] = (struct system_calls){ program, fd, own.map_fd, tracepoint };
	return &hooks->calls[hooks->calls_count++];
}

/* An entry of d_syscalls: the number of the entry probe, and which of the two are wanted. */
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

/* The data of a BEAM that programs need to read its terms. */
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

/* NULL: not a BEAM. */
static const struct erl_config *config_of(struct hooks *hooks, const struct d_probe *probe)
{
	struct target *target;
	const char *why;

	if (!hooks->with_terms || probe->hook == HOOK_USDT)
		return NULL;
	if (hooks->asked != probe->pid) {
		hooks->asked = probe->pid;
		hooks->is_beam = !target_open(probe->pid, &target, &why);
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
	struct d_tracepoint known = { .probe = erl_cookie(wired->source.shape, probe->function, probe->number) };
	struct loader_own own = { .variable = "d_tracepoint_own", .value = &known, .value_size = sizeof(known) };

	if (is_of_call(probe))
		return load_call(hooks, wired, name);
	if (is_tracepoint(probe))
		find_caller(hooks, wired->source.tracepoint, &known);
	if (probe->hook == HOOK_TRACEPOINT)
		known.args = count_arguments(hooks, wired->source.tracepoint);
	wired->fd = is_tracepoint(probe)
			    ? loader_program_own(hooks->loader, name, LOADER_RAW_TRACEPOINT, &own)
			    : loader_program_named(
				      hooks->loader, name,
				      probe->hook == HOOK_PROFILE ? LOADER_PERF_EVENT : LOADER_RAW_TRACEPOINT, NULL);
	return wired->fd < 0 ? wired->fd : 0;
}

/* Before 34dd3bad1a6f (6.1), perf event programs could not use non-preallocated hashes, which arrays are. */
static int load_clock(struct hooks *hooks, struct wired *wired)
{
	int program = binding_clock_program_of(hooks->binding, wired->probe);
	size_t programs;
	const struct d_program *all = binding_programs(hooks->binding, &programs);

	if (!kernel_is_at_least(hooks->kernel, 6, 1))
		return 0;
	wired->clock = loader_program_named(hooks->loader, all[program].name, LOADER_PERF_EVENT, NULL);
	return wired->clock < 0 ? wired->clock : 0;
}

/* The verifier follows every path of a program up to a limit, and reports this in different ways. */
void hooks_report_refusal(const struct d_probe *probe, const struct d_program *program, int err)
{
	const struct clause *clause = program->clause_count ? program->clauses[0]->clause : NULL;

	if (err != -E2BIG && err != -EFAULT)
		return;
	pr_err("[D_PROG_LEN] line %d: the clauses of %s:%s:%s:%s exceed the kernel's limit for one probe; use fewer "
	       "clauses or string functions, or a smaller -x strsize",
	       clause ? clause->line : 0, probe->names.provider, probe->names.module, probe->names.function,
	       probe->names.name);
}

static int place(void *data, const struct d_probe *probe, int program, unsigned int times)
{
	struct hooks *hooks = data;
	size_t count;
	const struct d_program *programs = binding_programs(hooks->binding, &count);
	struct d_started started = { programs[program].name, config_of(hooks, probe), times };

	return places_add(hooks->places, probe, &started);
}

static int wire(struct hooks *hooks, const struct d_probe *probe, struct d_source source)
{
	int program = binding_program_of(hooks->binding, probe);
	size_t programs;
	const struct d_program *all = binding_programs(hooks->binding, &programs);
	struct wired *wired = &hooks->wired[hooks->count];
	int err;

	if (program < 0)
		return 0;
	*wired = (struct wired){
		.probe = probe,
		.source = source,
		.program = program,
		.clock = -1,
	};
	if (probe_has_places(probe))
		err = place(hooks, probe, program, 1);
	else
		err = load_program(hooks, wired, all[program].name);
	if (!err && tick_is(probe))
		err = load_clock(hooks, wired);
	if (err)
		hooks_report_refusal(probe, &all[program], err);
	hooks->count += !err && !probe_has_places(probe);
	return err;
}

/* One program for each tracepoint of the probe. */
static int wire_all(struct hooks *hooks, const struct d_probe *probe)
{
	int err = wire(hooks, probe, (struct d_source){ probe->tracepoint, probe->shape });

	for (const struct d_source *source = probe->also; !err && source && source->tracepoint; source++)
		err = wire(hooks, probe, *source);
	return err;
}

static size_t count_sources(const struct hooks *hooks)
{
	size_t count = probes_count(hooks->probes), sources = count;

	for (size_t i = 0; i < count; i++) {
		const struct d_source *source = probes_get(hooks->probes, i)->also;

		for (; source && source->tracepoint; source++)
			sources++;
	}
	return sources;
}

int hooks_load(struct hooks *hooks)
{
	size_t count = probes_count(hooks->probes);
	int err = 0;

	hooks->wired = calloc(count_sources(hooks) + 1, sizeof(*hooks->wired));
	hooks->ticks = ticks_new(loader_map(hooks->loader, "d_ticks"));
	if (!hooks->wired || !hooks->ticks)
		return -ENOMEM;
	for (size_t i = 0; !err && i < count; i++) {
		const struct d_probe *probe = probes_get(hooks->probes, i);

		/* ERROR clauses are inside other programs; follow loads the catalogue's probes. */
		if (probe->hook != HOOK_ERLANG && probe->number != D_PROBE_ERROR)
			err = wire_all(hooks, probe);
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
		if (is_tracepoint(hooks->wired[i].probe))
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

uint64_t hooks_check_ns(const struct hooks *hooks, const struct d_probe *tick)
{
	return ticks_check_ns(hooks->ticks, tick);
}

bool hooks_fire_missed(const struct hooks *hooks, const struct d_probe *tick)
{
	return ticks_claim_missed(hooks->ticks, tick) && !hooks_run(hooks, tick);
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

/* On every online CPU, or on the one of -x cpu; offline CPUs give ENODEV. */
static int attach_profile(struct hooks *hooks, const struct wired *wired)
{
	int cpus = libbpf_num_possible_cpus(), attached = 0, err = 0;

	for (int cpu = 0; !err && cpu < cpus && cpu < MAX_CPUS; cpu++) {
		bool is_wanted = hooks->cpu < 0 || hooks->cpu == cpu;
		_cleanup_close_ int event = is_wanted ? clock_open(wired->probe->period_ns, cpu, false) : -ENODEV;
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

/*
 * On the first CPU, or on the one of -x cpu: on some virtual machines, the clocks of other CPUs do not fire while idle.
 * Where no clock can be opened, the session fires all ticks.
 */
static int attach_tick(struct hooks *hooks, const struct wired *wired)
{
	_cleanup_close_ int event = -1;
	int fd = -1;

	if (wired->clock >= 0)
		event = clock_open(wired->probe->period_ns, hooks->cpu < 0 ? 0 : hooks->cpu, true);
	if (event == -ENODEV && hooks->cpu < 0)
		event = clock_open(wired->probe->period_ns, sched_getcpu(), true);
	if (event >= 0)
		fd = kernel_link_event(wired->clock, event, erl_cookie(0, 0, wired->probe->number));
	/* At the same time: a clock that starts later would look late each time. */
	ticks_start(hooks->ticks, wired->probe);
	if (fd < 0)
		return 0;
	/* If it does not start, the session fires all ticks. */
	ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
	return add_link(hooks, fd);
}

static int attach_tracepoint(struct hooks *hooks, int program, const char *tracepoint)
{
	int fd = kernel_link_tracepoint(program, tracepoint), err = fd < 0 ? fd : add_link(hooks, fd);

	if (err)
		pr_err("cannot attach to the tracepoint %s: %s%s", tracepoint, strerror(-err),
		       err == -EINVAL ? "; it can have fewer arguments than the program reads" : "");
	return err;
}

static int attach_wired(struct hooks *hooks, const struct wired *wired)
{
	if (wired->probe->hook == HOOK_PROFILE)
		return attach_profile(hooks, wired);
	if (tick_is(wired->probe))
		return attach_tick(hooks, wired);
	return is_tracepoint(wired->probe) ? attach_tracepoint(hooks, wired->fd, wired->source.tracepoint) : 0;
}

/* Programs of a tracepoint run in the order of attachment: a thread that migrates leaves before it arrives. */
int hooks_attach(struct hooks *hooks)
{
	int err = 0;

	for (size_t i = 0; !err && i < hooks->count; i++) {
		if (hooks->wired[i].source.shape != D_SHAPE_COMES)
			err = attach_wired(hooks, &hooks->wired[i]);
	}
	for (size_t i = 0; !err && i < hooks->count; i++) {
		if (hooks->wired[i].source.shape == D_SHAPE_COMES)
			err = attach_wired(hooks, &hooks->wired[i]);
	}
	for (size_t i = 0; !err && i < hooks->calls_count; i++)
		err = attach_tracepoint(hooks, hooks->calls[i].fd, hooks->calls[i].tracepoint);
	return err ? err : places_attach(hooks->places);
}

int hooks_load_loaded(struct hooks *hooks, const struct d_probe *probe)
{
	return probe_has_places(probe) ? binding_programs_of(hooks->binding, probe, place, hooks) : 0;
}

int hooks_attach_loaded(struct hooks *hooks)
{
	places_reap(hooks->places);
	return places_attach(hooks->places);
}

void hooks_detach(struct hooks *hooks)
{
	places_detach(hooks->places);
	kernel_close_links(hooks->links, hooks->link_count);
	hooks->link_count = 0;
}
