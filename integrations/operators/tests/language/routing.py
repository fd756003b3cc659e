"""Mixtures of experts and the choice of tokens, beside plain torch."""

import math

import device
import direct
import torch

TYPES = {torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 2e-2}
npu = torch.ops.npu


def same(got, want, dtype=torch.float32):
    torch.testing.assert_close(got.cpu().float(), want.float(), rtol=TYPES[dtype], atol=TYPES[dtype])


def gate(x, k, bias=None, groups=1, chosen=1, mode=0, sigmoid=False, factor=1.0):
    """One row after the other, in lists."""
    weights = torch.sigmoid(x.float()) if sigmoid else torch.softmax(x.float(), -1)
    results, experts = [], []
    for row in weights:
        scores = (row if bias is None else row + bias.float()).tolist()
        size = len(scores) // groups
        members = [sorted(scores[i * size:(i + 1) * size], reverse=True) for i in range(groups)]
        best = sorted(range(groups), key=lambda i: members[i][0] + (members[i][1] if mode else 0), reverse=True)[:chosen]
        allowed = [i for i in range(len(scores)) if i // size in best]
        expert = sorted(allowed, key=lambda i: scores[i], reverse=True)[:k]
        result = row[expert]
        results.append((result / (result.sum() + 1e-20) if sigmoid else result) * factor)
        experts.append(expert)
    return torch.stack(results), experts, weights


def experts_are_chosen_in_groups():
    for dtype in TYPES:
        x, bias = torch.randn(6, 16).to(dtype), torch.randn(16).to(dtype)
        for sigmoid in (False, True):
            for mode in (0, 1):
                options = {"bias": bias.npu(), "k_group": 2, "group_count": 4, "group_select_mode": mode,
                           "norm_type": int(sigmoid), "routed_scaling_factor": 1.5, "out_flag": True}
                y, expert, norm = npu.npu_moe_gating_top_k(x.npu(), 3, **options)
                want, experts, weights = gate(x, 3, bias, 4, 2, mode, sigmoid, 1.5)
                assert expert.cpu().tolist() == experts, (expert, experts)
                same(y, want, dtype), same(norm, weights)
        y, expert, _ = npu.npu_moe_gating_top_k(x.npu(), 4)
        want, experts, _ = gate(x, 4)
        assert expert.cpu().tolist() == experts
        same(y, want, dtype)
    x = torch.randn(2, 16).npu()
    device.expect_error("k is 9; allowed: 1 to 8", lambda: npu.npu_moe_gating_top_k(x, 9, k_group=2, group_count=4))
    device.expect_error("groupCount is 5", lambda: npu.npu_moe_gating_top_k(x, 2, group_count=5))
    device.expect_error("renorm is 1", lambda: npu.npu_moe_gating_top_k(x, 2, renorm=1))


def experts_have_copies():
    """By the rank or the number of the token, one token after the other."""
    experts, ranks = torch.randint(6, (5, 3), dtype=torch.int32), 4
    counts = torch.randint(1, 4, (6, 1))
    table = torch.cat([counts, torch.randint(6, (6, 3))], 1).int()
    for rank in range(ranks):
        got, _ = npu.npu_moe_update_expert(experts.npu(), table.npu(), local_rank_id=rank, world_size=ranks)
        want = [[int(table[e, rank // math.ceil(ranks / int(table[e, 0])) + 1]) for e in row] for row in experts.tolist()]
        assert got.cpu().tolist() == want, (got, want)
    scales, threshold = torch.sort(torch.rand(5, 3), descending=True).values, torch.rand(1, 3) / 2
    active = torch.tensor([True, True, True, False, False])
    got, stays = npu.npu_moe_update_expert(experts.npu(), table.npu(), expert_scales=scales.npu(),
                                           pruning_threshold=threshold.npu(), active_mask=active.npu(), balance_mode=1)
    assert got.cpu().tolist() == [[int(table[e, i % int(table[e, 0]) + 1]) for e in row]
                                  for i, row in enumerate(experts.tolist())]
    assert torch.equal(stays.cpu(), (scales >= threshold * scales.sum(1, keepdim=True)) & active[:, None])
    device.expect_error("localRankId is -1", lambda: npu.npu_moe_update_expert(experts.npu(), table.npu()))


def tokens_go_to_experts_and_back():
    """Both directions: with experts that multiply by their number plus 1."""
    tokens, size, k, count = 5, 4, 2, 3
    for dtype in TYPES:
        x, scales = torch.rand(tokens, size).to(dtype), torch.rand(tokens, k).to(dtype)
        expert = torch.stack([torch.randperm(count)[:k] for _ in range(tokens)]).int()
        row = torch.arange(tokens * k, dtype=torch.int32).reshape(k, tokens).t().contiguous()
        expanded, places, experts = npu.npu_moe_init_routing(x.npu(), row.npu(), expert.npu(), tokens)
        order = torch.sort(expert.flatten(), stable=True)
        assert experts.cpu().tolist() == order.values.tolist()
        same(expanded, x[row.flatten()[order.indices] % tokens], dtype)
        assert places.cpu()[row.flatten()[order.indices].long()].tolist() == list(range(tokens * k))
        results = expanded * (experts + 1).unsqueeze(1).to(dtype)
        skip, bias = torch.rand(tokens, size).to(dtype), torch.rand(count, size).to(dtype)
        got = npu.npu_moe_finalize_routing(results, skip.npu(), None, bias.npu(), scales.npu(), places, expert.npu())
        old = torch.empty_like(got)
        direct.call("aclnnMoeFinalizeRouting", results, skip.npu(), None, bias.npu(), scales.npu(), places, expert.npu(), old)
        assert torch.equal(old, got)
        want = skip.float()
        for i in range(k):
            one = x.float() * (expert[:, i, None] + 1) + bias.float()[expert[:, i].long()]
            want = want + one * scales.float()[:, i, None]
        same(got, want, torch.bfloat16 if dtype == torch.bfloat16 else dtype)
        both = npu.npu_moe_finalize_routing(results, skip.npu(), skip.npu(), None, scales.npu(), places, None)
        plain = npu.npu_moe_finalize_routing(results, None, None, None, scales.npu(), places, None)
        same(both - plain, 2 * skip.float(), torch.bfloat16)
    few = npu.npu_moe_init_routing(x.npu(), row.npu(), expert.npu(), 2)[0]
    assert torch.equal(few, expanded[:2 * k])
    device.expect_error("dropPadMode is 1", lambda: npu.npu_moe_finalize_routing(
        results, None, None, None, scales.npu(), places, None, 1))


def tokens_are_permuted_and_back():
    """One token after the other, and gradients by torch's autograd."""
    for dtype in TYPES:
        tokens, weights = torch.rand(5, 4).to(dtype), torch.rand(5, 2).to(dtype)
        experts = torch.tensor([[2, 0], [1, 2], [2, 1], [0, 1], [2, 0]])
        pairs = sorted(((int(experts[t, k]), t * 2 + k) for t in range(5) for k in range(2)))
        for count, kept in ((None, 10), (10, 10), (7, 7), (-3, 7)):
            moved = tokens.npu().requires_grad_()
            permuted, places = npu.npu_moe_token_permute(moved, experts.npu(), count)
            want = torch.stack([tokens[pair // 2] for _, pair in pairs[:kept]])
            assert torch.equal(permuted.cpu(), want)
            assert [int(places[pair]) for _, pair in pairs] == list(range(10))
            grad = torch.rand(kept, 4).to(dtype)
            permuted.backward(grad.npu())
            sums = torch.zeros(5, 4)
            for i, (_, pair) in enumerate(pairs[:kept]):
                sums[pair // 2] += grad[i].float()
            same(moved.grad, sums, dtype)
            rows, factors = permuted.detach().requires_grad_(), weights.npu().requires_grad_()
            back = npu.npu_moe_token_unpermute(rows, places, factors)
            wide, wide_factors = (each.float().clone().requires_grad_() for each in (want, weights))
            sums = torch.zeros(5, 4)
            for i, (_, pair) in enumerate(pairs[:kept]):
                part = wide[i] * wide_factors[pair // 2, pair % 2]
                sums = sums + torch.nn.functional.one_hot(torch.tensor(pair // 2), 5).unsqueeze(1) * part
            same(back.detach(), sums.detach(), dtype)
            slope = torch.rand(5, 4).to(dtype)
            back.backward(slope.npu()), sums.backward(slope.float())
            same(rows.grad, wide.grad, dtype), same(factors.grad, wide_factors.grad, dtype)
    # An expert for each token, and no weights.
    permuted, places = npu.npu_moe_token_permute(tokens.npu(), experts[:, :1].contiguous().npu())
    assert torch.equal(npu.npu_moe_token_unpermute(permuted, places).cpu(), tokens)
    device.expect_error("tokens and indices have the shapes", lambda: npu.npu_moe_token_permute(
        tokens.npu(), experts[:4].npu()))
    device.expect_error("a number of elements that is a multiple of 3", lambda: npu.npu_moe_token_unpermute(
        permuted, places, weights[:, :1].expand(5, 3).contiguous().npu()))


def keep_top(logits, p, k):
    """One row after the other, in lists."""
    kept = torch.full(logits.shape, -math.inf)
    for i, row in enumerate(logits.float().tolist()):
        order = sorted(range(len(row)), key=lambda j: row[j])
        if k is not None:
            threshold = sorted(row)[len(row) - int(k[i])]
            order = [j for j in order if row[j] >= threshold]
        if p is not None:
            most = max(row)
            powers = [math.exp(row[j] - most) for j in order]
            below = 0.0
            left = []
            for j, power in zip(order, powers):
                below += power / sum(powers)
                if below > 1 - float(p[i]) or j == order[-1]:
                    left.append(j)
            order = left
        for j in order:
            kept[i, j] = row[j]
    return kept


def samplers_choose_among_the_highest():
    for dtype in TYPES:
        logits = torch.randn(4, 40).to(dtype)
        p, k = torch.tensor([0.9, 0.5, 0.01, 1.0]).to(dtype), torch.tensor([5, 10, 1, 40], dtype=torch.int32)
        for top_p, top_k in ((p, k), (None, k), (p, None)):
            got = npu.npu_top_k_top_p(logits.npu(), None if top_p is None else top_p.npu(),
                                      None if top_k is None else top_k.npu()).cpu()
            want = keep_top(logits, top_p, top_k).to(dtype)
            assert torch.equal(got, want), (got, want)
    device.expect_error("p and k are null", lambda: npu.npu_top_k_top_p(logits.npu(), None, None))


if __name__ == "__main__":
    torch.manual_seed(7)
    device.main([experts_have_copies, experts_are_chosen_in_groups, tokens_go_to_experts_and_back, tokens_are_permuted_and_back,
                 samplers_choose_among_the_highest])
