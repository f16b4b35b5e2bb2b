/* SPDX-License-Identifier: Apache-2.0 */
/* Marks the functions that the library of baselines and experiments calls: the shared library shows
 * these, as listed in src/onefold.map, and no other of its own. Their signatures may change. */
#ifndef OF_BASE_PRIVATE_H
#define OF_BASE_PRIVATE_H

#ifndef OF_PRIVATE
#define OF_PRIVATE __attribute__((visibility("default")))
#endif

#endif
