/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* All functions that a D program can call by name. */
#ifndef ERLBPF_BPF_D_LIBRARY_BPF_H
#define ERLBPF_BPF_D_LIBRARY_BPF_H

#include "d/json.bpf.h"
#include "d/memory.bpf.h"
#include "d/net.bpf.h"
#include "d/number.bpf.h"
#include "d/path.bpf.h"
#include "d/process.bpf.h"
#include "d/record.bpf.h"
#include "d/snapshot.bpf.h"
#include "d/speculation.bpf.h"
#include "d/stack.bpf.h"
#include "d/string.bpf.h"

#endif
