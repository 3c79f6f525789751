// SPDX-License-Identifier: BSD-2-Clause
#include "d/lang/app_spec.h"

#include <string.h>

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
