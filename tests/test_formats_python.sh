#!/bin/sh
# What other programs make of our files: NumPy reads the arrays, Python's zlib the images and its json module the
# safetensors headers. The files are the samples of the C tests.
set -u
cases="npy png safetensors"
skip_all() {
    for case in $cases; do echo "skip python reads $case: $1"; done
    exit 0
}
for program in test_npy test_png test_safetensors; do
    [ -x "${BUILD:-}/tests/$program" ] || skip_all "$program is not built"
done
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import numpy, zlib' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || skip_all "no python3 with numpy"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
"$BUILD/tests/test_npy" write "$work" && "$BUILD/tests/test_png" write "$work" &&
    "$BUILD/tests/test_safetensors" write "$work/sample.safetensors" || {
    echo "fail python reads npy: the samples cannot be written"
    exit 1
}

cat >"$work/check.py" <<'END'
import json, os, struct, sys, zlib
import numpy

work = sys.argv[1]
MOMENTS = numpy.array([0.1, -1e300, 3], "<f8")
WEIGHT = numpy.array([[1, 2, 3], [-0.5, 1e-40, 6]], "<f4")
METADATA = {"format": "pt", "vocabulary": "[10,32,60]", 'odd "key"': "<\u00e9\n\U0001F600>", "empty": ""}

def read(name):
    with open(os.path.join(work, name), "rb") as file:
        return file.read()

def check_npy():
    shapes = [(3,), (2, 3), (2, 3, 4), (1, 2, 3, 4), (0,), (5, 0, 7)]
    for number, shape in enumerate(shapes):
        name = "%d.npy" % number
        array = numpy.load(os.path.join(work, name), allow_pickle=False)
        expected = (numpy.arange(numpy.prod(shape)) * 0.25 - 1).astype("<f4").reshape(shape)
        assert array.dtype == numpy.dtype("<f4") and array.shape == shape, (array.dtype, array.shape)
        assert array.flags.c_contiguous and numpy.array_equal(array, expected), name
        assert (len(read(name)) - array.nbytes) % 64 == 0, name

def check_png():
    for kind, samples in ((0, 1), (2, 3), (3, 1)):
        data, at, chunks = read("%d.png" % kind), 8, []
        while at < len(data):
            length, = struct.unpack(">I", data[at:at + 4])
            body, (crc,) = data[at + 4:at + 8 + length], struct.unpack(">I", data[at + 8 + length:at + 12 + length])
            assert zlib.crc32(body) == crc, body[:4]
            chunks.append((body[:4], body[4:]))
            at += 12 + length
        assert chunks[0] == (b"IHDR", struct.pack(">IIBBBBB", 300, 250, 8, kind, 0, 0, 0)) and chunks[-1][0] == b"IEND"
        rows = zlib.decompress(b"".join(body for name, body in chunks if name == b"IDAT"))
        rows = numpy.frombuffer(rows, "u1").reshape(250, 1 + 300 * samples)
        expected = numpy.arange(250 * 300 * samples) * 31 % (3 if kind == 3 else 256)
        assert not rows[:, 0].any() and numpy.array_equal(rows[:, 1:].ravel(), expected), kind
        assert (b"tEXt", b"Title\0attention") in chunks, kind

def check_safetensors():
    data = read("sample.safetensors")
    length, = struct.unpack("<Q", data[:8])
    header, data = json.loads(data[8:8 + length].decode("utf-8")), data[8 + length:]
    assert header.pop("__metadata__") == METADATA
    assert sorted(header) == ["head.weight", "moments", "nothing", "scalar"]
    for name, expected in (("moments", MOMENTS), ("head.weight", WEIGHT)):
        begin, end = header[name]["data_offsets"]
        array = numpy.frombuffer(data[begin:end], expected.dtype).reshape(header[name]["shape"])
        assert numpy.array_equal(array, expected), name

{"npy": check_npy, "png": check_png, "safetensors": check_safetensors}[sys.argv[2]]()
END

status=0
for case in $cases; do
    if "$python" "$work/check.py" "$work" "$case" >"$work/errors" 2>&1; then
        echo "pass python reads $case"
    else
        echo "fail python reads $case: $(tail -n 1 "$work/errors")"
        status=1
    fi
done
exit $status
