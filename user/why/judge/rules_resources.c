// SPDX-License-Identifier: BSD-2-Clause
/* Resources that grow or are near their limit: tables, ports, timers, monitors, files; and purges of code and terms. */
#include "why/judge/finding.h"

#include <string.h>

#include "why/processes/large_trees.h"

#define FAST_ETS (1.0 * (double)MIB) /* per second */
#define MANY_MONITORS 10000
#define MANY_OF_ONE 10 /* monitors of each thing, on average */
#define HOUR_S 3600.0
#define DAY_S (24 * HOUR_S)
#define MANY_TIMERS 100000
#define HELD_TIMERS 1000000
#define HELD_OF_EACH 10			  /* of each process */
#define FAST_TIMERS 10000		  /* per second */
#define FAST_TIMERS_OF_ONE 100		  /* per second, if nearly all are for one process */
#define FAST_LITERALS (0.1 * (double)MIB) /* per second */
#define LITERAL_AREA (1024 * MIB)	  /* unless +MIscs says otherwise; the node ends when it is full */
/* Per second, of a VM process that sleeps without work: about a tenth of a scheduler. */
#define TERMS_REDS 400000
/* Development replaces a module now and then; this is ten times as much. */
#define CODE_REDS 1500000

static double grown(const struct sign_limit *limit)
{
	return limit->is_steady && limit->used > limit->before ? (double)(limit->used - limit->before) : 0;
}

/* One process made nearly all new ones; with a growing load, many processes would have. */
static bool is_leak(const struct sign_limit *number, const struct sign_owner *holder)
{
	return grown(number) >= MANY_MORE && holder->process.id && (double)holder->made >= MOST_OF * grown(number);
}

/* Was code loaded? By its own counter, or else by new atoms, which modules bring. */
static bool brings_code(const struct signs *s)
{
	return s->code.is_known ? s->code.grown : s->atoms.limit.used > s->atoms.limit.before;
}

static void judge_ports(struct judgement *j)
{
	const struct sign_limit *ports = &j->signs->ports.limit;
	const struct sign_owner *new = &j->signs->ports.opened;
	char name[PROCESS_TEXT], left[32];
	struct finding *f;

	if (!is_leak(ports, new))
		return;
	f = finding_add(j, PORTS_GROW, false);
	f->process = &new->process;
	finding_say(f, "%s opens ports and does not close them: +%.1f per second", process_text(&new->process, name),
		    ports->per_s);
	finding_show(f, "%llu of its ports are new, such as %s", (unsigned long long)new->made, new->name);
	if (ports->most > ports->used)
		finding_show(
			f, "%llu of %llu ports; at this rate the limit is reached in %s",
			(unsigned long long)ports->used, (unsigned long long)ports->most,
			duration_format((uint64_t)((double)(ports->most - ports->used) / ports->per_s * 1e9), left));
	finding_show_stack(f, &new->process);
}

static void judge_tables(struct judgement *j)
{
	const struct sign_limit *tables = &j->signs->tables.count;
	const struct sign_owner *new = &j->signs->tables.created;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (!is_leak(tables, new))
		return;
	f = finding_add(j, TABLES_GROW, false);
	f->process = &new->process;
	finding_say(f, "%s creates ETS tables and does not delete them: +%.1f per second",
		    process_text(&new->process, name), tables->per_s);
	finding_show(f, "%llu of its tables are new, such as %s; the node has %llu", (unsigned long long)new->made,
		     new->name, (unsigned long long)tables->used);
	finding_show_stack(f, &new->process);
}

/* A table that is only loaded once stops growing soon. */
static bool judge_ets(struct judgement *j)
{
	const struct signs *s = j->signs;
	const struct sign_table *table = &s->tables.grown;
	double left = s->memory.limit > s->memory.resident ? (double)(s->memory.limit - s->memory.resident) : 0;
	char name[PROCESS_TEXT], time[32];
	struct finding *f;

	if (!grown(&s->tables.bytes) || s->tables.bytes.per_s < FAST_ETS || left > s->tables.bytes.per_s * DAY_S ||
	    (double)table->grown < grown(&s->tables.bytes) / 2)
		return false;
	f = finding_add(j, ETS_GROWS, false);
	f->process = table->owner.id ? &table->owner : NULL;
	finding_say(f, "the ETS table %s grows by %.1f MiB per second: objects are inserted, never deleted",
		    table->name, (double)table->grown / seconds_of(s) / (double)MIB);
	finding_show(f, "it has %.0f MiB of the %.0f MiB of all tables; at this rate memory is full in %s",
		     (double)table->bytes / (double)MIB, (double)s->tables.bytes.used / (double)MIB,
		     duration_format((uint64_t)(left / s->tables.bytes.per_s * 1e9), time));
	if (f->process)
		finding_show(f, "owner: %s", process_text(f->process, name));
	return true;
}

/* Messages that wait to be received or sent hold binaries, too. */
static bool are_queued(const struct signs *s)
{
	for (size_t i = 0; i < s->mailboxes.count; i++) {
		if (s->mailboxes.worst[i].is_growing)
			return true;
	}
	return s->suspended.count > 0;
}

/* The size of a table does not include binaries. */
static void judge_ets_binaries(struct judgement *j)
{
	const struct signs *s = j->signs;
	const struct sign_limit *binaries = &s->binary_use.bytes;
	const struct sign_table *table = &s->tables.filled;
	double left = s->memory.limit > s->memory.resident ? (double)(s->memory.limit - s->memory.resident) : 0;
	char name[PROCESS_TEXT], time[32];
	struct finding *f;

	if (!grown(binaries) || !grown(&s->tables.bytes) || are_queued(s) || binaries->per_s < FAST_ETS ||
	    left > binaries->per_s * DAY_S || (double)s->binary_use.referred_grown > grown(binaries) / 2 ||
	    table->grown < MANY_MORE)
		return;
	f = finding_add(j, ETS_GROWS, false);
	f->process = table->owner.id ? &table->owner : NULL;
	finding_say(f,
		    "binaries grow by %.1f MiB per second though no process holds them: the ETS table %s gets %.0f "
		    "objects per second and never deletes any",
		    binaries->per_s / (double)MIB, table->name, (double)table->grown / seconds_of(s));
	finding_show(f, "%.0f KiB of binaries per object; a part of a binary keeps all of it: see binary:copy/1",
		     grown(binaries) / (double)table->grown / 1024);
	finding_show(f, "all binaries: %.0f MiB; at this rate memory is full in %s",
		     (double)binaries->used / (double)MIB,
		     duration_format((uint64_t)(left / binaries->per_s * 1e9), time));
	if (f->process)
		finding_show(f, "owner of the table: %s", process_text(f->process, name));
}

/* A process per user or connection needs only a few timers. */
static void judge_timers_held(struct judgement *j)
{
	const struct sign_process_timers *timed = &j->signs->timers.receiver;
	uint64_t timers = j->signs->timers.pending.used;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (timers < HELD_TIMERS || !j->signs->processes || timers < HELD_OF_EACH * j->signs->processes)
		return;
	f = finding_add(j, TIMERS_HELD, false);
	finding_say(f, "%llu timers are pending, %llu per process: unneeded timers are not cancelled",
		    (unsigned long long)timers, (unsigned long long)(timers / (j->signs->processes + 1)));
	finding_show(f, "each uses memory until it expires; change: %+.0f per second", j->signs->timers.pending.per_s);
	if (timed->process.id) {
		f->process = &timed->process;
		finding_show(f, "%s%llu of them are for %s", timed->timers == TREE_COUNTED ? "at least " : "",
			     (unsigned long long)timed->timers, process_text(&timed->process, name));
		finding_show_stack(f, &timed->process);
	}
}

static void judge_timers(struct judgement *j)
{
	const struct sign_limit *timers = &j->signs->timers.pending;
	const struct sign_process *maker = &j->signs->timers.maker;
	const struct sign_process_timers *timed = &j->signs->timers.receiver;
	bool are_of_one = timed->timers >= MANY_TIMERS / 10 && timed->timers >= timed->before &&
			  (timed->timers == TREE_COUNTED || (double)timed->timers >= MOST_OF * (double)timers->used);
	char name[PROCESS_TEXT];
	struct finding *f;

	if (grown(timers) <= 0 || timers->used < MANY_TIMERS ||
	    timers->per_s < (are_of_one ? FAST_TIMERS_OF_ONE : FAST_TIMERS)) {
		judge_timers_held(j);
		return;
	}
	f = finding_add(j, TIMERS_GROW, timers->used > 10 * MANY_TIMERS);
	f->process = maker->id ? maker : are_of_one ? &timed->process : NULL;
	finding_say(f, "%s%s%s faster than they expire or are cancelled: +%.0f per second",
		    f->process == &timed->process ? "timers are started for " : "",
		    f->process ? process_text(f->process, name) : "a process",
		    f->process == &timed->process ? "" : " starts timers", timers->per_s);
	finding_show(f, "%llu timers are pending; each uses memory until it expires", (unsigned long long)timers->used);
	if (are_of_one)
		finding_show(f, "%s%llu of them are for %s", timed->timers == TREE_COUNTED ? "at least " : "",
			     (unsigned long long)timed->timers, process_text(&timed->process, name));
	if (f->process)
		finding_show_stack(f, f->process);
}

/* Replaced terms are freed, and modules have literals, too. */
static void judge_terms_growth(struct judgement *j)
{
	const struct signs *s = j->signs;
	const struct sign_limit *literals = &s->terms.literals;
	double left = literals->used < LITERAL_AREA ? (double)(LITERAL_AREA - literals->used) : 0;
	char name[PROCESS_TEXT], time[32];
	struct finding *f;

	if (!grown(literals) || literals->per_s < FAST_LITERALS || brings_code(s))
		return;
	f = finding_add(j, TERMS_GROW, left / literals->per_s < HOUR_S);
	/* Samples seldom find a process that works in short bursts. */
	f->process = s->terms.writer.id ? &s->terms.writer : s->busiest.id ? &s->busiest : NULL;
	finding_say(f,
		    "%s%s adds persistent terms and never erases any: +%.1f MiB per second; the node crashes when "
		    "their area is full",
		    s->terms.writer.id ? "" : "probably ", f->process ? process_text(f->process, name) : "a process",
		    literals->per_s / (double)MIB);
	finding_show(f, "%.0f MiB used; at this rate reaches the limit (1 GiB unless set by +MIscs) in %s",
		     (double)literals->used / (double)MIB,
		     duration_format((uint64_t)(left / literals->per_s * 1e9), time));
	if (f->process)
		finding_show_stack(f, f->process);
}

static void judge_files(struct judgement *j)
{
	const struct signs *s = j->signs;
	const struct sign_limit *limit = &s->files.limit;
	double share = limit->most ? (double)limit->used / (double)limit->most : 0;
	struct finding *f;

	if (share < NEAR_LIMIT)
		return;
	f = finding_add(j, FILES_LIMIT, share > (1 + NEAR_LIMIT) / 2);
	finding_say(f,
		    "the node has %llu open files and sockets, %.0f %% of its limit (ulimit -n): at the limit it "
		    "cannot open or accept more",
		    (unsigned long long)limit->used, percent(share));
	finding_show(f, "limit: %llu; change: %+.1f per second", (unsigned long long)limit->most, limit->per_s);
	finding_show(f, "sockets: %llu; files: %llu%s%s; other: %llu", (unsigned long long)s->files.sockets,
		     (unsigned long long)s->files.files, s->files.files ? ", such as " : "", s->files.last,
		     (unsigned long long)s->files.others);
	finding_more(f, "%s -p PID", s->files.sockets > s->files.files ? "sockets" : "files");
}

/* An exit removes the monitors of a process, so many monitors of few processes were forgotten. */
static void judge_monitors(struct judgement *j)
{
	const struct sign_monitors *monitors = &j->signs->monitors;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (monitors->count < MANY_MONITORS || monitors->count < monitors->before ||
	    monitors->count / MANY_OF_ONE < monitors->things)
		return;
	f = finding_add(j, MONITORS_HELD, false);
	f->process = &monitors->process;
	if (monitors->are_aliases)
		finding_say(f, "%s has %s%llu aliases: it creates them (erlang:alias/0,1) and does not remove them",
			    process_text(&monitors->process, name), monitors->is_more ? "more than " : "",
			    (unsigned long long)monitors->count);
	else
		finding_say(
			f,
			"%s has %s%llu monitors of only %llu process%s: it does not remove them (erlang:demonitor/1)",
			process_text(&monitors->process, name), monitors->is_more ? "more than " : "",
			(unsigned long long)monitors->count, (unsigned long long)monitors->things,
			monitors->things == 1 ? "" : "es");
	finding_show(f, "%llu at the beginning", (unsigned long long)monitors->before);
	if (monitors->of.id)
		finding_show(f, "%llu are of %s; when that process exits, as many messages arrive",
			     (unsigned long long)monitors->of_one, process_text(&monitors->of, name));
	finding_show_stack(f, &monitors->process);
}

/* Purges: each makes every process scan its heap. */

static bool is_much_purged(const struct sign_purge *storm, double least)
{
	return storm->is_steady && storm->reds_per_s >= least;
}

/* The process found running it, or else waiting for it; NULL: none. */
static const struct sign_process *cause_of(const struct sign_purge *storm, const struct sign_wait_group *crowd)
{
	if (storm->process.id)
		return &storm->process;
	return crowd->processes ? &crowd->process : NULL;
}

/* Loading on the first call replaces nothing. */
static bool loads_what_is_new(const struct sign_process *cause)
{
	return cause && strstr(cause->stack, "code:ensure_loaded/");
}

static void judge_code(struct judgement *j)
{
	const struct signs *s = j->signs;
	const struct sign_process *cause = cause_of(&s->code.purge, &s->waits.code);
	char name[PROCESS_TEXT];
	struct finding *f;

	if (!is_much_purged(&s->code.purge, CODE_REDS) || loads_what_is_new(cause))
		return;
	f = finding_add(j, CODE_STORM, false);
	f->process = cause;
	finding_say(f, "%s replaces code all the time: each purge checks all %llu processes",
		    f->process ? process_text(f->process, name) : "a process", (unsigned long long)s->processes);
	finding_show(f, "erts_code_purger does %.0f reductions per second", s->code.purge.reds_per_s);
	if (f->process)
		finding_show_stack(f, f->process);
}

/* Replaced modules have literals, too. */
static void judge_terms(struct judgement *j)
{
	const struct signs *s = j->signs;
	const struct sign_process *cause = cause_of(&s->terms.purge, &s->waits.terms);
	char name[PROCESS_TEXT];
	struct finding *f;

	if (!is_much_purged(&s->terms.purge, TERMS_REDS) || (!cause && is_much_purged(&s->code.purge, TERMS_REDS)))
		return;
	f = finding_add(j, TERMS_STORM, false);
	f->process = cause;
	finding_say(
		f,
		"%s replaces or erases persistent terms all the time: after each, all %llu processes scan their heaps",
		cause ? process_text(cause, name) : "a process", (unsigned long long)s->processes);
	finding_show(f, "erts_literal_area_collector does %.0f reductions per second", s->terms.purge.reds_per_s);
	if (cause)
		finding_show_stack(f, cause);
}

void judge_resources(struct judgement *j)
{
	judge_ports(j);
	judge_tables(j);
	if (!judge_ets(j))
		judge_ets_binaries(j);
	judge_timers(j);
	judge_terms_growth(j);
	judge_files(j);
	judge_monitors(j);
	judge_code(j);
	judge_terms(j);
}
