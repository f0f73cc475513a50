#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The examples work: nginx with TLS and a password before nvx export, scraped by Prometheus; the
configuration of Prometheus; the manifest for Kubernetes."""
import json
import os
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import yaml
from prom import BOARDS, NVX, RECORDING, TOP, Prometheus, free_port

sys.path.insert(0, os.path.join(TOP, "tests", "lab", "check"))
from tap import Tap  # noqa: E402


def read(*path):
    with open(os.path.join(BOARDS, *path), encoding="utf-8") as file:
        return file.read()


def write(directory, name, text):
    path = os.path.join(directory, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def make_secrets(directory):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                    "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                    "-keyout", directory + "/nvx.key", "-out", directory + "/nvx.pem"],
                   check=True, stderr=subprocess.DEVNULL)
    secret = subprocess.run(["openssl", "passwd", "-6", "sesame"], check=True, capture_output=True,
                            text=True).stdout.strip()
    write(directory, "nvx.htpasswd", "prometheus:%s\n" % secret)
    write(directory, "nvx.password", "sesame")


def start_nginx(directory, port):
    """nginx with the example, but for its paths and port."""
    text = read("examples", "nginx.conf").replace("/etc/nginx/", directory + "/") \
        .replace("/run/nvx/export.sock", directory + "/export.sock") \
        .replace("listen 9743", "listen 127.0.0.1:%d" % port)
    paths = "".join("%s_temp_path %s/tmp;\n" % (what, directory) for what in
                    ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    config = write(directory, "nginx.conf", "pid %s/pid;\nerror_log stderr;\nevents {}\nhttp {\n"
                   "access_log off;\n%s%s}\n" % (directory, paths, text))
    return subprocess.Popen(["nginx", "-p", directory, "-c", config, "-g", "daemon off;"],
                            stderr=subprocess.DEVNULL)


def ask(port, directory, user=None, method="GET"):
    """Status and text of /metrics through the proxy."""
    request = urllib.request.Request("https://localhost:%d/metrics" % port, method=method)
    manager = urllib.request.HTTPPasswordMgrWithDefaultRealm()
    if user:
        manager.add_password(None, request.full_url, *user)
    opener = urllib.request.build_opener(
        urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=directory + "/nvx.pem")),
        urllib.request.HTTPBasicAuthHandler(manager))
    for _ in range(40):
        try:
            with opener.open(request, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, ""
        except OSError:
            time.sleep(0.1)
    return 0, ""


def check_proxy(tap, directory):
    os.chmod(directory, 0o755)
    make_secrets(directory)
    stale = subprocess.run([sys.executable, "-c", "import socket,sys;socket.socket(socket.AF_UNIX).bind("
                            "sys.argv[1])", directory + "/export.sock"], check=False)
    export = subprocess.Popen([NVX, "export", "--replay", RECORDING, "--listen",
                               "unix:%s/export.sock" % directory])
    port = free_port()
    nginx = start_nginx(directory, port)
    tap.equal(stale.returncode, 0, "a dead server's socket is there before")
    tap.equal(ask(port, directory)[0], 401, "no password: 401")
    tap.equal(ask(port, directory, ("prometheus", "wrong"))[0], 401, "a wrong one: 401")
    for _ in range(40):
        status, text = ask(port, directory, ("prometheus", "sesame"))
        if status != 502:
            break
        time.sleep(0.1)
    tap.ok(status == 200 and "nvx_exits_total{" in text, "the right one: the metrics, over TLS", status)
    tap.equal(ask(port, directory, ("prometheus", "sesame"), "DELETE")[0], 403, "GET is all there is")
    job = next(job for job in yaml.safe_load(read("examples", "prometheus.yml"))["scrape_configs"]
               if job["job_name"] == "nvx-tls")
    scrape = json.loads(json.dumps(job).replace("/etc/prometheus/nvx-ca.pem", directory + "/nvx.pem")
                        .replace("/etc/prometheus/nvx.password", directory + "/nvx.password")
                        .replace("hv9.example:9743", "localhost:%d" % port))
    prometheus = Prometheus(directory, scrape, [])
    tap.ok(prometheus.wait("count(nvx_exits_total)"), "Prometheus scrapes it as in its example")
    prometheus.stop()
    for process in (nginx, export):
        process.send_signal(signal.SIGTERM)
    tap.equal([nginx.wait(timeout=20), export.wait(timeout=20)], [0, 0], "both end well")


def check_kubernetes(tap):
    docs = list(yaml.safe_load_all(read("kubernetes", "nvx-export.yaml")))
    tap.equal([doc["kind"] for doc in docs], ["Namespace", "DaemonSet", "NetworkPolicy"], "the manifest")
    pod = docs[1]["spec"]["template"]
    container = pod["spec"]["containers"][0]
    labels = docs[1]["spec"]["selector"]["matchLabels"]
    tap.equal([pod["metadata"]["labels"], docs[2]["spec"]["podSelector"]["matchLabels"]],
              [labels, labels], "its selectors select its pods")
    unit = read("systemd", "nvx-export.service")
    rights = {cap[4:] for cap in re.search(r"AmbientCapabilities=(.*)", unit)[1].split()}
    tap.equal(set(container["securityContext"]["capabilities"]["add"]), rights | {"SETUID", "SETGID"},
              "it has the unit's rights, and those to become another user")
    done = subprocess.run([NVX, *container["command"][1:], "--help"], capture_output=True, check=False)
    tap.equal(done.returncode, 0, "nvx knows its options")
    tap.ok(pod["spec"]["hostPID"] and container["livenessProbe"]["httpGet"]["path"] == "/healthz",
           "it sees the host's processes and is asked for its health")
    scrape = yaml.safe_load(read("kubernetes", "scrape.yml"))
    tap.equal([job["job_name"] for job in scrape], ["nvx-kubernetes"], "the scrape configuration")


def main():
    tap = Tap()
    done = subprocess.run(["promtool", "check", "config", "--syntax-only",
                           os.path.join(BOARDS, "examples", "prometheus.yml")], capture_output=True,
                          text=True, check=False)
    tap.equal(done.returncode, 0, "promtool reads the example " + (done.stderr if done.returncode else ""))
    hosts = json.loads(read("examples", "hosts.json"))
    tap.ok(all(set(group) == {"targets", "labels"} for group in hosts), "the file of hosts")
    check_kubernetes(tap)
    with tempfile.TemporaryDirectory() as directory:
        check_proxy(tap, directory)
    tap.done()


if __name__ == "__main__":
    main()
