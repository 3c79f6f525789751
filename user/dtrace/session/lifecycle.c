// SPDX-License-Identifier: BSD-2-Clause
/*
 * The phases of a session. It loads all programs and prepares all probes, runs BEGIN, attaches the probes, and only
 * then prints what BEGIN recorded: whoever waits for that output can rely on the probes. At the end it detaches the
 * probes first, so that the last reading is complete, then runs END. A script with only BEGIN, END and ticks examines
 * no process and links nothing.
 */
#include "dtrace/session/session_parts.h"

#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <string.h>

#include "base/log.h"
#include "base/process/privileges.h"
#include "budget/hit_cost.h"
#include "dtrace/attach/hooks.h"
#include "dtrace/print/print.h"
#include "dtrace/session/budget.h"
#include "dtrace/session/drops.h"
#include "dtrace/symbols/symbols.h"
#include "load/guardian/guardian.h"
#include "load/load.h"
#include "run/unprivileged.h"
#include "trace/child.h"
#include "trace/stop.h"

static int fire(const struct session *s, uint32_t number)
{
	const struct d_probe *probe = probes_find(s->probes, number, 0, 0);
	int err = probe ? hooks_run(s->hooks, probe) : -ENOENT;

	if (err && err != -ENOENT)
		pr_err("cannot run dtrace:::%s: %s", probe->names.name, strerror(-err));
	return err == -ENOENT ? 0 : err;
}

/* Attaches everything, unless BEGIN called exit(). */
static int go_live(struct session *s)
{
	int err;

	if (state_is_over(s))
		return 0;
	err = state_set_live(s);
	if (!err && s->follow) {
		err = follow_resume(s->follow);
		if (err)
			pr_err("cannot attach the probes: %s", strerror(-err));
	}
	/* A fired tick tells that everything is attached. */
	return err ? err : hooks_attach(s->hooks);
}

/* When all libraries of the command are mapped: its addresses are resolved after it ended. */
static int look_at_child(struct session *s)
{
	int err = child_enter(s->options->child);

	if ((!err || err == -EOPNOTSUPP) && session_symbols(s))
		symbols_look(s->symbols, child_pid(s->options->child));
	return err;
}

static int release_child(struct session *s)
{
	int err = 0;

	if (!s->options->child || event_loop_is_stopped(s->waiting))
		return 0;
	if (unit_shows_addresses(s->unit))
		err = look_at_child(s);
	if (!err)
		err = child_release(s->options->child);
	/* It ended before its first instruction, or already runs. */
	if (err == -ESRCH || err == -EOPNOTSUPP)
		err = 0;
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
		err = turns_prepare(s);
	if (!err)
		err = budget_begin(s);
	if (err)
		return err;
	consumer_begin(s->consumer);
	records_consume(s);
	return release_child(s);
}

/* After the last record. */
static int print_end(struct session *s)
{
	struct d_drops lost = drops_total(s->drops);
	int err = consumer_end(s->consumer);

	return err ? err : consumer_summary(s->consumer, &lost);
}

int session_end(struct session *s)
{
	int err, unwritten;

	budget_end(s);
	stop_hold(true);
	hooks_detach(s->hooks);
	if (s->follow)
		follow_detach(s->follow);
	stop_hold(false);
	if (guardian_is_lost() && !s->status) {
		pr_err("%s", GUARDIAN_GONE);
		s->status = 1;
	}
	records_consume_last(s);
	err = fire(s, D_PROBE_END);
	records_consume_last(s);
	unwritten = s->has_reader ? print_end(s) : 0;
	budget_tell(s);
	if (unwritten)
		session_lose_reader(s, unwritten);
	return err || event_loop_error(s->waiting) || print_shortages() != s->shortages ? 1 : s->status;
}

static bool puts_probes(const struct session *s)
{
	size_t count;
	const struct d_program *programs = binding_programs(s->binding, &count);

	for (size_t i = 0; i < count; i++) {
		if (programs[i].hook == HOOK_ERLANG || programs[i].hook == HOOK_PID_ENTRY ||
		    programs[i].hook == HOOK_PID_RETURN || programs[i].hook == HOOK_PID_OFFSET ||
		    programs[i].hook == HOOK_USDT)
			return true;
	}
	return false;
}

/* -x cpu: programs that this thread runs use that CPU. */
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

/* Actions with -w, such as system(), run with the privileges of the user. */
static int give_up(const struct session *s)
{
	struct unprivileged how = {
		.kernel = &s->kernel,
		.attaches = s->loaded || (s->follow && !s->follow_options.pid_count),
		.more = unit_shows_addresses(s->unit) ? PRIVILEGE(CAP_SYSLOG) : 0,
	};

	return s->options->keep_caps || s->unit->destructive ? 0 : unprivileged_begin(&how);
}

int session_run(struct session *s)
{
	unsigned long errors = log_errors();
	const char *refusal;
	int err;

	if (!s->options->kernel)
		kernel_detect(&s->kernel);
	refusal = kernel_refusal(&s->kernel);
	if (refusal) {
		pr_err("%s", refusal);
		return 1;
	}
	if (puts_probes(s) && guardian_start())
		return 1;
	if (puts_probes(s))
		s->warmth = kernel_warm(&s->kernel);
	if ((s->options->max_overhead != 0 && puts_probes(s)) || functions_wanted(s))
		hit_costs_begin(&s->kernel);
	err = keep_to_cpu(s->options->cpu);
	if (!err)
		err = session_load(s);
	if (!err)
		err = session_prepare(s);
	if (!err)
		err = turns_add_signals(s);
	if (!err)
		err = session_start(s);
	if (!err)
		err = give_up(s);
	/* Other failures were already reported; out of memory can happen anywhere. */
	if (err && log_errors() == errors)
		pr_err("cannot trace: %s", strerror(-err));
	if (err)
		return 1;
	while (!event_loop_is_stopped(s->waiting))
		turns_take(s, turns_limit_ms(s));
	return session_end(s);
}
