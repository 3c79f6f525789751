/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of the VM's functions that are probed, for the cookies of their sites (bpf/erl.h): a number
 * is a name's for as long as we run, whichever VM it is found in.
 */
#ifndef ERLBPF_PROBE_FUNCTIONS_H
#define ERLBPF_PROBE_FUNCTIONS_H

#include <stdint.h>

/* The number of the function, a new one for a new name, which is copied. 0 and errno: ENOMEM, or ENOSPC (too many). */
uint32_t function_number(const char *name);

/* What Erlang calls it, if it is a BIF: "ets:insert/2"; copied, hostile. The first that is said stays. */
void function_set_bif(uint32_t number, const char *bif);

/* NULL if it is none, or not known to be one. */
const char *function_bif(uint32_t number);

/* Its name, "" for 0 and for numbers that were not given out. Hostile if it came from an ELF file. */
const char *function_name(uint32_t number);

#endif
