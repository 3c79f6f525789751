/* SPDX-License-Identifier: BSD-2-Clause */
/* Who makes atoms, and the newest ones. */
#ifndef ERLBPF_WHY_FIND_ATOMS_H
#define ERLBPF_WHY_FIND_ATOMS_H

#include "why/schedulers/samples.h"

/* Into the signs, which have those of trends.h: atom_maker, newest_atoms. */
void atoms_finish(const struct samples *samples, struct processes *processes, struct signs *signs);

#endif
