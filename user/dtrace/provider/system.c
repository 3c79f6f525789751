// SPDX-License-Identifier: BSD-2-Clause
/*
 * The providers of the kernel. All use raw tracepoints, which do not need tracefs: syscall, where one tracepoint covers
 * all calls and the program dispatches; those probes of proc and sched that correspond to tracepoints; and rawtp, any
 * tracepoint by its own name. At sched_switch, the outgoing thread is still the current one, so pid, execname and
 * self-> are its own; sched_exit_tp fires in the incoming thread (Linux 6.15). No tracepoint reports that a thread
 * enters a queue: it is woken, begins, or migrates to another CPU. DTrace has more probes, at kernel functions.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "dtrace/provider/matching.h"
#include "dtrace/provider/provider.h"
#include "dtrace/provider/tracepoints.h"
#include "load/kernel/kernel.h"

#define KERNEL_MODULE "vmlinux"
#define KERNEL_TYPES "/sys/kernel/btf/vmlinux"
#define MAX_SYSCALLS 512 /* entries in the map d_syscalls */
#define MAX_LISTED 65536 /* tracepoints */

static const struct system_call {
	const char *name;
	int number;
} calls[] = {
#include "syscalls.inc"
};

static const struct d_source enqueue_also[] = {
	{ "sched_wakeup_new", D_SHAPE_ENQUEUED },
	{ "sched_migrate_task", D_SHAPE_COMES },
	{},
};
static const struct d_source dequeue_also[] = {
	{ "sched_migrate_task", D_SHAPE_LEAVES },
	{},
};

/*
 * The probes of io, proc and sched. Those at system calls are attached like any tracepoint: each has its own program.
 */
static const struct alias {
	const char *provider, *name, *tracepoint;
	enum d_shape shape;
	const struct d_source *also;
} aliases[] = {
	{ "io", "done", "block_rq_complete", D_SHAPE_REQUEST },
	{ "io", "start", "block_rq_issue", D_SHAPE_REQUEST },
	{ "proc", "create", "sched_process_fork", D_SHAPE_NEW_PROCESS },
	{ "proc", "exec", "sys_enter", D_SHAPE_EXEC },
	{ "proc", "exec-failure", "sys_exit", D_SHAPE_EXEC_FAILED },
	{ "proc", "exec-success", "sched_process_exec", D_SHAPE_NONE },
	{ "proc", "exit", "sched_process_exit", D_SHAPE_PROCESS_ENDS },
	{ "proc", "lwp-create", "sched_process_fork", D_SHAPE_NEW_THREAD },
	{ "proc", "lwp-exit", "sched_process_exit", D_SHAPE_NONE },
	{ "proc", "lwp-start", "sys_exit", D_SHAPE_THREAD_STARTS },
	{ "proc", "signal-clear", "sys_exit", D_SHAPE_SIGNAL_WAITED },
	{ "proc", "signal-discard", "signal_generate", D_SHAPE_DISCARDED },
	{ "proc", "signal-handle", "signal_deliver", D_SHAPE_HANDLED },
	{ "proc", "signal-send", "signal_generate", D_SHAPE_SENT },
	{ "proc", "start", "sys_exit", D_SHAPE_PROCESS_STARTS },
	{ "sched", "dequeue", "sched_switch", D_SHAPE_DEQUEUED, dequeue_also },
	{ "sched", "enqueue", "sched_wakeup", D_SHAPE_ENQUEUED, enqueue_also },
	{ "sched", "off-cpu", "sched_switch", D_SHAPE_NEXT },
	{ "sched", "on-cpu", "sched_exit_tp", D_SHAPE_RUNS },
	{ "sched", "remain-cpu", "sched_exit_tp", D_SHAPE_STAYS },
	{ "sched", "sleep", "sched_switch", D_SHAPE_SLEEPS },
	{ "sched", "surrender", "sys_enter", D_SHAPE_YIELD },
	{ "sched", "wakeup", "sched_wakeup", D_SHAPE_TASK },
};

/* Probes that DTrace places at kernel functions. */
static const struct absent {
	const char *provider, *name, *why;
} absent[] = {
	{ "io", "wait-done", "no kernel tracepoint reports that a thread waits for a disk" },
	{ "io", "wait-start", "no kernel tracepoint reports that a thread waits for a disk" },
	{ "sched", "change-pri", "no kernel tracepoint reports that a priority changes" },
	{ "sched", "preempt", "no kernel tracepoint reports why a thread leaves the CPU; use sched:::off-cpu" },
	{ "sched", "tick", "no kernel tracepoint reports clock ticks; use tick-N or profile-N" },
};

/* Entry and return of a call: their numbers are consecutive, which the program relies on. */
static int add_call(struct probes *probes, const struct system_call *call)
{
	static const char *const names[] = { "entry", "return" };
	char text[2][96];
	uint32_t numbers[2];
	bool is_ok = true;

	for (int i = 0; i < 2; i++) {
		snprintf(text[i], sizeof(text[i]), "syscall:%s:%s", call->name, names[i]);
		numbers[i] = probes_number(probes, text[i]);
	}
	for (int i = 0; is_ok && i < 2; i++) {
		struct d_probe probe = {
			.names = { 0, "syscall", KERNEL_MODULE, call->name, names[i] },
			.hook = i ? HOOK_SYSCALL_RETURN : HOOK_SYSCALL_ENTRY,
			.number = numbers[i],
			.syscall = call->number,
			.tracepoint = i ? "sys_exit" : "sys_enter",
		};

		is_ok = numbers[1] == numbers[0] + 1 && probes_add(probes, &probe);
	}
	return is_ok ? 0 : -ENOSPC;
}

static bool is_meant(const struct probe_spec *spec, const char *provider)
{
	return glob_matches(spec->provider, provider) && glob_matches(spec->module, KERNEL_MODULE);
}

static int find_calls(struct probes *probes, const struct probe_spec *spec)
{
	int err = 0;

	if (!is_meant(spec, "syscall") || (!glob_matches(spec->name, "entry") && !glob_matches(spec->name, "return")))
		return 0;
	for (size_t i = 0; !err && i < sizeof(calls) / sizeof(*calls); i++) {
		if (calls[i].number < MAX_SYSCALLS && glob_matches(spec->function, calls[i].name))
			err = add_call(probes, &calls[i]);
	}
	return err;
}

/* The tracepoints of this kernel, read at first use. NULL: out of memory. */
static const struct tracepoints *known(struct probes *probes)
{
	struct tracepoints *tracepoints = probes_kept(probes, PROVIDER_SYSTEM);

	if (!tracepoints) {
		tracepoints = tracepoints_read();
		probes_keep(probes, PROVIDER_SYSTEM, tracepoints, tracepoints_free);
	}
	return tracepoints;
}

/* Without a list, tries to attach a program. */
static bool is_there(struct probes *probes, const char *tracepoint)
{
	const struct tracepoints *all = known(probes);

	if (all && tracepoints_find(all, tracepoint))
		return true;
	if (kernel_has_tracepoint(tracepoint))
		return true;
	probes_explain(probes, "this kernel has no tracepoint %s, or permission is denied", tracepoint);
	return false;
}

static int add_alias(struct probes *probes, const struct alias *alias)
{
	char text[160];
	struct d_probe probe = {
		.names = { 0, alias->provider, KERNEL_MODULE, "", alias->name },
		.hook = alias->shape >= D_SHAPE_READS_KERNEL ? HOOK_SHAPED_KERNEL : HOOK_SHAPED,
		.shape = alias->shape,
		.tracepoint = alias->tracepoint,
		.also = alias->also,
	};

	if (!is_there(probes, alias->tracepoint))
		return 0;
	if (probe.hook == HOOK_SHAPED_KERNEL && access(KERNEL_TYPES, R_OK)) {
		probes_explain(probes, "it needs the types of the kernel (" KERNEL_TYPES ")");
		return 0;
	}
	snprintf(text, sizeof(text), "%s:%s", alias->provider, alias->name);
	probe.number = probes_number(probes, text);
	if (!probe.number)
		return -ENOSPC;
	return probes_add(probes, &probe) ? 0 : -ENOMEM;
}

static int find_aliases(struct probes *probes, const struct probe_spec *spec)
{
	int err = 0;

	for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++) {
		if (!strcmp(spec->provider, absent[i].provider) && !strcmp(spec->name, absent[i].name))
			probes_explain(probes, "%s", absent[i].why);
	}
	for (size_t i = 0; !err && i < sizeof(aliases) / sizeof(*aliases); i++) {
		if (is_meant(spec, aliases[i].provider) && glob_matches(spec->name, aliases[i].name))
			err = add_alias(probes, &aliases[i]);
	}
	return err;
}

/* There are more tracepoints than numbers: all share one, and the function number differs. */
static int add_raw(struct probes *probes, const char *name, const char *module, uint32_t function)
{
	struct d_probe probe = {
		.names = { 0, "rawtp", module, "", name },
		.hook = HOOK_TRACEPOINT,
		.number = probes_number(probes, "rawtp"),
		.function = function,
	};
	struct d_probe *made;

	if (!probe.number)
		return -ENOSPC;
	made = probes_add(probes, &probe);
	if (!made)
		return -ENOMEM;
	/* It is its own name, which the probe owns. */
	made->tracepoint = made->names.name;
	return 0;
}

/* A tracepoint that is missing in the list but exists. */
static int find_unlisted(struct probes *probes, const struct probe_spec *spec)
{
	char text[160];

	if (!is_meant(spec, "rawtp") || !is_there(probes, spec->name))
		return 0;
	snprintf(text, sizeof(text), "rawtp:%s", spec->name);
	return add_raw(probes, spec->name, KERNEL_MODULE, probes_number(probes, text) + MAX_LISTED);
}

static int find_raw(struct probes *probes, const struct probe_spec *spec)
{
	const struct tracepoints *all = known(probes);
	bool is_listed = false;
	int err = all ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < all->count && i < MAX_LISTED; i++) {
		const struct tracepoint *tracepoint = &all->all[i];

		if (!glob_matches(spec->name, tracepoint->name) || !glob_matches(spec->module, tracepoint->module))
			continue;
		is_listed = true;
		err = add_raw(probes, tracepoint->name, tracepoint->module, (uint32_t)i + 1);
	}
	/* Other tracepoints are only tried for an exact description. */
	if (!err && !is_listed && *spec->provider && !glob_is_open(spec->name))
		err = find_unlisted(probes, spec);
	return err;
}

/* BEGIN, tick-1s and probes of VMs are no C identifiers like names of tracepoints, so no list is read for them. */
static bool may_be_raw(const struct probe_spec *spec)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

	return glob_matches(spec->provider, "rawtp") &&
	       (glob_is_open(spec->name) || !spec->name[strspn(spec->name, letters)]);
}

static int find_tracepoints(struct probes *probes, const struct probe_spec *spec)
{
	int err = *spec->function ? 0 : find_aliases(probes, spec);

	return err || *spec->function || !may_be_raw(spec) ? err : find_raw(probes, spec);
}

static int discover(struct probes *probes, const struct probe_spec *spec)
{
	int err = find_calls(probes, spec);

	return err ? err : find_tracepoints(probes, spec);
}

static int list(struct probes *probes)
{
	static const char *const providers[] = { "syscall", "io", "proc", "sched", "rawtp" };
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(providers) / sizeof(*providers); i++) {
		const struct probe_spec all = {
			.text = providers[i],
			.provider = providers[i],
			.module = "",
			.function = "",
			.name = "",
		};

		err = discover(probes, &all);
	}
	return err;
}

const struct provider provider_system = { .discover = discover, .list = list };
