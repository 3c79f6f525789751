/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a VM was configured, as far as that moves the members of its structures. A VM has the text of its config.h among
 * its constants (erlang:system_info(compile_info) answers with it).
 */
#ifndef ERLBPF_TARGET_IMAGE_CONFIG_H
#define ERLBPF_TARGET_IMAGE_CONFIG_H

#include "elf/elf_file.h"

/* FLAT_... of image_flat.h. What the file does not say is as it usually is. */
uint32_t image_config_read(const struct elf_file *file);

#endif
