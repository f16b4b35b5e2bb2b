/* SPDX-License-Identifier: Apache-2.0 */
/* --portable: the same labels on processors with other instruction sets. */
#ifndef CLI_PORTABLE_H
#define CLI_PORTABLE_H

#include "options.h"

/* Starts the command again with the libraries held to what every processor of the architecture
 * has: they choose when they are loaded. Comes back where that has been done, or cannot be. */
void cli_portable_start(char **argv);

/* Refuses where the BLAS does not do as it was told. */
onefold_status cli_portable_check(void);

#endif
