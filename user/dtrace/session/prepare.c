// SPDX-License-Identifier: BSD-2-Clause
/* Preparation: loads all programs and finds the processes with probes; nothing fires yet. */
#include "dtrace/session/session_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dtrace/provider/erlang.h"
#include "dtrace/symbols/symbols.h"
#include "dtrace/attach/hooks.h"
#include "probe/catalogue.h"
#include "target/target.h"

/* The catalogue's probes. */

static bool choose_probe(void *data, const char *program, const struct target *target, uint32_t probe)
{
	const struct session *s = data;
	char provider[PROBE_NAME_SIZE], name[PROBE_NAME_SIZE];

	return binding_may_mean(s->binding, program,
				probe_numbered(probe_def(probe)->provider, (unsigned int)target->pid, provider),
				probe_name(probe, name));
}

/* A skipped site would look like one that is never hit. */
static void lack_memory(struct session *s, const struct target *target)
{
	if (!s->is_refused)
		pr_err("cannot put all probes into process %d: %s", target->pid, strerror(ENOMEM));
	s->is_refused = true;
	s->status = 1;
}

static bool choose_site(void *data, const char *program, const struct target *target, struct site *site)
{
	struct session *s = data;
	const struct d_probe *probe = erlang_probe_of_site(s->probes, target, site);
	int wanted = probe ? binding_program_of(s->binding, probe) : -1;
	size_t count;
	const struct d_program *programs = binding_programs(s->binding, &count);

	if (!probe)
		lack_memory(s, target);
	if (wanted < 0 || strcmp(programs[wanted].name, program))
		return false;
	session_publish_names(s, probe, target->os_id);
	return true;
}

static void on_refusal(void *data, const struct target *target, const struct site *site, int err)
{
	struct session *s = data;
	const struct d_probe *probe = probes_find(s->probes, site->probe, site->function, target->pid);
	int program = probe ? binding_program_of(s->binding, probe) : -1;
	size_t count;

	s->is_refused = true;
	if (program >= 0)
		hooks_report_refusal(probe, &binding_programs(s->binding, &count)[program], err);
}

static bool wants_follow(const struct session *s)
{
	size_t count;
	const struct d_program *programs = binding_programs(s->binding, &count);

	for (size_t i = 0; i < count; i++) {
		if (programs[i].hook == HOOK_ERLANG)
			return true;
	}
	return false;
}

static int make_follow(struct session *s)
{
	const struct probes_options *wanted = probes_get_options(s->probes);

	s->choice = (struct attach_choice){ choose_probe, choose_site, on_refusal, s };
	s->request = (struct attach_request){
		.loader = s->loader,
		.kernel = &s->kernel,
		.glob = "*",
		.choice = &s->choice,
		.allow_denied = wanted->allow_denied,
		.args = s->object.args | (s->unit->uses_term ? 1u << ERL_ARG_TERM : 0),
		.with_terms = s->unit->uses_argterm,
	};
	s->follow_options.glob = "*";
	if (s->options->select)
		s->follow_options.select = *s->options->select;
	s->follow_options.wait_for_name = s->options->waits_for_nodes;
	for (size_t i = 0; i < wanted->pid_count && i < OPTIONS_MAX_PIDS && !s->options->child; i++)
		s->follow_options.pids[s->follow_options.pid_count++] = wanted->pids[i];
	if (functions_wanted(s) && functions_request(s))
		return -ENOMEM;
	s->follow = follow_new(&s->request, &s->follow_options);
	if (!s->follow)
		return -errno;
	follow_pause(s->follow);
	if (follow_scan(s->follow) != EXIT_OK || s->is_refused)
		return -ESRCH;
	stacks_publish(s);
	return functions_wanted(s) ? functions_check(s) : 0;
}

static bool has_address(const struct field *fields)
{
	for (const struct field *field = fields; field; field = field->next) {
		if (field->kind == FIELD_STACK || field->kind == FIELD_SYMBOL)
			return true;
	}
	return false;
}

bool unit_shows_addresses(const struct unit *unit)
{
	for (const struct unit_clause *clause = unit->clauses; clause; clause = clause->next) {
		for (const struct action *action = clause->actions; action; action = action->next) {
			if (has_address(action->fields))
				return true;
		}
	}
	for (const struct unit_agg *agg = unit->aggs; agg; agg = agg->next) {
		if (has_address(agg->keys))
			return true;
	}
	return false;
}

/* Processes with function probes often end early, and their stacks may be printed; so may those of -p. */
static void look_at_processes(struct session *s)
{
	pid_t last = 0;

	for (size_t i = 0; i < s->options->wait_count && unit_shows_addresses(s->unit); i++) {
		if (session_symbols(s))
			symbols_look(s->symbols, s->options->wait_for[i]);
	}

	for (size_t i = 0; i < probes_count(s->probes); i++) {
		const struct d_probe *probe = probes_get(s->probes, i);

		if (!probe->object || probe->pid == last)
			continue;
		last = probe->pid;
		if (session_symbols(s))
			symbols_look(s->symbols, last);
	}
}

int session_prepare(struct session *s)
{
	struct hooks_config needs = {
		.cpu = s->options->cpu,
		.with_terms = s->unit->uses_term,
		.args = s->object.note_args,
		.symbols = s->unit->reads_kernel_stack ? session_symbols(s) : NULL,
		.kernel_types = s->object.args & ((1u << D_ARGS) - 1) ? s->unit->kernel : NULL,
	};
	int err;

	s->hooks = hooks_new(s->loader, &s->kernel, s->binding, s->probes, &needs);
	err = s->hooks ? hooks_load(s->hooks) : -ENOMEM;
	for (size_t i = 0; !err && i < probes_count(s->probes); i++)
		session_publish_names(s, probes_get(s->probes, i), (uint32_t)probes_get(s->probes, i)->pid);
	look_at_processes(s);
	if (!err)
		err = loaded_prepare(s);
	if (!err && wants_follow(s))
		err = make_follow(s);
	return err;
}
