"""A real model file of some hundred kilobytes, for llama.cpp to load in a test."""

from pathlib import Path

import gguf
import numpy as np

EMBEDDING, LAYERS, HEADS, FEED_FORWARD, WINDOW = 32, 1, 2, 64, 8192
SPECIAL = [("<unk>", gguf.TokenType.UNKNOWN), ("<s>", gguf.TokenType.CONTROL)]
SPECIAL += [("</s>", gguf.TokenType.CONTROL)]


def write_tiny_model(path: Path) -> Path:
    """Write a Llama with random weights and one token a byte; it speaks nonsense."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(WINDOW)
    writer.add_embedding_length(EMBEDDING)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(EMBEDDING // HEADS)
    tokens = [*SPECIAL, *((f"<0x{byte:02X}>", gguf.TokenType.BYTE) for byte in range(256))]
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list([text for text, _ in tokens])
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types([int(kind) for _, kind in tokens])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(
        "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
    )
    _add_tensors(writer, len(tokens))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_tensors(writer: gguf.GGUFWriter, vocabulary: int) -> None:
    random = np.random.default_rng(1)

    def weights(name: str, *shape: int) -> None:
        writer.add_tensor(name, random.normal(0, 0.1, shape).astype(np.float32))

    def ones(name: str) -> None:
        writer.add_tensor(name, np.ones(EMBEDDING, dtype=np.float32))

    weights("token_embd.weight", vocabulary, EMBEDDING)
    weights("output.weight", vocabulary, EMBEDDING)
    ones("output_norm.weight")
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        ones(f"{block}.attn_norm.weight")
        ones(f"{block}.ffn_norm.weight")
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            weights(f"{block}.{part}.weight", EMBEDDING, EMBEDDING)
        weights(f"{block}.ffn_gate.weight", FEED_FORWARD, EMBEDDING)
        weights(f"{block}.ffn_up.weight", FEED_FORWARD, EMBEDDING)
        weights(f"{block}.ffn_down.weight", EMBEDDING, FEED_FORWARD)
