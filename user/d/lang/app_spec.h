/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * app*:::NAME: a probe of an application's own code (the package erlbpf). The catalogue has two probes, vm:app-probe
 * and vm:app-span, which fire for all names; which one it is, their second argument says.
 */
#ifndef ERLBPF_D_LANG_APP_SPEC_H
#define ERLBPF_D_LANG_APP_SPEC_H

#include <stdbool.h>

#include "d/lang/ast.h"

#define APP_PROVIDER "app"

/* Is the provider "app", "app*", or "app1234"? */
bool app_spec_is(const struct probe_spec *spec);

/* Is this a probe of the catalogue that fires for them? */
bool app_spec_fires(const char *name);

#endif
