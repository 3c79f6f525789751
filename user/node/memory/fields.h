/* SPDX-License-Identifier: BSD-2-Clause */
/* Offsets of fields in the VM's structures, by release: probes/fields.def. */
#ifndef ERLBPF_NODE_MEMORY_FIELDS_H
#define ERLBPF_NODE_MEMORY_FIELDS_H

#include <stdint.h>

#include "target/target.h"

/* The offset of a field ("process.reds") in bytes. 0, or -ENOENT: unknown for this release. */
int field_offset(const struct vm *vm, const char *name, int64_t *offset);

#endif
