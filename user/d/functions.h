/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of functions: a row for each function of the language, which says all there is to know of it. */
#ifndef ERLBPF_D_FUNCTIONS_H
#define ERLBPF_D_FUNCTIONS_H

#include "d/lang/function.h"

extern const struct function_table d_functions;

#endif
