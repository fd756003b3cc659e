# Each Chinese section belongs to an English one, and both have the same codes and variables. A section whose English text
# has changed is listed; ./dev release refuses it.
check() { tools/chinese.py check; }
sabotage() { sed -i 's/^## When the host has no memory/## When host memory is exhausted/' docs/errors.md; }
