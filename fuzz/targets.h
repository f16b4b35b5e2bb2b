/* SPDX-License-Identifier: Apache-2.0 */
/* The targets: each takes any bytes and must come back. A new one is a line here and a function;
 * CMake reads this list, and so does the test that replays what was once found. */
#ifndef OF_FUZZ_TARGETS_H
#define OF_FUZZ_TARGETS_H

#include <stddef.h>
#include <stdint.h>

/* clang-format off */
#define FUZZ_TARGETS(TARGET) \
    TARGET(csv)     /* text, with options of reading */ \
    TARGET(mtx)     /* Matrix Market */ \
    TARGET(npy)     /* NumPy's array */ \
    TARGET(npz)     /* NumPy's archive, checksums repaired */ \
    TARGET(mat5)    /* MATLAB 5 */ \
    TARGET(mat5z)   /* a compressed variable of MATLAB 5 */ \
    TARGET(mat73)   /* MATLAB 7.3, which is HDF5 */ \
    TARGET(h5ad)    /* AnnData and MuData, which are HDF5 */ \
    TARGET(gz)      /* packed text, whole or damaged */ \
    TARGET(cells)   /* a folder as 10x Genomics writes it */ \
    TARGET(files)   /* several files, with truth and table of who is present */ \
    TARGET(tables)  /* a table with options for its columns; its model labels it again */ \
    TARGET(find)    /* a container of variables with names of all kinds */ \
    TARGET(labels)  /* files of labels, two of them matched and scored */ \
    TARGET(saved)   /* JSON of fits, one or two, made into a page */ \
    TARGET(store)   /* finished cells of an experiment */ \
    TARGET(study)   /* the file of an experiment on many sets */ \
    TARGET(model)   /* a model, checksum repaired; what is taken predicts */ \
    TARGET(options) /* words of the command, parsed */ \
    TARGET(command) /* words of the command, carried out */ \
    TARGET(fit)     /* tiny hostile data: every method, with checks of what comes out */
/* clang-format on */

#define FUZZ_DECLARE(name) int fuzz_##name(const uint8_t *bytes, size_t size);
FUZZ_TARGETS(FUZZ_DECLARE)
#undef FUZZ_DECLARE

#endif
