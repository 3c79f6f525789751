/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors of a program that runs: a clause that met a fault, and ended there, or an action that failed. */
#ifndef ERLBPF_DTRACE_PRINT_FAULT_H
#define ERLBPF_DTRACE_PRINT_FAULT_H

#include "dtrace/print/consumer.h"

/* A clause that met a fault. */
void fault_record(struct consumer *consumer, const struct d_fault_record *record);

/* To stderr. Errors are for people, so they are cleaned as if that were a terminal. */
void fault_print(struct consumer *consumer, const struct d_record *head, const char *what);

#endif
