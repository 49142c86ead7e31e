"""DP-SGD by Opacus with certified accounting: pip install opacus, and the wheel of dpverify."""
import opacus
import torch

import dpverify.opacus  # noqa: F401, registers accountant="dpverify"

data = torch.utils.data.TensorDataset(torch.randn(2048, 1, 28, 28), torch.randint(10, (2048,)))
model = torch.nn.Sequential(torch.nn.Conv2d(1, 8, 8, 4), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(288, 10))
engine = opacus.PrivacyEngine(accountant="dpverify")
model, optimizer, loader = engine.make_private(
    module=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1), data_loader=torch.utils.data.DataLoader(data, 64),
    noise_multiplier=1.1, max_grad_norm=1.0)
for epoch in 1, 2:
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    engine.get_epsilon(delta=1e-5)  # a float, rounded up; quote has as many digits as are meant
    print(f"epoch {epoch}: ε ≤ {engine.accountant.last_enclosure.quote} at δ = 1e-5")
