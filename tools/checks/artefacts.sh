# Everything that ./dev release makes is installed and used in a clean root of Debian, and made a second time from the source
# archive, in another folder: the files have the same bytes.
repair="mend what differs or fails: the log names the file, or the step; tools/release.py --dry --all --again repeats it"
check() {
    local left_out
    tools/setup.sh release || { echo "what makes the artefacts cannot be installed"; return 77; }
    tools/release.py --dry --all --again | tee build/artefacts.log
    left_out=$(sed -n 's/^release: left out: //p' build/artefacts.log | paste -sd ';')
    [[ -z $left_out ]] || { echo "all else passed; left out: $left_out"; return 77; }
}
sabotage() { sed -i 's/entry.mtime = when/pass/' tools/release_common.py; }
