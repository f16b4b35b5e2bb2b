# SPDX-License-Identifier: Apache-2.0
"""Files of every packed format that unpack to far more than they are, or say that they hold it."""
import gzip, os, struct, sys, zlib

try:
    import h5py
    import numpy
except ImportError:
    h5py = None


def packed(head, total, fill, wrap):
    """A stream of `head` and `fill` repeated up to `total` bytes: a block that is packed once, over and over."""
    part = fill * ((1 << 20) // len(fill))
    first = zlib.compressobj(6, zlib.DEFLATED, wrap)
    out = [first.compress(head) + first.flush(zlib.Z_FULL_FLUSH)]
    again = zlib.compressobj(6, zlib.DEFLATED, -15)
    block = again.compress(part) + again.flush(zlib.Z_FULL_FLUSH)
    count = (total - len(head)) // len(part)
    last = zlib.compressobj(6, zlib.DEFLATED, -15)
    rest = fill * ((total - len(head) - count * len(part)) // len(fill))
    out += [block] * count + [last.compress(rest) + last.flush()]
    return b"".join(out)


def sums(head, total, fill):
    """CRC-32 and Adler-32 of the same bytes, unpacked; of more than 100 MB nobody gets as far as these."""
    if total > 100 << 20:
        return 0, 0
    part = fill * ((1 << 20) // len(fill))
    crc, adler, left = zlib.crc32(head), zlib.adler32(head), total - len(head)
    while left > 0:
        step = part[:left]
        crc, adler, left = zlib.crc32(step, crc), zlib.adler32(step, adler), left - len(step)
    return crc, adler


def gz(path, head, total, fill):
    crc, _ = sums(head, total, fill)
    with open(path, "wb") as out:
        out.write(b"\x1f\x8b\x08\0\0\0\0\0\0\3" + packed(head, total, fill, -15))
        out.write(struct.pack("<II", crc, total & 0xFFFFFFFF))


def npy(rows, columns):
    text = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }" % (rows, columns)
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(text)) + text.encode()


def npz(path, rows, columns):
    head = npy(rows, columns)
    total = len(head) + 8 * rows * columns
    body, name = packed(head, total, b"\0", -15), b"X.npy"
    crc, _ = sums(head, total, b"\0")
    fields = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0, crc, len(body), total, len(name), 0)
    with open(path, "wb") as out:
        out.write(b"PK\3\4" + fields + name + body)
        at = out.tell()
        out.write(b"PK\1\2" + struct.pack("<H", 20) + fields + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name)
        out.write(b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, out.tell() - at, at, 0))


def mat(path, rows, columns):
    array = struct.pack("<IIII", 6, 8, 6, 0) + struct.pack("<IIii", 5, 8, rows, columns)
    array += struct.pack("<HHI", 1, 1, ord("X")) + struct.pack("<II", 9, 8 * rows * columns)
    head = struct.pack("<II", 14, len(array) + 8 * rows * columns) + array
    total = len(head) + 8 * rows * columns
    _, adler = sums(head, total, b"\0")
    body = b"\x78\x9c" + packed(head, total, b"\0", -15) + struct.pack(">I", adler)
    with open(path, "wb") as out:
        out.write(b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM" + struct.pack("<II", 15, len(body)) + body)


def hdf(path, rows, columns, written):
    """A matrix whose chunks are packed, or were never written at all and so are zeros."""
    def said(thing, kind, version):
        thing.attrs["encoding-type"], thing.attrs["encoding-version"] = kind, version
        return thing

    with h5py.File(path, "w", userblock_size=512 if path.endswith(".mat") else 0) as out:
        if path.endswith(".h5ad"):
            said(out, "anndata", "0.1.0")
            for side, count in (("obs", rows), ("var", columns)):
                table = said(out.create_group(side), "dataframe", "0.2.0")
                table.attrs["_index"], table.attrs["column-order"] = "ids", numpy.array([], "f8")
                names = numpy.array(["s%d" % i for i in range(count)], "S8")
                said(table.create_dataset("ids", data=names, compression="gzip"), "string-array", "0.2.0")
        x = out.create_dataset("X", (rows, columns), "f8", chunks=(rows // 8, columns), compression="gzip")
        said(x, "array", "0.2.0").attrs["MATLAB_class"] = numpy.bytes_("double")
        for i in range(8 if written else 0):
            x[i * (rows // 8):(i + 1) * (rows // 8)] = 0
    if path.endswith(".mat"):
        with open(path, "r+b") as out:
            out.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\0\2IM")


def make(folder, rows):
    """One file for each way, of about `rows` kB unpacked."""
    os.chdir(folder)
    gz("table.csv.gz", b"a,b\n", rows << 10, b"1,2\n")
    head = b"%%%%MatrixMarket matrix array real general\n%d 128\n" % (4 * rows)
    gz("matrix.mtx.gz", head, len(head) + (rows << 10), b"7\n")
    gz("labels.txt.gz", b"1\n2\n", rows << 10, b"1\n")
    os.makedirs("tenx")
    with gzip.open("tenx/matrix.mtx.gz", "wb") as out:
        out.write(b"%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 1 4\n2 3 1\n")
    gz("tenx/barcodes.tsv.gz", b"a\n", rows << 10, b"b\n")
    npz("arrays.npz", rows, 128)
    mat("five.mat", rows, 128)
    if h5py:
        hdf("seven.mat", 128, rows, 1)
        hdf("packed.h5ad", 1024, rows >> 3, 1)
        hdf("empty.h5ad", 1024, rows >> 3, 0)
    for name, sides in (("rows", (rows << 7, 3)), ("columns", (3, rows << 7))):
        with open(name + ".mtx", "w") as out:
            out.write("%%%%MatrixMarket matrix coordinate real general\n%d %d 1\n1 1 4\n" % sides)
    if h5py:
        numpy.savez("places.npz", row=[0], col=[0], data=[1.0], format=b"coo", shape=[rows << 7, 3])


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]))
