// SPDX-License-Identifier: BSD-2-Clause
/* Callbacks for the consumer: names, addresses, terms, values of aggregations, and actions. */
#include "dtrace/session/session_parts.h"

#include <bpf/bpf.h>
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "dtrace/aggregations/values.h"
#include "dtrace/symbols/symbols.h"
#include "dtrace/session/budget.h"
#include "load/load.h"
#include "node/names/naming.h"
#include "node/terms/terms.h"

static const struct probe_names *op_probe(void *data, uint32_t number, uint32_t function, uint32_t os_id)
{
	static const struct probe_names unknown = { 0, "", "", "", "" };
	const struct session *s = data;
	const struct d_probe *probe = probes_find(s->probes, number, function, (pid_t)erl_os_pid(os_id));

	/* Kernel addresses belong to no process, whichever process they occur in. */
	if (!probe)
		probe = probes_find(s->probes, number, function, 0);
	return probe ? &probe->names : &unknown;
}

struct symbols *session_symbols(struct session *s)
{
	if (s->symbols)
		return s->symbols;
	s->symbols = symbols_new();
	if (s->symbols && s->consumer->options->no_names)
		symbols_without_users(s->symbols);
	if (s->symbols && s->unit->kernel_symbols)
		symbols_with_kernel(s->symbols, s->unit->kernel_symbols);
	return s->symbols;
}

/*
 * Reports the error with the name of the aggregation, because the consumer cannot tell it from an output error. Returns
 * `err`.
 */
static int tell(struct session *s, const char *what, const struct unit_agg *agg, int err)
{
	if (err && !s->error_reported) {
		pr_err("cannot %s the aggregation @%s: %s", what, agg->symbol->name, strerror(-err));
		s->error_reported = true;
	}
	return err;
}

static int op_each(void *data, const struct unit_agg *agg, int (*visit)(void *to, const struct agg_entry *entry),
		   void *to)
{
	struct session *s = data;
	int map = loader_map(s->loader, agg->map);
	int err = merge_is_wanted(agg) && session_symbols(s) ? merge_each(map, agg, s->symbols, visit, to)
							     : values_each(map, agg, visit, to);

	return tell(s, "read", agg, err);
}

static int op_clear(void *data, const struct unit_agg *agg)
{
	struct session *s = data;

	return tell(s, "clear", agg, values_clear(loader_map(s->loader, agg->map), agg));
}

static int op_remove(void *data, const struct unit_agg *agg, const void *key)
{
	struct session *s = data;
	int map = loader_map(s->loader, agg->map);
	int err = merge_is_wanted(agg) && session_symbols(s) ? merge_remove(map, agg, s->symbols, key)
							     : values_remove(map, key);

	return tell(s, "truncate", agg, err);
}

static void op_symbol(void *data, uint32_t os_id, uint64_t address, enum field_symbol symbol, char *buf, size_t size)
{
	struct session *s = data;

	buf[0] = '\0';
	if (session_symbols(s))
		symbols_text(s->symbols, (pid_t)erl_os_pid(os_id), address, symbol, buf, size);
}

/* Followed processes stay known after they end. */
static void show_term(struct session *s, uint32_t os_id, const struct term_snapshot *snapshot, char *buf, size_t size)
{
	buf[0] = '\0';
	if (s->follow)
		follow_term(s->follow, os_id, snapshot, buf, size);
	if (!buf[0] && session_symbols(s))
		symbols_term(s->symbols, (pid_t)erl_os_pid(os_id), snapshot, buf, size);
}

/* module:function/arity, at an address in the VM. */
static void show_mfa(struct session *s, uint32_t os_id, const struct term_snapshot *snapshot, char *buf, size_t size)
{
	uint64_t mfa[3] = {};
	struct term_snapshot names[2] = {};
	char module[NAME_SIZE], function[NAME_SIZE];

	if (terms_bytes(snapshot, snapshot->term, mfa, sizeof(mfa)) < sizeof(mfa))
		return;
	names[0].term = mfa[0];
	names[1].term = mfa[1];
	show_term(s, os_id, &names[0], module, sizeof(module));
	show_term(s, os_id, &names[1], function, sizeof(function));
	snprintf(buf, size, "%s:%s/%" PRIu64, module, function, mfa[2]);
}

static void op_term(void *data, uint32_t os_id, const struct term_snapshot *snapshot, char *buf, size_t size)
{
	struct session *s = data;

	buf[0] = '\0';
	if (snapshot->flags & D_TERM_TEXT)
		snprintf(buf, size, "%.*s", ERL_TEXT, (const char *)snapshot->lines);
	else if (snapshot->flags & D_TERM_MFA)
		show_mfa(s, os_id, snapshot, buf, size);
	else if (!(snapshot->flags & D_TERM_NONE))
		show_term(s, os_id, snapshot, buf, size);
}

static void op_exit(void *data, int status)
{
	struct session *s = data;

	s->status = state_exit_status(s, status);
	event_loop_stop(s->waiting);
}

static const char *op_setopt(void *data, const char *name, const char *value)
{
	const struct session *s = data;

	return s->options->setopt(s->options->setopt_data, name, value);
}

/* Its records are printed or dropped: the id is free. */
static void op_speculation_done(void *data, uint32_t speculation)
{
	const struct session *s = data;
	uint32_t key = speculation - 1;
	uint64_t state = D_SPECULATION_FREE;

	bpf_map_update_elem(loader_map(s->loader, "d_speculations"), &key, &state, BPF_ANY);
}

static void op_meanwhile(void *data)
{
	budget_meanwhile(data);
}

const struct consumer_ops session_answers = {
	.probe = op_probe,
	.each = op_each,
	.clear = op_clear,
	.remove = op_remove,
	.symbol = op_symbol,
	.term = op_term,
	.exit = op_exit,
	.setopt = op_setopt,
	.speculation_done = op_speculation_done,
	.meanwhile = op_meanwhile,
};
