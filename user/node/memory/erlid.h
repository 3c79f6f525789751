/* SPDX-License-Identifier: BSD-2-Clause */
/* Erlang pids and ports as one word (erl_id_make() in bpf/erl.h), to and from text. */
#ifndef ERLBPF_NODE_MEMORY_ERLID_H
#define ERLBPF_NODE_MEMORY_ERLID_H

#include <stdint.h>

#define ERLID_SIZE 40

/* "<0.91.0>", "<9111.88.0>", "#Port<0.8>", "" for 0; returns buf of ERLID_SIZE. */
const char *erlid_format(uint64_t id, char *buf);

/* The id of a local pid, "<0.91.0>" or "0.91.0". 0, or -EINVAL. */
int erlid_parse(const char *text, uint64_t *id);

#endif
