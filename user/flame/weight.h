/* SPDX-License-Identifier: BSD-2-Clause */
/* Weights as people read them. */
#ifndef ERLBPF_FLAME_WEIGHT_H
#define ERLBPF_FLAME_WEIGHT_H

#include <stdint.h>

#include "flame/profile.h"

#define WEIGHT_SIZE 32

/* "1.25ms" of ns, else the number. Returns buf. */
const char *weight_format(const struct profile *profile, uint64_t weight, char buf[WEIGHT_SIZE]);

/* Percent of the whole; 0 of nothing. */
double weight_percent(uint64_t part, uint64_t whole);

#endif
