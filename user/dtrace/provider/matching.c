// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/provider/matching.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "d/lang/beam_spec.h"
#include "dtrace/symbols/objects.h"

bool glob_is_open(const char *text)
{
	return !*text || strpbrk(text, "*?[");
}

bool glob_matches(const char *glob, const char *text)
{
	if (!*glob || !strcmp(glob, text))
		return true;
	return strpbrk(glob, "*?[\\") && !fnmatch(glob, text, 0);
}

pid_t provider_pid_of(const char *provider, const char *prefix)
{
	size_t n = strlen(prefix), digits = strncmp(provider, prefix, n) ? 0 : strspn(provider + n, "0123456789");
	long pid;

	if (!digits || digits > 10 || provider[n + digits])
		return 0;
	pid = strtol(provider + n, NULL, 10);
	return pid > 0 && pid <= INT_MAX ? (pid_t)pid : 0;
}

bool provider_is_nobody(const char *provider, const char *prefix)
{
	size_t n = strlen(prefix);

	return !strncmp(provider, prefix, n) && !strcmp(provider + n, "0");
}

/* "erlang" alone means any process. */
static bool matches_provider(const char *glob, const char *provider)
{
	return glob_matches(glob, provider) || (!strcmp(glob, "erlang") && provider_pid_of(provider, "erlang")) ||
	       (!strcmp(glob, "vm") && provider_pid_of(provider, "vm"));
}

/* An old name of the provider erlang can mean a probe of the provider vm. */
static bool matches_old_name(const struct probe_spec *spec, const struct probe_names *names)
{
	char provider[32];

	if (!old_name_means(spec->name, names->name))
		return false;
	snprintf(provider, sizeof(provider), "erlang%d", provider_pid_of(names->provider, "vm"));
	return matches_provider(spec->provider, names->provider) || matches_provider(spec->provider, provider);
}

/* True for a probe of the provider vm, of the same process, with that name. */
static bool matches_process(const struct probe_spec *spec, const char *called, const struct probe_names *names)
{
	char provider[32];

	if (strncmp(names->provider, "vm", strlen("vm")) != 0)
		return false;
	snprintf(provider, sizeof(provider), "%s%.16s", called, names->provider + strlen("vm"));
	return !strcmp(spec->provider, called) || glob_matches(spec->provider, provider);
}

/* All names of an application share a vm probe; a condition of the clause selects the name. */
static bool matches_app(const struct probe_spec *spec, const struct probe_names *names)
{
	return app_spec_fires(names->name) && matches_process(spec, APP_PROVIDER, names);
}

/* The same for Erlang functions: their module and function are not the VM's. */
static bool matches_beam(const struct probe_spec *spec, const struct probe_names *names)
{
	return beam_spec_fires(spec, names->name) && matches_process(spec, beam_spec_provider(spec), names);
}

static bool matches_name(const struct probe_spec *spec, const struct probe_names *names)
{
	if (app_spec_is(spec) && matches_app(spec, names))
		return true;
	return (glob_matches(spec->name, names->name) && matches_provider(spec->provider, names->provider)) ||
	       matches_old_name(spec, names);
}

bool spec_matches_names(const struct probe_spec *spec, const struct probe_names *names)
{
	if (spec->beam)
		return matches_beam(spec, names);
	return !spec->is_id && matches_name(spec, names) && glob_matches(spec->module, names->module) &&
	       glob_matches(spec->function, names->function);
}

bool spec_matches_probe(const struct probe_spec *spec, const struct d_probe *probe)
{
	struct probe_names names = probe->names;

	if (probe->object) {
		if (spec->is_id || !object_is_named(probe->object, spec->module))
			return false;
		names.module = spec->module;
		return !strcmp(spec->provider, names.provider) && spec_matches_names(spec, &names);
	}
	return spec_matches_names(spec, &names);
}
