// SPDX-License-Identifier: BSD-2-Clause
/*
 * The providers of the kernel, all by raw tracepoints, which are there whether or not tracefs is mounted:
 * syscall, where one tracepoint is for all calls and the program tells them apart; a few of proc and sched,
 * whose meaning a tracepoint has; and rawtp, any tracepoint by its own name.
 *
 * sched:::on-cpu is not offered: at the tracepoint the process that leaves is still the current one, so that
 * pid, execname and self-> would be another's.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "dtrace/provider/matching.h"
#include "dtrace/provider/provider.h"
#include "load/kernel.h"

#define KERNEL_MODULE "vmlinux"
#define MAX_SYSCALLS 512 /* entries of the map d_syscalls */

static const struct system_call {
	const char *name;
	int number;
} calls[] = {
#include "syscalls.inc"
};

static const struct alias {
	const char *provider, *name, *tracepoint;
} aliases[] = {
	{ "proc", "create", "sched_process_fork" }, { "proc", "exec-success", "sched_process_exec" },
	{ "proc", "exit", "sched_process_exit" },   { "sched", "off-cpu", "sched_switch" },
	{ "sched", "wakeup", "sched_wakeup" },
};

/* Both ways of a call: the program that tells calls apart knows the return as the number behind the entry's. */
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

/* None of these is meant by who names no provider: a name alone, or a star, would trace the whole system. */
static bool is_meant(const struct probe_spec *spec, const char *provider)
{
	return *spec->provider && strcmp(spec->provider, "*") && glob_matches(spec->provider, provider) &&
	       glob_matches(spec->module, KERNEL_MODULE);
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

static int add_tracepoint(struct probes *probes, const char *provider, const char *name, const char *tracepoint)
{
	char text[160];
	struct d_probe probe = {
		.names = { 0, provider, KERNEL_MODULE, "", name },
		.hook = HOOK_TRACEPOINT,
	};
	struct d_probe *made;

	if (!kernel_has_tracepoint(tracepoint)) {
		probes_explain(probes, "this kernel has no tracepoint %s, or permission is denied", tracepoint);
		return 0;
	}
	snprintf(text, sizeof(text), "%s:%s", provider, name);
	probe.number = probes_number(probes, text);
	if (!probe.number)
		return -ENOSPC;
	made = probes_add(probes, &probe);
	if (!made)
		return -ENOMEM;
	/* That of rawtp is its name, which the probe owns. */
	made->tracepoint = !strcmp(provider, "rawtp") ? made->names.name : tracepoint;
	return 0;
}

static int find_tracepoints(struct probes *probes, const struct probe_spec *spec)
{
	int err = 0;

	if (*spec->function)
		return 0;
	for (size_t i = 0; !err && i < sizeof(aliases) / sizeof(*aliases); i++) {
		if (is_meant(spec, aliases[i].provider) && glob_matches(spec->name, aliases[i].name))
			err = add_tracepoint(probes, aliases[i].provider, aliases[i].name, aliases[i].tracepoint);
	}
	if (!err && !strcmp(spec->provider, "rawtp") && is_meant(spec, "rawtp") && !glob_is_open(spec->name))
		err = add_tracepoint(probes, "rawtp", spec->name, spec->name);
	return err;
}

static int discover(struct probes *probes, const struct probe_spec *spec)
{
	int err = find_calls(probes, spec);

	return err ? err : find_tracepoints(probes, spec);
}

static int list(struct probes *probes)
{
	static const char *const providers[] = { "syscall", "proc", "sched" };
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
