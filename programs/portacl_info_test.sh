#!/usr/bin/env bash
# portacl_info_test.sh PROGRAM: what portacl-info prints on the backend of PORTACL_BACKEND.
set -euo pipefail
info=$1
fail() { echo "FAILED: $*" >&2; exit 1; }

text=$("$info" 2>&1) || { echo "$text"; fail "portacl-info"; }
echo "$text"
grep -qE '^version   [0-9]+\.[0-9]+\.[0-9]+$' <<<"$text" || fail "no version"
grep -qx "backend   $PORTACL_BACKEND" <<<"$text" || fail "not the backend $PORTACL_BACKEND"
grep -qx "  PORTACL_BACKEND=$PORTACL_BACKEND" <<<"$text" || fail "a variable that is set is missing"
devices=$(sed -n 's/^devices   //p' <<<"$text")
((devices > 0)) || fail "no devices"
[[ $(grep -cE '^  [0-9]+ .* [0-9.]+ GiB free of +[0-9.]+ GiB$' <<<"$text") == "$devices" ]] ||
    fail "not one line for each of the $devices devices"

# A setting shows in what it changes; a typing mistake is reported beside it.
if [[ $PORTACL_BACKEND == cpu ]]; then
    text=$(PORTACL_CPU_DEVICES=2 PORTACL_CPU_MEMORY=512M PORTACL_CPU_ASINC=always "$info" 2>&1)
    grep -qx "devices   2" <<<"$text" || fail "PORTACL_CPU_DEVICES=2 has no effect"
    [[ $(grep -c ' 0.50 GiB free of     0.50 GiB$' <<<"$text") == 2 ]] || { echo "$text"; fail "PORTACL_CPU_MEMORY=512M has no effect"; }
    grep -q 'PORTACL_CPU_ASINC is unknown .* PORTACL_CPU_ASYNC$' <<<"$text" || fail "PORTACL_CPU_ASINC is not reported"
fi
# A failure is a status and a text.
! PORTACL_BACKEND=none "$info" >/dev/null 2>&1 || fail "an invalid backend is accepted"
text=$(PORTACL_BACKEND=none "$info" 2>&1 >/dev/null) || true
grep -q 'portacl-info: aclInit failed: .*auto, cpu or cuda' <<<"$text" || { echo "$text"; fail "no text about the backend"; }
