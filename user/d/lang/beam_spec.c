// SPDX-License-Identifier: BSD-2-Clause
#include "d/lang/beam_spec.h"

#include <stdio.h>
#include <string.h>

bool beam_spec_is_provider(const struct probe_spec *spec)
{
	const char *rest = spec->provider + strlen(BEAM_PROVIDER);

	if (strncmp(spec->provider, BEAM_PROVIDER, strlen(BEAM_PROVIDER)) != 0)
		return false;
	return !strcmp(rest, "*") || !rest[strspn(rest, "0123456789")];
}

bool beam_spec_is(const struct probe_spec *spec)
{
	return beam_spec_is_provider(spec) &&
	       (!*spec->name || !strcmp(spec->name, "*") || !strcmp(spec->name, BEAM_PROBE));
}

/* Without an arity, all functions of the name are meant. */
char *beam_spec_glob(const struct probe_spec *spec)
{
	const char *module = *spec->module ? spec->module : "*", *function = *spec->function ? spec->function : "*";
	char *glob = NULL;

	return asprintf(&glob, "%s:%s%s", module, function, strchr(function, '/') ? "" : "/*") < 0 ? NULL : glob;
}

bool beam_spec_fires(const char *name)
{
	return !strcmp(name, "beam-entry");
}
