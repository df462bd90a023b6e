"""Uses pyopencl's buffers, arrays, and generated kernels."""
import numpy
import pyopencl
import pyopencl.array
import pyopencl.clrandom
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import InclusiveScanKernel

context = pyopencl.create_some_context(interactive=False)
queue = pyopencl.CommandQueue(context, properties=pyopencl.command_queue_properties.PROFILING_ENABLE)
random = numpy.random.default_rng(1)
a = random.random(50000, dtype=numpy.float32)
b = random.random(50000, dtype=numpy.float32)


def buffers():
    flags = pyopencl.mem_flags
    inputs = [pyopencl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=x) for x in (a, b)]
    output = pyopencl.Buffer(context, flags.WRITE_ONLY, a.nbytes)
    program = pyopencl.Program(context, """
        kernel void plus(global const float *a, global const float *b, global float *sum) {
          int i = get_global_id(0);
          sum[i] = a[i] + b[i];
        }""").build()
    event = program.plus(queue, a.shape, None, *inputs, output)
    event.wait()
    assert event.profile.queued <= event.profile.submit <= event.profile.start < event.profile.end
    got = numpy.empty_like(a)
    pyopencl.enqueue_copy(queue, got, output)
    assert (got == a + b).all()


def arrays():
    x = pyopencl.array.arange(queue, 4000, dtype=numpy.float32)
    assert ((2 * x + 3).get() == 2 * numpy.arange(4000, dtype=numpy.float32) + 3).all()
    assert pyopencl.array.max(pyopencl.array.to_device(queue, a)).get() == a.max()


def elementwise():
    combine = ElementwiseKernel(context, "float k, float *x, float m, float *y, float *z", "z[i] = k * x[i] + m * y[i]")
    x, y = (pyopencl.array.to_device(queue, v) for v in (a, b))
    z = pyopencl.array.empty_like(x)
    combine(2, x, 3, y, z)
    assert numpy.allclose(z.get(), 2 * a + 3 * b)


def reduction():
    dot = ReductionKernel(context, numpy.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*y[i]",
                          arguments="__global float *x, __global float *y")
    got = dot(pyopencl.array.to_device(queue, a), pyopencl.array.to_device(queue, b)).get()
    assert abs(got - numpy.dot(a.astype(float), b)) < 1e-5 * got


def scan():
    sums = InclusiveScanKernel(context, numpy.int32, "a+b", neutral="0")
    values = random.integers(0, 10, 10000).astype(numpy.int32)
    x = pyopencl.array.to_device(queue, values)
    sums(x)
    assert (x.get() == numpy.cumsum(values)).all()


def philox():
    values = pyopencl.clrandom.PhiloxGenerator(context).uniform(queue, (1000,), numpy.float32).get()
    assert 0 <= values.min() < 0.01 and 0.99 < values.max() <= 1


for part in (buffers, arrays, elementwise, reduction, scan, philox):
    part()
    print(part.__name__, "right", flush=True)
