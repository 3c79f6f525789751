/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * beam*:MODULE:FUNCTION/ARITY:entry: a call of an Erlang function that has a breakpoint of the VM. The catalogue has
 * one probe, vm:beam-entry, which fires for all of them. Which descriptions mean the function that is called, the
 * kernel knows by a bit for each (d_functions of bpf/d.bpf.c).
 */
#ifndef ERLBPF_D_LANG_BEAM_SPEC_H
#define ERLBPF_D_LANG_BEAM_SPEC_H

#include <stdbool.h>

#include "d/lang/ast.h"

#define BEAM_PROVIDER "beam"
#define BEAM_PROBE "entry" /* the only one that it has */
#define BEAM_MEANT "beam*" /* a variable that no program can name: the bits of this call */
#define BEAM_SPECS_MOST 64 /* bits */

/* Is the provider "beam", "beam*", or "beam1234"? */
bool beam_spec_is_provider(const struct probe_spec *spec);

/* And does it mean the probe that there is? */
bool beam_spec_is(const struct probe_spec *spec);

/* The functions that it means, as "shop:order/2": a glob, the caller's. NULL: memory is short. */
char *beam_spec_glob(const struct probe_spec *spec);

/* Is this the probe of the catalogue that fires for them? */
bool beam_spec_fires(const char *name);

#endif
