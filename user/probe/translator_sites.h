/* SPDX-License-Identifier: BSD-2-Clause */
/* Sites at functions of a VM, by translators. */
#ifndef ERLBPF_PROBE_TRANSLATOR_SITES_H
#define ERLBPF_PROBE_TRANSLATOR_SITES_H

#include "probe/request.h"

/* Adds the sites of a probe, and what its arguments lack. How many sites there are, or -errno. */
int translator_sites(const struct site_search *search, uint32_t probe);

/* The same of the functions that are probed although the probe has notes, which do not fire for their hits. */
int translator_sites_beside_notes(const struct site_search *search, uint32_t probe);

#endif
