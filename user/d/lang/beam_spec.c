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
}, old_names[] = {
	{ BEAM_OLD_ENTRY, "function-entry", "beam-old-entry" },
	{ BEAM_OLD_ENTRY, "local-function-entry", "beam-old-entry" },
	{ BEAM_OLD_ENTRY, "global-function-entry", "beam-old-entry" },
	{ BEAM_RETURN, "function-return", "beam-return" },
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static bool has_provider(const struct probe_spec *spec, const char *provider)
{
	const char *rest = spec->provider + strlen(provider);

	if (strncmp(spec->provider, provider, strlen(provider)) != 0)
		return false;
	return !strcmp(rest, "*") || !rest[strspn(rest, "0123456789")];
}

/* The OTP name of the probe for all functions; 0: none. */
static unsigned int old_probe_of_all(const struct probe_spec *spec)
{
	for (size_t i = 0; i < COUNT(old_names) && has_provider(spec, OLD_PROVIDER); i++) {
		if (!strcmp(spec->name, old_names[i].name))
			return old_names[i].probe;
	}
	return 0;
}

/* And it names functions. */
static unsigned int old_probe(const struct probe_spec *spec)
{
	return *spec->module && *spec->function && strcmp(spec->module, "beam.smp") != 0 ? old_probe_of_all(spec) : 0;
}

bool beam_spec_lacks_functions(const struct probe_spec *spec)
{
	return !*spec->module && !*spec->function && old_probe_of_all(spec);
}

bool beam_spec_is_old(const struct probe_spec *spec)
{
	return old_probe(spec) != 0;
}

const char *beam_spec_provider(const struct probe_spec *spec)
{
	return beam_spec_is_old(spec) ? OLD_PROVIDER : BEAM_PROVIDER;
}

unsigned int beam_spec_probes(const struct probe_spec *spec)
{
	unsigned int probes = old_probe(spec);

	for (size_t i = 0; i < COUNT(names) && has_provider(spec, BEAM_PROVIDER); i++)
		probes |= !*spec->name || !fnmatch(spec->name, names[i].name, 0) ? names[i].probe : 0;
	return probes;
}

/* Without an arity, all functions with the name match. */
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
	for (size_t i = 0; i < COUNT(names); i++) {
		if (!strcmp(names[i].fires, name))
			return names[i].probe;
	}
	return !strcmp(old_names[0].fires, name) ? BEAM_OLD_ENTRY : 0;
}

bool beam_spec_fires(const struct probe_spec *spec, const char *name)
{
	return spec->beam && beam_spec_probes(spec) & beam_probe_of(name);
}

/* Probes of applications. */

bool app_spec_is(const struct probe_spec *spec)
{
	const char *rest = spec->provider + strlen(APP_PROVIDER);

	if (strncmp(spec->provider, APP_PROVIDER, strlen(APP_PROVIDER)) != 0)
		return false;
	return !strcmp(rest, "*") || !rest[strspn(rest, "0123456789")];
}

bool app_spec_fires(const char *name)
{
	return !strcmp(name, "app-probe") || !strcmp(name, "app-span");
}
