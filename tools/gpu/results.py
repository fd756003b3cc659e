"""What a run found: a row for each program and for each test, logs, and one archive of bounded size."""

import io
import json
import os
import pathlib
import tarfile
import threading
import time

MOST = 16 << 20
FINE = ("passed", "skipped")


class Results:
    def __init__(self, folder, archive, facts, suite):
        self.folder, self.archive = pathlib.Path(folder), pathlib.Path(archive)
        self.facts, self.suite = facts, suite
        (self.folder / "rows").mkdir(parents=True, exist_ok=True)
        self.lock, self.saved = threading.RLock(), 0.0
        self.rows = {}
        # Files that a killed run was writing have other names.
        for file in sorted((self.folder / "rows").glob("*.json")):
            row = json.loads(file.read_text())
            self.rows[row["name"]] = row

    def log(self, name):
        return self.folder / f"{name.replace('/', '_')}.log"

    def add(self, row):
        """Keeps the row of a program: name, step, result, milliseconds, reasons, and its tests."""
        with self.lock:
            self.rows[row["name"]] = row
            self._write(self.folder / "rows" / f"{row['name'].replace('/', '_')}.json", json.dumps(row).encode())
        self.save()

    def save(self, every=10):
        """Writes results.json and the archive, unless that was less than `every` seconds ago."""
        with self.lock:
            if time.monotonic() - self.saved < every:
                return
            self._write(self.folder / "results.json", self.document().encode())
            self._write(self.archive, self.packed())
            self.saved = time.monotonic()

    def verdicts(self):
        return {test: case["result"] for test, case in verdicts(self.rows.values()).items()}

    def confirmed(self):
        """The sources of tests that all ran in the suite, of which some passed and none failed: for docs/api.md."""
        found, sources = self.verdicts(), {}
        for test in self.suite:
            sources.setdefault(test.program, set()).add(found.get(test.name, "no result"))
        return sorted(f"{program}.cpp" for program, results in sources.items()
                      if "passed" in results and results <= set(FINE))

    def document(self):
        rows = [self.rows[name] for name in sorted(self.rows)]
        logs = [self.log(name) for name in sorted(self.rows) if name.startswith("bench.") and name != "bench.entry"]
        figures = [figure for log in logs if log.exists() for line in log.read_text(errors="replace").splitlines()
                   if line.startswith("{") and (figure := parsed(line))]
        lists = {**self.facts, "tests": self.confirmed(), "figures": figures}
        head = json.dumps(lists, indent=1)[:-2]
        return head + ',\n "programs": [\n' + ",\n".join(f"  {json.dumps(row)}" for row in rows) + "\n ]\n}\n"

    def packed(self, most=MOST):
        """The archive. Long logs keep their beginning and their end, those of what passed less of both."""
        passed = {self.log(name).name for name, row in self.rows.items() if row["result"] in FINE}
        for share in (256, 64, 16, 4, 1, 0):
            data = io.BytesIO()
            with tarfile.open(fileobj=data, mode="w:gz", compresslevel=3) as tar:
                self._pack(tar, "results.json", (self.folder / "results.json").read_bytes())
                for log in sorted(self.folder.glob("*.log")) if share else ():
                    # Those without a row are of programs that run now, or were stopped because the time was over.
                    less = log.name in passed and not log.name.startswith(("facts", "queues", "bench."))
                    self._pack(tar, log.name, cut(log, (8 if less else 1024) * share))
            if data.tell() <= most:
                return data.getvalue()
        raise AssertionError(f"results.json alone has more than {most} bytes")

    @staticmethod
    def _pack(tar, name, data):
        entry = tarfile.TarInfo(name)
        entry.size, entry.mtime = len(data), int(time.time())
        tar.addfile(entry, io.BytesIO(data))

    @staticmethod
    def _write(path, data):
        new = path.with_name(path.name + ".new")
        new.write_bytes(data)
        os.replace(new, path)


def verdicts(rows):
    """The case that counts for each test: a failure of any step. One of the suite counts only if the test also fails alone."""
    found = {}
    for row in sorted(rows, key=lambda row: (row["step"], row["name"].startswith("alone."))):
        is_alone = row["name"].startswith("alone.")
        for case in row.get("tests", []):
            before = found.get(case["test"])
            if before is None or before["result"] in FINE or (is_alone and before["step"] == row["step"]):
                found[case["test"]] = {**case, "step": row["step"]}
    return found


def parsed(line):
    """A figure, or None if the benchmark was stopped while it wrote the line."""
    try:
        return json.loads(line)
    except ValueError:
        return None


def cut(path, most):
    """The content of a file: its beginning and its end, if it is longer."""
    size = path.stat().st_size
    with path.open("rb") as file:
        if size <= most:
            return file.read()
        first = file.read(most // 4)
        file.seek(size - (most - most // 4))
        return first + b"\n... %d bytes are left out ...\n" % (size - most) + file.read()
