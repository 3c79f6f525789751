/* SPDX-License-Identifier: BSD-2-Clause */
/* Sites at the notes that a VM carries. */
#ifndef ERLBPF_PROBE_NOTE_SITES_H
#define ERLBPF_PROBE_NOTE_SITES_H

#include "probe/request.h"

/* Reads the notes, once per VM, so broken ones are reported (pr_warn) once. 0 or -errno. */
int note_sites_read(struct vm *vm);

/* Adds the sites of a probe; the notes must have been read. How many there are, or -errno. */
int note_sites(const struct site_search *search, uint32_t probe);

#endif
