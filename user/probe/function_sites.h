/* SPDX-License-Identifier: BSD-2-Clause */
/* Sites of functions that the user names, whatever the catalogue knows: see struct function_request. */
#ifndef ERLBPF_PROBE_FUNCTION_SITES_H
#define ERLBPF_PROBE_FUNCTION_SITES_H

#include "probe/request.h"

#define FUNCTION_SITES_MAX 512 /* functions at a time without --unsafe */

/* The sites of vm:uprobe-entry or vm:uprobe-return, as the request's mode wants them. 0 or -errno. */
int function_sites(const struct vm *vm, const struct site_request *request, uint32_t probe, struct site_list *list);

#endif
