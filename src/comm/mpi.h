/* SPDX-License-Identifier: Apache-2.0 */
/* MPI behind a context's of_comm. Only in builds with MPI. */
#ifndef OF_COMM_MPI_H
#define OF_COMM_MPI_H

#include "base/context.h"

/* Fills in comm from the processes that were started together, starting MPI where nobody has.
 * *here is how many of them share this machine. */
onefold_status of_mpi_join(of_comm *comm, int *here);

#endif
