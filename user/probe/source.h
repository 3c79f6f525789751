/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sources: where a probe comes from on a given VM. `usdt`: from the notes the VM carries. `symbol`:
 * from functions that it exports, by a translator. `matched`: the same, where the VM hides its functions and they were
 * found by comparison. What a source cannot give is listed as missing.
 */
#ifndef ERLBPF_PROBE_SOURCE_H
#define ERLBPF_PROBE_SOURCE_H

#include "probe/request.h"

/*
 * The sites of the wanted probes on this VM, and what is missing of them. 0 or -errno; the caller
 * frees the list. Broken notes are reported by pr_warn, once per VM.
 */
int site_list_make(struct vm *vm, const struct site_request *request, struct site_list *list);

#endif
