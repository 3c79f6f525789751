/* SPDX-License-Identifier: BSD-2-Clause */
/* What programs read at a translator's site: its row, made numbers for one VM. */
#ifndef ERLBPF_PROBE_TRANSLATOR_CONFIG_H
#define ERLBPF_PROBE_TRANSLATOR_CONFIG_H

#include "probe/request.h"
#include "probe/translator.h"

/* The site of that probe, but for its place. 0, or -EINVAL if the row is wrong (pr_err). */
int translator_make_site(const struct site_search *search, const struct translator *t, uint32_t probe,
			 struct site *site);

#endif
