/* SPDX-License-Identifier: BSD-2-Clause */
/* uthash. Where memory is short it ends the program, with a word. */
#ifndef ERLBPF_BASE_HASH_H
#define ERLBPF_BASE_HASH_H

#include "base/log.h"

#define uthash_fatal(message) log_out_of_memory()

#include <uthash.h>

#endif
