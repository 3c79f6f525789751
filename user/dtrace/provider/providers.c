// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/provider/providers.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "dtrace/provider/matching.h"
#include "dtrace/provider/provider.h"

static const struct provider *const providers[PROVIDERS] = {
	[PROVIDER_TIMER] = &provider_timer, [PROVIDER_SYSTEM] = &provider_system, [PROVIDER_ERLANG] = &provider_erlang,
	[PROVIDER_PID] = &provider_pid,	    [PROVIDER_USDT] = &provider_usdt,
};

/* NULL: disabled in this session. */
static const struct provider *provider_of(const struct probes *probes, int id)
{
	bool is_theirs = id == PROVIDER_TIMER || id == PROVIDER_ERLANG;

	return is_theirs || !probes_get_options(probes)->only_nodes ? providers[id] : NULL;
}

int probes_match(struct probes *probes, const struct probe_spec *spec,
		 void (*visit)(void *data, const struct d_probe *probe), void *data, const char **why)
{
	int matched = 0, err = 0;

	probes_begin_search(probes);
	if (why)
		*why = probes_why(probes);
	for (int i = 0; !err && !spec->is_id && i < PROVIDERS; i++)
		err = provider_of(probes, i) ? provider_of(probes, i)->discover(probes, spec) : 0;
	/* It matches nothing, although a probe with its name may exist. */
	if (err)
		return err == -ENOENT ? 0 : err;
	for (size_t i = 0; i < probes_count(probes); i++) {
		const struct d_probe *probe = probes_get(probes, i);

		if (!spec_matches_probe(spec, probe))
			continue;
		matched++;
		if (visit)
			visit(data, probe);
	}
	return matched;
}

bool probes_may_load(const struct probe_spec *spec)
{
	for (int i = 0; !spec->is_id && i < PROVIDERS; i++) {
		if (providers[i]->may_load && providers[i]->may_load(spec))
			return true;
	}
	return false;
}

int probes_look_again(struct probes *probes, pid_t pid)
{
	int err = 0;

	for (int i = 0; !err && i < PROVIDERS && !probes_get_options(probes)->only_nodes; i++)
		err = providers[i]->look_again ? providers[i]->look_again(probes, pid) : 0;
	return err;
}

int probes_match_loaded(struct probes *probes, const struct probe_spec *spec, pid_t pid)
{
	int err = 0;

	for (int i = 0; !err && i < PROVIDERS && !probes_get_options(probes)->only_nodes; i++) {
		if (providers[i]->may_load && providers[i]->may_load(spec))
			err = providers[i]->discover_loaded(probes, spec, pid);
	}
	return err;
}

int probes_list(struct probes *probes, void (*visit)(void *data, const struct d_probe *probe), void *data)
{
	int err = 0;

	for (int i = 0; !err && i < PROVIDERS; i++)
		err = provider_of(probes, i) && provider_of(probes, i)->list ? provider_of(probes, i)->list(probes) : 0;
	for (size_t i = 0; !err && i < probes_count(probes); i++)
		visit(data, probes_get(probes, i));
	return err ? err : (int)probes_count(probes);
}

static void pass_over(void *data, const struct d_probe *probe)
{
	(void)data;
	(void)probe;
}

/* Ids count probes from 1, in list order. */
static bool name_id(struct probes *probes, struct unit *unit, struct probe_spec *spec, int count, bool zero_ok)
{
	const struct probe_names *names;

	if (count < 0) {
		diag_error(&unit->diag, spec->file, spec->line, "D_UNKNOWN", "probe id %s: %s", spec->text,
			   strerror(-count));
		return false;
	}
	if (!spec->id || spec->id > (uint64_t)count) {
		if (!zero_ok)
			diag_error(&unit->diag, spec->file, spec->line, "D_PDESC_INVAL", "probe id %s does not exist",
				   spec->text);
		return zero_ok;
	}
	names = &probes_get(probes, spec->id - 1)->names;
	spec->provider = arena_strdup(unit->arena, names->provider);
	spec->module = arena_strdup(unit->arena, names->module);
	spec->function = arena_strdup(unit->arena, names->function);
	spec->name = arena_strdup(unit->arena, names->name);
	spec->is_id = false;
	return true;
}

bool probes_name_ids(struct probes *probes, struct unit *unit, bool zero_ok)
{
	bool is_ok = true, is_listed = false;
	int count = 0;

	for (struct clause *clause = unit->program.clauses; clause; clause = clause->next) {
		for (struct probe_spec *spec = clause->specs; spec; spec = spec->next) {
			if (!spec->is_id)
				continue;
			if (!is_listed)
				count = probes_list(probes, pass_over, NULL);
			is_listed = true;
			is_ok &= name_id(probes, unit, spec, count, zero_ok);
		}
	}
	return is_ok;
}
