/* SPDX-License-Identifier: Apache-2.0 */
/* --portable: the same labels on processors with other instruction sets. */
#ifndef CLI_PORTABLE_H
#define CLI_PORTABLE_H

#include "options.h"

/* Starts the command again with the libraries held to what every processor of the architecture
 * has: they choose when they are loaded. Comes back where that has been done, or cannot be. */
void cli_portable_start(char **argv);

/* Where OpenBLAS does not know the processor it takes kernels of 2004, at half the speed, and
 * results that depend on the number of threads. On a processor that can run those of 2013 the
 * command starts itself again with them, unless the environment names some. */
void cli_kernels_start(char **argv);

/* Refuses where the BLAS does not do as it was told. */
onefold_status cli_portable_check(void);

#endif
