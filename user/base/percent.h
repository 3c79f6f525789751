/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_BASE_PERCENT_H
#define ERLBPF_BASE_PERCENT_H

#include <stdbool.h>

/* "2", "2%" and "0.5%", up to 1000. False for other text. */
bool percent_parse(const char *text, double *percent);

/* The percentage in an environment variable, or `otherwise` if it is unset or invalid. */
double percent_of_environment(const char *name, double otherwise);

#endif
