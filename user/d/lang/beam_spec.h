/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * beam*:MODULE:FUNCTION/ARITY:entry, return and exception: calls of an Erlang function with a breakpoint of the VM, and
 * their ends. The catalogue has one probe for each, such as vm:beam-entry, which fires for all functions. The kernel
 * keeps one bit per description that matches the function (d_functions of bpf/d.bpf.c).
 * erlang*:MODULE:FUNCTION/ARITY:function-entry, and OTP's other names for it and for function-return, mean the same
 * calls, with these arguments: process, function, stack depth.
 */
#ifndef ERLBPF_D_LANG_BEAM_SPEC_H
#define ERLBPF_D_LANG_BEAM_SPEC_H

#include <stdbool.h>

#include "d/lang/ast.h"

#define BEAM_PROVIDER "beam"
#define OLD_PROVIDER "erlang"
#define BEAM_MATCHES "beam*" /* an unnameable variable: the bits of this call */
#define BEAM_SPECS_MOST 64   /* one bit each */

enum beam_probe {
	BEAM_ENTRY = 1,
	BEAM_RETURN = 2,
	BEAM_EXCEPTION = 4,
	BEAM_OLD_ENTRY = 8,
};

#define BEAM_ENTRIES (BEAM_ENTRY | BEAM_OLD_ENTRY)

#define BEAM_ENDS (BEAM_RETURN | BEAM_EXCEPTION)

/*
 * An internal clause that tracks calls until they end. It needs the start of each call and every kind of end, whichever
 * of them the program uses.
 */
#define BEAM_HELPER "vm*:::breakpoint-entry, vm*:::beam-return, vm*:::beam-exception, vm*:::beam-gone /0/ { 1; }"

/* True for an old name, and the provider of that name. */
bool beam_spec_is_old(const struct probe_spec *spec);
const char *beam_spec_provider(const struct probe_spec *spec);

/* True if it would be an old name with a function. */
bool beam_spec_lacks_functions(const struct probe_spec *spec);

/* The probes that it means: bits of enum beam_probe, 0: another provider or name. */
unsigned int beam_spec_probes(const struct probe_spec *spec);

/* The functions that it means, as "shop:order/2": a glob, which the caller frees. NULL: out of memory. */
char *beam_spec_glob(const struct probe_spec *spec);

/* The probe for which this probe of the catalogue fires; 0: none. */
unsigned int beam_probe_of(const char *name);

/* True for descriptions of BEAM_HELPER, which track starts and ends of calls and processes. */
bool beam_spec_helps(const struct probe_spec *spec);

/* True if this probe of the catalogue fires for it. */
bool beam_spec_fires(const struct probe_spec *spec, const char *name);

/*
 * app*:::NAME: a probe in application code (the package erlbpf). The catalogue has two probes, vm:app-probe and
 * vm:app-span, which fire for all names; their second argument is the name.
 */

#define APP_PROVIDER "app"

/* True if the provider is "app", "app*", or "app1234". */
bool app_spec_is(const struct probe_spec *spec);

/* True if this probe of the catalogue fires for them. */
bool app_spec_fires(const char *name);

#endif
