/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of ETS tables, read from a node's memory. */
#ifndef ERLBPF_NODE_TABLES_H
#define ERLBPF_NODE_TABLES_H

#include <stdint.h>

#include "target/target.h"

/* The name of the table that a term stands for, named or not: the id of an atom. 0: it is none, or cannot be read. */
uint64_t table_name(const struct target *target, uint64_t term);

#endif
