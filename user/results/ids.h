/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the ids that the BPF programs count by (bpf/erl.h) to text: pids and ports by themselves, atoms
 * and MFAs from the memory of the VM, texts from the map that keeps them, functions from their names.
 */
#ifndef ERLBPF_RESULTS_IDS_H
#define ERLBPF_RESULTS_IDS_H

#include <stdint.h>

#include "trace/follow.h"
#include "load/load.h"

struct ids;

/* Both must outlive it. NULL and errno. */
struct ids *ids_new(const struct loader *loader, const struct follow *follow);
void ids_free(struct ids *ids);

/*
 * What the id of that node stands for, hostile text; "" for 0. Never NULL. It stays valid until
 * ids_forget().
 */
const char *ids_text(struct ids *ids, int os_id, uint64_t id);

/* Addresses in the code of one function are one key: an id of the function, if that can be known, else the same id. */
uint64_t ids_key(struct ids *ids, uint32_t os_id, uint64_t id);

/* To be called now and then, while no text is in use: what is kept is bounded by it. */
void ids_forget(struct ids *ids);

#endif
