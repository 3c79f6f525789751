// SPDX-License-Identifier: BSD-2-Clause
#include "d/lang/beam_spec.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static const struct beam_name {
	enum beam_probe probe;
	const char *name, *fires;
} names[] = {
	{ BEAM_ENTRY, "entry", "beam-entry" },
	{ BEAM_RETURN, "return", "beam-return" },
	{ BEAM_EXCEPTION, "exception", "beam-exception" },
};

#define NAMES (sizeof(names) / sizeof(*names))

bool beam_spec_is_provider(const struct probe_spec *spec)
{
	const char *rest = spec->provider + strlen(BEAM_PROVIDER);

	if (strncmp(spec->provider, BEAM_PROVIDER, strlen(BEAM_PROVIDER)) != 0)
		return false;
	return !strcmp(rest, "*") || !rest[strspn(rest, "0123456789")];
}

unsigned int beam_spec_probes(const struct probe_spec *spec)
{
	unsigned int probes = 0;

	for (size_t i = 0; i < NAMES && beam_spec_is_provider(spec); i++)
		probes |= !*spec->name || !fnmatch(spec->name, names[i].name, 0) ? names[i].probe : 0;
	return probes;
}

/* Without an arity, all functions of the name are meant. */
char *beam_spec_glob(const struct probe_spec *spec)
{
	const char *module = *spec->module ? spec->module : "*", *function = *spec->function ? spec->function : "*";
	char *glob = NULL;

	return asprintf(&glob, "%s:%s%s", module, function, strchr(function, '/') ? "" : "/*") < 0 ? NULL : glob;
}

bool beam_spec_helps(const struct probe_spec *spec)
{
	return !strcmp(spec->provider, "vm*") &&
	       (!strcmp(spec->name, "breakpoint-entry") || !strcmp(spec->name, "beam-gone"));
}

unsigned int beam_probe_of(const char *name)
{
	for (size_t i = 0; i < NAMES; i++) {
		if (!strcmp(names[i].fires, name))
			return names[i].probe;
	}
	return 0;
}

bool beam_spec_fires(const struct probe_spec *spec, const char *name)
{
	return spec->beam && beam_spec_probes(spec) & beam_probe_of(name);
}
