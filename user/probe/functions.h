/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of probed VM functions, for the cookies of their sites (bpf/erl.h). A number belongs to a name until erlbpf
 * exits, in all VMs.
 */
#ifndef ERLBPF_PROBE_FUNCTIONS_H
#define ERLBPF_PROBE_FUNCTIONS_H

#include <stdint.h>

/* The number of the function; a new name is copied. 0 and errno: ENOMEM, or ENOSPC (too many). */
uint32_t function_number(const char *name);

/* Sets the Erlang name of a BIF: "ets:insert/2"; copied, hostile. The first name stays. */
void function_set_bif(uint32_t number, const char *bif);

/* NULL if it is not known to be a BIF. */
const char *function_bif(uint32_t number);

/* Its name, "" for 0 and unknown numbers. Hostile if it came from an ELF file. */
const char *function_name(uint32_t number);

#endif
