// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/provider/providers.h"

#include "dtrace/provider/matching.h"
#include "dtrace/provider/provider.h"

static const struct provider *const providers[PROVIDERS] = {
	[PROVIDER_TIMER] = &provider_timer,
	[PROVIDER_SYSTEM] = &provider_system,
	[PROVIDER_ERLANG] = &provider_erlang,
	[PROVIDER_PID] = &provider_pid,
};

int probes_match(struct probes *probes, const struct probe_spec *spec,
		 void (*visit)(void *data, const struct d_probe *probe), void *data, const char **why)
{
	int matched = 0, err = 0;

	probes_begin_search(probes);
	if (why)
		*why = probes_why(probes);
	for (int i = 0; !err && i < PROVIDERS; i++)
		err = providers[i]->discover(probes, spec);
	if (err)
		return err;
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

int probes_list(struct probes *probes, void (*visit)(void *data, const struct d_probe *probe), void *data)
{
	int err = 0;

	for (int i = 0; !err && i < PROVIDERS; i++)
		err = providers[i]->list ? providers[i]->list(probes) : 0;
	for (size_t i = 0; !err && i < probes_count(probes); i++)
		visit(data, probes_get(probes, i));
	return err ? err : (int)probes_count(probes);
}
