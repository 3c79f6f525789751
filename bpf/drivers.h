/* SPDX-License-Identifier: BSD-2-Clause */
/* drivers: contract between its BPF program and tools/drivers.c. */
#ifndef ERLBPF_BPF_DRIVERS_H
#define ERLBPF_BPF_DRIVERS_H

/* Beside those of enum operation_amount: the id of the driver's name with the callback's. */
#define DRIVERS_FUNCTION 2

#endif
