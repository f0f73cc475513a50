# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of nvx export share: the exporter, Prometheus, and how to ask them."""
import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NVX = os.path.join(TOP, "build", "nvx")
RECORDING = os.path.join(TOP, "tests", "fixtures", "svm-6.1-l1-linux.trace.dat")
BOARDS = os.path.join(TOP, "dashboards")
RULES = os.path.join(BOARDS, "prometheus", "nvx.rules.yml")


def get(url, accept=None, data=None):
    request = urllib.request.Request(url, data=data, headers={"Accept": accept} if accept else {})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.headers.get("Content-Type"), answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers.get("Content-Type"), error.read().decode()


class Export:
    def __init__(self, *options):
        self.process = subprocess.Popen([NVX, "export", "-v", "--replay", RECORDING, *options],
                                        stderr=subprocess.PIPE, text=True)
        line = ""
        while self.process.poll() is None and "serving" not in line:
            line = self.process.stderr.readline()
        self.url = line.split("serving ")[-1].strip()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=10)


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def run(*args):
    done = subprocess.run([NVX, *args], capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr


class Prometheus:
    """Debian's, with a configuration of its own in a directory that is to be empty."""

    def __init__(self, directory, scrape, rules, *options):
        port = free_port()
        config = os.path.join(directory, "prometheus.yml")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
                       "rule_files": rules, "scrape_configs": [dict(scrape, job_name="nvx")]}, file)
        self.log = open(os.path.join(directory, "log"), "w", encoding="utf-8")
        self.process = subprocess.Popen(
            ["prometheus", "--config.file=" + config, "--storage.tsdb.path=" + directory + "/data",
             "--web.listen-address=127.0.0.1:%d" % port, *options], stdout=self.log, stderr=self.log)
        self.site = "http://127.0.0.1:%d/" % port
        self.url = self.site + "api/v1/"

    def ask(self, what, **arguments):
        return json.loads(get(self.url + what + "?" + urllib.parse.urlencode(arguments))[2])

    def value(self, query):
        result = self.ask("query", query=query)["data"]["result"]
        return float(result[0]["value"][1]) if result else None

    def wait(self, query, seconds=40):
        for _ in range(seconds * 4):
            try:
                if self.value(query):
                    return True
            except (OSError, KeyError, ValueError):
                pass
            time.sleep(0.25)
        return False

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=20)
        self.log.close()
