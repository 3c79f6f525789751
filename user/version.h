/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_VERSION_H
#define ERLBPF_VERSION_H

#define ERLBPF_VERSION "0.1.0"

#endif
