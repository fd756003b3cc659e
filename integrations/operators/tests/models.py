"""Small models with their data, and their training on a device."""

import torch
from torch import nn
from torch.nn import functional


class Mlp(nn.Module):
    """Linear layers."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10))

    def forward(self, x):
        return self.layers(x)

    @staticmethod
    def sample(count, random):
        return torch.randn(count, 20, generator=random)


class Cnn(nn.Module):
    """Convolutions, a normalization and both kinds of pooling."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.second = nn.Conv2d(8, 16, 3)
        self.last = nn.Linear(16 * 3 * 3, 10)

    def forward(self, x):
        x = functional.max_pool2d(functional.relu(self.norm(self.first(x))), 2)
        x = functional.avg_pool2d(functional.gelu(self.second(x)), 2)
        return self.last(x.flatten(1))

    @staticmethod
    def sample(count, random):
        return torch.randn(count, 1, 16, 16, generator=random)


class Transformer(nn.Module):
    """An embedding and a layer with attention."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 32)
        self.layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
        self.last = nn.Linear(32, 10)

    def forward(self, x):
        return self.last(self.layer(self.embedding(x)).mean(1))

    @staticmethod
    def sample(count, random):
        return torch.randint(0, 50, (count, 12), generator=random)


MODELS = {"mlp": Mlp, "cnn": Cnn, "transformer": Transformer}
OPTIMIZERS = {
    "sgd": lambda parameters: torch.optim.SGD(parameters, lr=0.05, momentum=0.9),
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=1e-3),
    "adamw": lambda parameters: torch.optim.AdamW(parameters, lr=1e-3),
}


def train(device, kind, optimizer, half=None, steps=30):
    """The losses of the steps. `half`: the type of autocast, or None."""
    torch.manual_seed(0)
    random = torch.Generator().manual_seed(1)
    model = MODELS[kind]().to(device)
    optimizer = OPTIMIZERS[optimizer](model.parameters())
    losses = []
    for _ in range(steps):
        x = model.sample(16, random).to(device)
        y = torch.randint(0, 10, (16,), generator=random).to(device)
        optimizer.zero_grad()
        with torch.autocast(device, dtype=half or torch.bfloat16, enabled=half is not None):
            loss = functional.cross_entropy(model(x).float(), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
