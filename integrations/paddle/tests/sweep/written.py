"""Arguments for functions where trying finds none: how their arguments depend on each other is no matter of names."""

import numpy
from inputs import Tensor, array, indices


def _numbers(*shape):
    return Tensor(array(list(shape), "float32", shape))


def _integers(*values, dtype="int64"):
    return Tensor(numpy.array(values, dtype))


def _image(channels=2):
    return _numbers(1, channels, 8, 8)


_BOXES = Tensor(numpy.array([[0, 0, 4, 4], [1, 1, 6, 6], [0, 2, 5, 7]], "float32"))
_COUNT = _integers(3, dtype="int32")
_SQUARE = Tensor((array([3, 3], "float32", 1) + 2 * numpy.eye(3)).astype("float32"))
_COMPLEX = Tensor(array([2, 6], "complex64", 2))

ARGUMENTS = {
    "paddle.arange": [0, 9, 2],
    "paddle.as_complex": [_numbers(3, 2)],
    "paddle.atleast_1d": [_numbers(3)],
    "paddle.atleast_2d": [_numbers(3)],
    "paddle.atleast_3d": [_numbers(3)],
    "paddle.baddbmm": [_numbers(2, 3, 5), _numbers(2, 3, 4), _numbers(2, 4, 5)],
    "paddle.bartlett_window": [8],
    "paddle.binomial": [_integers(9, 8), Tensor(numpy.array([0.4, 0.6], "float32"))],
    "paddle.blackman_window": [8],
    "paddle.broadcast_tensors": [[_numbers(2, 1), _numbers(1, 3)]],
    "paddle.cartesian_prod": [[_numbers(2), _numbers(3)]],
    "paddle.einsum": ["ij,jk->ik", _numbers(2, 3), _numbers(3, 4)],
    "paddle.hamming_window": [8],
    "paddle.hann_window": [8],
    "paddle.kaiser_window": [8],
    "paddle.increment": [_numbers(1)],
    "paddle.index_put": [_numbers(3, 4), [_integers(0, 2), _integers(1, 3)], _numbers(2)],
    "paddle.log_normal": [0.5, 0.2, [8]],
    "paddle.meshgrid": [[_numbers(2), _numbers(3)]],
    "paddle.multiplex": [[_numbers(2, 3), _numbers(2, 3)], Tensor(numpy.array([[1], [0]], "int32"))],
    "paddle.normal": [0.5, 0.2, [8]],
    "paddle.randint": [0, 9, [8]],
    "paddle.randint_like": [_numbers(8), 0, 9],
    "paddle.scatter_reduce": [_numbers(3, 2), 0, Tensor(numpy.array([[0, 1], [2, 0]])), _numbers(2, 2), "sum"],
    "paddle.select_scatter": [_numbers(2, 3), _numbers(3), 0, 1],
    "paddle.shard_index": [Tensor(numpy.array([[1], [6], [12]])), 20, 2, 0],
    "paddle.stack": [[_numbers(2, 3), _numbers(2, 3)]],
    "paddle.unfold": [_numbers(9), 0, 3, 2],
    "paddle.view": [_numbers(2, 3), [3, 2]],
    "paddle.nn.functional.affine_grid": [_numbers(1, 2, 3), [1, 2, 4, 4]],
    "paddle.nn.functional.bilinear": [_numbers(5, 2), _numbers(5, 3), _numbers(4, 2, 3)],
    "paddle.nn.functional.conv1d_transpose": [_numbers(1, 2, 6), _numbers(2, 3, 3)],
    "paddle.nn.functional.conv2d_transpose": [_image(), _numbers(2, 3, 3, 3)],
    "paddle.nn.functional.conv3d_transpose": [_numbers(1, 2, 4, 4, 4), _numbers(2, 3, 3, 3, 3)],
    "paddle.nn.functional.ctc_loss": [_numbers(6, 2, 4), indices([2, 2], 4, dtype="int32"), _integers(6, 5),
                                      _integers(2, 2)],
    "paddle.nn.functional.embedding": [_integers(1, 3, 3), _numbers(5, 4)],
    "paddle.nn.functional.fold": [_numbers(1, 8, 9), [4, 4], 2],
    "paddle.nn.functional.gather_tree": [indices([3, 2, 2], 4), indices([3, 2, 2], 2)],
    "paddle.nn.functional.grid_sample": [_image(), _numbers(1, 4, 4, 2)],
    "paddle.nn.functional.hsigmoid_loss": [_numbers(3, 4), indices([3], 4), 4, _numbers(3, 4)],
    "paddle.nn.functional.interpolate": [_image(), [12, 12]],
    "paddle.nn.functional.upsample": [_image(), [12, 12], None, "bilinear"],
    "paddle.nn.functional.log_loss": [_numbers(4, 1), _numbers(4, 1)],
    "paddle.nn.functional.lp_pool1d": [_numbers(1, 2, 8), 2.0, 2],
    "paddle.nn.functional.lp_pool2d": [_image(), 2.0, 2],
    "paddle.nn.functional.rnnt_loss": [_numbers(1, 4, 3, 5), Tensor(numpy.array([[1, 2]], "int32")),
                                       _integers(4, dtype="int32"), _integers(2, dtype="int32")],
    "paddle.nn.functional.scaled_dot_product_attention": [_numbers(1, 4, 2, 8)] * 3,
    "paddle.linalg.multi_dot": [[_numbers(2, 3), _numbers(3, 4), _numbers(4, 2)]],
    "paddle.linalg.lu_unpack": [_SQUARE, _integers(1, 2, 3, dtype="int32")],
    "paddle.fft.fft_c2c": [_COMPLEX, None, 1, "backward", True, None],
    "paddle.fft.fft_r2c": [_numbers(2, 6), None, 1, "backward", True, True, None],
    "paddle.fft.fft_c2r": [_COMPLEX, None, 1, "backward", True, None],
    "paddle.geometric.reindex_graph": [_integers(0, 5, 1), _integers(8, 9, 0, 4, 7, 6, 7),
                                       _integers(2, 3, 2, dtype="int32")],
    "paddle.vision.ops.box_coder": [_BOXES, [0.1, 0.1, 0.2, 0.2], _BOXES],
    "paddle.vision.ops.deform_conv2d": [_image(), _numbers(1, 18, 6, 6), _numbers(3, 2, 3, 3)],
    "paddle.vision.ops.distribute_fpn_proposals": [_BOXES, 2, 5, 4, 224, False, _COUNT],
    "paddle.vision.ops.nms": [_BOXES, 0.3],
    "paddle.vision.ops.matrix_nms": [Tensor(_BOXES.array[None]), _numbers(1, 2, 3), 0.1, 0.05, 10, 10],
    "paddle.vision.ops.prior_box": [_image(), _numbers(1, 3, 16, 16), [4.0]],
    "paddle.vision.ops.psroi_pool": [_image(8), _BOXES, _COUNT, 2],
    "paddle.vision.ops.roi_align": [_image(), _BOXES, _COUNT, 2],
    "paddle.vision.ops.roi_pool": [_image(), _BOXES, _COUNT, 2],
    "paddle.vision.ops.yolo_box": [_numbers(1, 14, 4, 4), Tensor(numpy.array([[32, 32]], "int32")),
                                   [10, 13, 16, 30], 2, 0.01, 8],
    "paddle.vision.ops.yolo_loss": [_numbers(1, 14, 4, 4), _numbers(1, 2, 4), indices([1, 2], 2, dtype="int32"),
                                    [10, 13, 16, 30], [0, 1], 2, 0.7, 8],
    "paddle.text.viterbi_decode": [_numbers(2, 4, 3), _numbers(3, 3), _integers(4, 3)],
    "paddle.Tensor.index_fill_": [_numbers(3, 4), _integers(0, 2), 0, 0.5],
    "paddle.Tensor.index_put_": [_numbers(3, 4), [_integers(0, 2), _integers(1, 3)], _numbers(2)],
    "paddle.Tensor.pow_": [_numbers(3), 2.0],
    "paddle.Tensor.scatter_": [_numbers(3, 2), _integers(1, 0), _numbers(2, 2)],
    "paddle.Tensor.transpose_": [_numbers(2, 3), [1, 0]],
    "paddle.Tensor.baddbmm_": [_numbers(2, 3, 5), _numbers(2, 3, 4), _numbers(2, 4, 5)],
}
