"""What programs use of torch beside operators: data loaders, files, streams, events, memory statistics, devices."""

import io
import threading

import device
import models
import torch
from torch.utils.data import DataLoader, TensorDataset


def a_loader_with_workers_and_pinned_memory():
    data = TensorDataset(torch.arange(64.0).reshape(32, 2), torch.arange(32))
    loader = DataLoader(data, batch_size=8, num_workers=2, pin_memory=True, multiprocessing_context="spawn")
    total = torch.zeros(2).npu()
    for values, _ in loader:
        assert values.is_pinned()
        total += values.npu(non_blocking=True).sum(0)
    assert total.cpu().tolist() == torch.arange(64.0).reshape(32, 2).sum(0).tolist()


def a_model_is_saved_and_loaded():
    model = models.Mlp().npu()
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    file.seek(0)
    loaded = models.Mlp().npu()
    loaded.load_state_dict(torch.load(file, map_location="npu", weights_only=False))
    x = torch.randn(4, 20).npu()
    assert torch.equal(model(x).cpu(), loaded(x).cpu())


def a_side_stream_waits_for_an_event():
    side, event = torch.npu.Stream(), torch.npu.Event(enable_timing=True)
    x = torch.ones(1000, 1000).npu()
    y = x @ x
    event.record()
    with torch.npu.stream(side):
        side.wait_event(event)
        z = y + 1
        y.record_stream(side)
    side.synchronize()
    end = torch.npu.Event(enable_timing=True)
    end.record()
    end.synchronize()
    assert z.cpu().unique().tolist() == [1001.0]
    assert event.elapsed_time(end) > 0


def copies_on_two_streams_keep_their_order():
    """Pinned asynchronous copies, with memory that is freed before they ran: out of order, results differ."""
    streams = [torch.npu.Stream() for _ in range(2)]
    wanted, got = [], []
    for step in range(60):
        host = torch.full((4096,), float(step)).pin_memory()
        with torch.npu.stream(streams[step % 2]):
            x = host.npu(non_blocking=True)
            y = x * 2 + step
            back = torch.empty(4096, pin_memory=True)
            back.copy_(y.sqrt(), non_blocking=True)
            del x, y
        wanted.append((torch.full((4096,), float(step)) * 2 + step).sqrt())
        got.append((back, host))
    torch.npu.synchronize()
    for want, (back, _) in zip(wanted, got):
        assert torch.equal(want, back)


def memory_of_a_recorded_stream_is_not_used_again_early():
    """Without record_stream, the memory of x would be that of the next tensor before the side stream has read it."""
    side, slow = torch.npu.Stream(), torch.randn(500, 500).npu()
    for step in range(10):
        x = torch.full((4096,), float(step), device="npu")
        side.wait_stream(torch.npu.current_stream())
        with torch.npu.stream(side):
            slow @ slow
            y = x + 1
        x.record_stream(side)
        del x
        torch.full((4096,), -1.0, device="npu")
        torch.npu.synchronize()
        assert y.cpu().unique().tolist() == [step + 1.0], step


def statistics_count_memory():
    torch.npu.empty_cache()
    before = torch.npu.memory_allocated()
    x = torch.empty(1 << 20, dtype=torch.uint8, device="npu")
    # Blocks are a little larger.
    assert 1 << 20 <= torch.npu.memory_allocated() - before < 1.01 * (1 << 20)
    assert torch.npu.max_memory_allocated() >= before + (1 << 20)
    del x
    assert torch.npu.memory_allocated() == before


def two_devices_compute():
    x = torch.arange(6.0, device="npu:1")
    assert (x * 2).device == torch.device("npu:1")
    assert (x.to("npu:0") + 1).cpu().tolist() == (x + 1).cpu().tolist() == [1, 2, 3, 4, 5, 6]


def threads_compute_with_gradients_and_autocast():
    """Threads that wait for a stream run its kernels, with their own state of torch."""
    results = []

    def work():
        with torch.autocast("npu", dtype=torch.bfloat16):
            x = torch.ones(64, 64, device="npu", requires_grad=True)
            (x @ x).float().sum().backward()
            results.append(x.grad.cpu().unique().tolist())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[128.0]] * 4, results


def shapes_that_only_the_device_knows():
    x = torch.tensor([1.0, -2.0, 3.0, 0.0]).npu()
    assert torch.masked_select(x, x > 0).cpu().tolist() == [1, 3]
    assert torch.nonzero(x).cpu().tolist() == [[0], [1], [2]]
    assert "npu:0" in repr(x)


def a_scaler_of_gradients_scales():
    """As on the CPU: the scale grows after steps without infinities, and shrinks after one with them."""
    def scales(where):
        weight = torch.ones(4, device=where, requires_grad=True)
        optimizer = torch.optim.SGD([weight], lr=0.1)
        scaler = torch.amp.GradScaler(where, init_scale=8.0, growth_interval=2)
        found = []
        for step in range(6):
            optimizer.zero_grad()
            loss = (weight * (float("inf") if step == 3 else 2.0)).sum()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            found.append(scaler.get_scale())
        return found, weight.detach().cpu().tolist()

    assert scales("npu") == scales("cpu"), (scales("npu"), scales("cpu"))


def rows_are_filled_by_index():
    x, index = torch.arange(12.0).reshape(3, 4), torch.tensor([0, -1])
    want = x.index_fill(0, index, 7.0)
    assert torch.equal(x.npu().index_fill(0, index.npu(), 7.0).cpu(), want)
    assert torch.equal(x.npu().index_fill_(0, index.npu(), 7.0).cpu(), want)


def lists_of_many_tensors():
    parts = [torch.full((3,), float(i)) for i in range(700)]
    on_device = [part.npu() for part in parts]
    assert torch.equal(torch.stack(on_device).cpu(), torch.stack(parts))
    assert torch.equal(torch.cat(on_device).cpu(), torch.cat(parts))
    for where in (parts, on_device):
        for part in where:
            part.grad = part * 2
    want, got = (torch.nn.utils.clip_grad_norm_(where, 1.0) for where in (parts, on_device))
    assert torch.allclose(got.cpu(), want)
    assert torch.allclose(on_device[-1].grad.cpu(), parts[-1].grad)


def dropout_drops_in_training():
    dropout = torch.nn.Dropout(0.25)
    x = torch.ones(64, 64).npu().requires_grad_()
    y = dropout(x)
    y.sum().backward()
    values = set(y.detach().cpu().unique().tolist())
    assert len(values) == 2 and 0.0 in values and abs(max(values) - 1 / 0.75) < 1e-6, values
    assert torch.equal(x.grad.cpu() != 0, y.detach().cpu() != 0)
    assert torch.equal(dropout.eval()(x).detach().cpu(), torch.ones(64, 64))


def lists_are_computed_one_by_one():
    values = [torch.tensor([-1.0, 2.0]), torch.tensor([3.0])]
    for function in (torch._foreach_abs, torch._foreach_exp, torch._foreach_neg):
        want, got = function(values), function([value.npu() for value in values])
        assert all(torch.allclose(a.cpu(), b) for a, b in zip(got, want)), function


def an_expanded_tensor_is_filled_by_a_mask():
    x = torch.ones(3).npu().expand(4, 3)
    x.masked_fill_(torch.tensor([True, False, True]).npu(), 0)
    assert x.cpu().tolist() == [[0, 1, 0]] * 4


if __name__ == "__main__":
    device.main([
        a_loader_with_workers_and_pinned_memory,
        a_model_is_saved_and_loaded,
        a_side_stream_waits_for_an_event,
        copies_on_two_streams_keep_their_order,
        memory_of_a_recorded_stream_is_not_used_again_early,
        statistics_count_memory,
        two_devices_compute,
        threads_compute_with_gradients_and_autocast,
        shapes_that_only_the_device_knows,
        a_scaler_of_gradients_scales,
        rows_are_filled_by_index,
        lists_of_many_tensors,
        dropout_drops_in_training,
        lists_are_computed_one_by_one,
        an_expanded_tensor_is_filled_by_a_mask,
    ])
