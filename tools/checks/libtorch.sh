# Programs without Python call operators with Debian's libtorch-dev, as docs/torch.md says. Fetches 128 MB once.
repair="guard what that libtorch lacks by OPERATORS_TORCH (integrations/operators)"
check() { tools/torch.sh libtorch; }
sabotage() { sed -i 's/^#if OPERATORS_TORCH >= 203$/#if 1/' integrations/operators/meta/data_type.cpp; }
