/* SPDX-License-Identifier: Apache-2.0 */
/* make_mat73 FILE: writes a MATLAB 7.3 file of two views of 60 samples, for the runs with faults.
 */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

int main(int count, char **words)
{
    enum { SAMPLES = 60, COLUMNS = 4, HEAD = 512 };
    static double values[SAMPLES * COLUMNS];
    static const char *const names[] = {"A", "B"};
    char head[HEAD] = "MATLAB 7.3 MAT-file";
    if (count != 2)
        return 2;
    hid_t how = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(how, HEAD);
    hid_t file = H5Fcreate(words[1], H5F_ACC_TRUNC, how, H5P_DEFAULT);
    hsize_t sides[2] = {COLUMNS, SAMPLES};
    hid_t space = H5Screate_simple(2, sides, NULL);
    for (int v = 0; v < 2; v++) {
        for (int i = 0; i < SAMPLES * COLUMNS; i++)
            values[i] = (i % SAMPLES) % 3 * 5 + 0.1 * ((i * 7 + v) % 11);
        hid_t set = H5Dcreate2(file, names[v], H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT,
                               H5P_DEFAULT);
        if (H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
            return 1;
        H5Dclose(set);
    }
    H5Sclose(space);
    H5Fclose(file);
    H5Pclose(how);
    memcpy(head + 124, "\0\2IM", 4);
    FILE *out = fopen(words[1], "r+b");
    if (!out || fwrite(head, 1, HEAD, out) != HEAD)
        return 1;
    return fclose(out) != 0;
}
