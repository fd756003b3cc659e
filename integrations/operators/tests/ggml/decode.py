"""A small model with random weights decodes the same tokens on portacl as on ggml's CPU backend.

usage: decode.py PROGRAM TYPE plain|flash
"""

import subprocess
import sys
import tempfile

import gguf
import numpy

TOKENS = 48
# The backends round activations differently. With these weights no two logits are so close that this decides.
SEED = 8
VOCABULARY, WIDTH, INNER, LAYERS, HEADS, KEY_HEADS = 96, 128, 256, 2, 4, 2


def write_model(path, name):
    """A model of the architecture of Llama, without a tokenizer."""
    numbers = numpy.random.default_rng(SEED)
    kind = {"f32": gguf.GGMLQuantizationType.F32, "f16": gguf.GGMLQuantizationType.F16,
            "q8_0": gguf.GGMLQuantizationType.Q8_0, "q4_0": gguf.GGMLQuantizationType.Q4_0}[name]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(256)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(VOCABULARY)
    writer.add_tokenizer_model("no_vocab")

    def matrix(tensor, rows, columns):
        values = (numbers.standard_normal((rows, columns)) / columns ** 0.5).astype(numpy.float32)
        writer.add_tensor(tensor, gguf.quants.quantize(values, kind), raw_dtype=kind)

    def norm(tensor):
        writer.add_tensor(tensor, (1 + 0.1 * numbers.standard_normal(WIDTH)).astype(numpy.float32))

    matrix("token_embd.weight", VOCABULARY, WIDTH)
    for layer in range(LAYERS):
        norm(f"blk.{layer}.attn_norm.weight")
        matrix(f"blk.{layer}.attn_q.weight", WIDTH, WIDTH)
        matrix(f"blk.{layer}.attn_k.weight", WIDTH // HEADS * KEY_HEADS, WIDTH)
        matrix(f"blk.{layer}.attn_v.weight", WIDTH // HEADS * KEY_HEADS, WIDTH)
        matrix(f"blk.{layer}.attn_output.weight", WIDTH, WIDTH)
        norm(f"blk.{layer}.ffn_norm.weight")
        matrix(f"blk.{layer}.ffn_gate.weight", INNER, WIDTH)
        matrix(f"blk.{layer}.ffn_up.weight", INNER, WIDTH)
        matrix(f"blk.{layer}.ffn_down.weight", WIDTH, INNER)
    norm("output_norm.weight")
    matrix("output.weight", VOCABULARY, WIDTH)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    program, name, attention = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        model = f"{folder}/model.gguf"
        write_model(model, name)
        tokens = {}
        for device in ("cpu", "CANN0"):
            ran = subprocess.run([program, model, device, str(int(attention == "flash")), str(TOKENS)], text=True,
                                 stdout=subprocess.PIPE, check=False)
            if ran.returncode != 0:
                sys.exit(f"{device}: exit status {ran.returncode}")
            tokens[device] = ran.stdout.split()
    for device, found in tokens.items():
        print(f"{device}: {' '.join(found)}")
    assert len(tokens["cpu"]) == TOKENS and len(set(tokens["cpu"])) > 4, "the model says nothing"
    assert tokens["cpu"] == tokens["CANN0"], "the tokens differ"


main()
