// SPDX-License-Identifier: BSD-2-Clause
/*
 * Erlang functions: requests breakpoints when nodes are attached (erlang/breakpoints.h), and tells the kernel which
 * descriptions match which function.
 */
#include "dtrace/session/session_parts.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "d/lang/beam_spec.h"
#include "dtrace/provider/matching.h"
#include "d.h"
#include "functions.h"
#include "measure.h"
#include "load/load.h"
#include "probe/catalogue.h"
#include "target/target.h"

_Static_assert(BEAM_SPECS_MOST == BREAKPOINTS_GLOBS, "one bit for each description");

void functions_free(struct session *s)
{
	for (size_t i = 0; i < BEAM_SPECS_MOST; i++)
		free(s->globs[i]);
}

bool functions_wanted(const struct session *s)
{
	return binding_functions(s->binding);
}

/* "beam1234" is one node, "beam*" any node. */
static bool is_about(const void *data, size_t glob, const struct target *target)
{
	const struct session *s = data;
	const struct probe_spec *spec = s->functions[glob];
	char provider[PROBE_NAME_SIZE];

	if (!spec)
		return false;
	probe_numbered(beam_spec_provider(spec), (unsigned int)target->pid, provider);
	return !strcmp(spec->provider, beam_spec_provider(spec)) || glob_matches(spec->provider, provider);
}

static bool is_found(const struct session *s, const struct probe_spec *spec)
{
	return spec->beam && binding_functions(s->binding) >> (spec->beam - 1) & 1;
}

static int take_globs(struct session *s)
{
	for (const struct clause *clause = s->unit->program.clauses; clause; clause = clause->next) {
		for (const struct probe_spec *spec = clause->specs; spec; spec = spec->next) {
			if (!is_found(s, spec))
				continue;
			s->functions[spec->beam - 1] = spec;
			s->globs[spec->beam - 1] = beam_spec_glob(spec);
			if (!s->globs[spec->beam - 1])
				return -ENOMEM;
		}
	}
	return 0;
}

/* True if returns or exceptions are wanted, so that calls must be tracked. */
static bool wants_ends(const struct session *s)
{
	const struct d_beam_matches meant = binding_function_matches(s->binding);

	return meant.returns | meant.exceptions;
}

static bool has_old(const struct session *s)
{
	for (size_t i = 0; i < BEAM_SPECS_MOST; i++) {
		if (s->functions[i] && beam_spec_is_old(s->functions[i]))
			return true;
	}
	return false;
}

int functions_shape(const struct session *s)
{
	const struct d_beam_matches meant = binding_function_matches(s->binding);
	int err = loader_resize(s->loader, "d_functions", FUNCTIONS_WANTED);

	if (wants_ends(s) && libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, BPF_FUNC_loop, NULL) != 1) {
		pr_err("returns and exceptions of Erlang functions need Linux 5.17 or later");
		return -EOPNOTSUPP;
	}
	if (!err)
		err = loader_set(s->loader, "d_beam_matches", &meant, sizeof(meant));
	if (!err && wants_ends(s))
		err = loader_resize(s->loader, "functions_stacks", FUNCTIONS_PROCESSES);
	if (!err && wants_ends(s))
		err = loader_resize(s->loader, "functions_registers", MEASURE_THREADS);
	return err;
}

int functions_request(struct session *s)
{
	int err = take_globs(s);

	s->breakpoints = (struct breakpoints_request){
		.globs = (const char *const *)s->globs,
		.glob_count = s->unit->program.beam_count,
		.is_about = is_about,
		.data = s,
		.cookie_file = s->options->cookie_file,
		.call_limit = s->options->call_limit,
		.loader = s->loader,
		.map = "d_functions",
		.entry_only = !wants_ends(s),
		.may_lack = true,
		.is_paced = s->options->samples && s->options->max_overhead != 0,
		.limit_option = "-x calllimit",
		.cookie_option = "-x cookiefile",
	};
	s->request.breakpoints = &s->breakpoints;
	/* The function and its caller are always read. */
	s->request.args |= 1u << D_BEAM_ARGS | 1u << (D_BEAM_ARGS + 1);
	/* Stack depth at start and end of calls. */
	if (wants_ends(s) || has_old(s))
		s->request.args |= (1u << (D_BEAM_HEAP_SIZE + 1)) - 1;
	return err;
}

int functions_check(const struct session *s)
{
	size_t set = 0;

	for (size_t i = 0; i < follow_count(s->follow); i++) {
		const struct attachment *a = follow_get(s->follow, i);

		set += a->breakpoints != NULL;
		if (a->absent)
			pr_err("%s (process %d) is not traced: %s", a->target->node[0] ? a->target->node : "a node",
			       a->target->pid, a->absent);
	}
	if (!set)
		pr_err("no Erlang function got a breakpoint");
	return set ? 0 : -ENOENT;
}
