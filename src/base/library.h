/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of Onefold that are libraries of their own, which a program loads where it uses them. */
#ifndef OF_BASE_LIBRARY_H
#define OF_BASE_LIBRARY_H

/* Opens the library of this SONAME: from beside the code that calls, as built or installed, else
 * from the system's folders. NULL: `dlerror` says why. */
void *of_library_open(const char *name);

#endif
