/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * beam*:MODULE:FUNCTION/ARITY:entry, return and exception: calls of an Erlang function that has a breakpoint of the VM,
 * and how they end. The catalogue has one probe for each, such as vm:beam-entry, which fires for all functions. Which
 * descriptions mean the function, the kernel knows by a bit for each (d_functions of bpf/d.bpf.c).
 *
 * erlang*:MODULE:FUNCTION/ARITY:function-entry, and OTP's other names of that and of function-return, mean the same
 * calls, with the arguments that these probes have: the process, the function, the depth of its stack.
 */
#ifndef ERLBPF_D_LANG_BEAM_SPEC_H
#define ERLBPF_D_LANG_BEAM_SPEC_H

#include <stdbool.h>

#include "d/lang/ast.h"

#define BEAM_PROVIDER "beam"
#define OLD_PROVIDER "erlang"
#define BEAM_MEANT "beam*" /* a variable that no program can name: the bits of this call */
#define BEAM_SPECS_MOST 64 /* bits */

enum beam_probe {
	BEAM_ENTRY = 1,
	BEAM_RETURN = 2,
	BEAM_EXCEPTION = 4,
	BEAM_OLD_ENTRY = 8,
};

#define BEAM_ENTRIES (BEAM_ENTRY | BEAM_OLD_ENTRY)

#define BEAM_ENDS (BEAM_RETURN | BEAM_EXCEPTION)

/*
 * What sees to it that ends of calls are known: a clause that nobody wrote. Calls must be seen to begin, and to end in
 * any way, whichever of that the program wants.
 */
#define BEAM_HELPER "vm*:::breakpoint-entry, vm*:::beam-return, vm*:::beam-exception, vm*:::beam-gone /0/ { 1; }"

/* Is it an old name? And the provider that it is of. */
bool beam_spec_is_old(const struct probe_spec *spec);
const char *beam_spec_provider(const struct probe_spec *spec);

/* Would it be an old name if it named functions? */
bool beam_spec_lacks_functions(const struct probe_spec *spec);

/* Which probes does it mean? Bits of enum beam_probe, 0: it is of another provider, or has another name. */
unsigned int beam_spec_probes(const struct probe_spec *spec);

/* The functions that it means, as "shop:order/2": a glob, the caller's. NULL: memory is short. */
char *beam_spec_glob(const struct probe_spec *spec);

/* Which of them this probe of the catalogue fires for; 0: none. */
unsigned int beam_probe_of(const char *name);

/* Is it one of BEAM_HELPER, at whose probes calls begin and processes end? */
bool beam_spec_helps(const struct probe_spec *spec);

/* Does it mean what this probe of the catalogue fires for? */
bool beam_spec_fires(const struct probe_spec *spec, const char *name);

/*
 * app*:::NAME: a probe of an application's own code (the package erlbpf). The catalogue has two probes, vm:app-probe
 * and vm:app-span, which fire for all names; which one it is, their second argument says.
 */

#define APP_PROVIDER "app"

/* Is the provider "app", "app*", or "app1234"? */
bool app_spec_is(const struct probe_spec *spec);

/* Is this a probe of the catalogue that fires for them? */
bool app_spec_fires(const char *name);

#endif
