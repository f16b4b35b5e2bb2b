# SPDX-License-Identifier: Apache-2.0
onefold --version | sed -E 's/^(built with|methods) .*/\1 .../'
onefold fit --version | diff - <(onefold --version)
onefold --version | grep -q '^built with threads zlib' || echo "says too little"
# what shuts the reader of HDF5 files in, where the kernel has it
said=$(onefold --version | grep -c '^built with .*hdf5.* seccomp$')
there=$(grep -c '^Seccomp_filters' /proc/self/status)
onefold --version | grep -q hdf5 || there=0
[ "$said" = "$there" ] || echo "says $said of seccomp, and $there is there"
