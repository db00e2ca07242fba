"""Servers that are not there, speak TLS badly, or are reached by odd addresses; and proxies that must not be used."""

import ssl
import subprocess
from functools import partial

import pytest

import assay
from assay.live import HttpSearch
from assay.net import transport
from raw_server import RawServer, answer, check_outcome, hang, probe_in
from tables import for_each

pytestmark = pytest.mark.attack("Servers")

IDS = answer(["d1"])
REFUSED = "assay: no question was answered; for example 'q0': "


CA = """
[ca]
default_ca = here
[here]
database = {0}/index.txt
new_certs_dir = {0}
rand_serial = yes
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
"""


def openssl(*arguments):
    done = subprocess.run(["openssl", *arguments], capture_output=True, check=False, text=True)  # noqa: S603, S607 - our own command
    assert done.returncode == 0, done.stderr


def make_certificate(folder, host, start, end):
    """A self-signed certificate and its key."""
    folder.mkdir()
    key, request, certificate, config = (folder / name for name in ("key", "request", "certificate", "config"))
    (folder / "index.txt").write_text("")
    config.write_text(CA.format(folder))
    names = f"subjectAltName={'IP' if host[0].isdigit() else 'DNS'}:{host}"
    new = ("-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={host}", "-addext", names)
    openssl("req", "-new", *new, "-keyout", str(key), "-out", str(request))
    signed = ("-selfsign", "-keyfile", str(key), "-in", str(request), "-out", str(certificate))
    openssl("ca", "-batch", "-notext", "-config", str(config), *signed, "-startdate", start, "-enddate", end)
    return certificate, key


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    lasting, expired = ("20200101000000Z", "21200101000000Z"), ("20200101000000Z", "20200102000000Z")
    return {
        "good": make_certificate(folder / "good", "127.0.0.1", *lasting),
        "another host's": make_certificate(folder / "other", "elsewhere.example", *lasting),
        "expired": make_certificate(folder / "expired", "127.0.0.1", *expired),
        "not valid yet": make_certificate(folder / "early", "127.0.0.1", "21000101000000Z", "21200101000000Z"),
    }


def tls_server(certificate, behave=IDS):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    return RawServer(behave, meet=partial(context.wrap_socket, server_side=True), scheme="https")


def check_refused(outcome, beginning=""):
    """Checks that no question was answered, and why."""
    assert outcome.code == 2
    assert outcome.failure.startswith(REFUSED + beginning), outcome.failure


@pytest.fixture
def trusted(monkeypatch):
    """Trusts a certificate, as `SSL_CERT_FILE` of the environment lets users do."""

    def trust(certificate):
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        transport.tls_settings.cache_clear()

    yield trust
    monkeypatch.undo()
    transport.tls_settings.cache_clear()


def test_tls_that_is_trusted(certificates, trusted, tmp_path):
    trusted(certificates["good"][0])
    check_outcome(probe_in(tmp_path, tls_server(certificates["good"])), ["d1"])


@pytest.mark.parametrize("trust", [None, "another host's", "expired", "not valid yet"])
def test_tls_that_is_not_trusted(trust, certificates, trusted, tmp_path):
    if trust:
        trusted(certificates[trust][0])
    server = tls_server(certificates[trust or "good"])
    outcome = probe_in(tmp_path, server)
    check_refused(outcome, "connection failed: ")
    assert "certificate" in outcome.failure
    assert server.requests == []


def test_tls_that_never_greets(tmp_path):
    server = RawServer(IDS, meet=lambda connection: (server.over.wait(60), connection)[1], scheme="https")
    check_refused(probe_in(tmp_path, server, "--timeout", "0.8"), "no response within 0.8 s")


def test_tls_asked_of_a_plain_port(tmp_path):
    check_refused(probe_in(tmp_path, RawServer(IDS, scheme="https"), "--timeout", "3"))


def test_no_tls_asked_of_a_port_with_tls(certificates, tmp_path):
    server = tls_server(certificates["good"])
    server.scheme = "http"
    check_refused(probe_in(tmp_path, server))


def test_an_answer_over_tls_that_stops(certificates, trusted, tmp_path):
    trusted(certificates["good"][0])
    server = tls_server(certificates["good"], hang(IDS[:-2]))
    check_outcome(probe_in(tmp_path, server, "--timeout", "0.8"), "no response within 0.8 s")


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_certificates_that_cannot_be_read(content, trusted, tmp_path):
    file = tmp_path / "certificates.pem"
    if content:
        file.write_text(content)
    trusted(file)
    with pytest.raises(assay.AssayError, match="certificate") as error:
        HttpSearch("https://h/")
    assert str(error.value).isprintable()


def test_ipv6(tmp_path):
    check_outcome(probe_in(tmp_path, RawServer(IDS, host="::1")), ["d1"])


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
def test_a_proxy_of_the_environment_sees_nothing(name, tmp_path, monkeypatch):
    with RawServer(answer(["proxied"])) as proxy:
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        for other in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(other, raising=False)
        check_outcome(probe_in(tmp_path, RawServer(IDS)), ["d1"])
        assert proxy.requests == []


def test_a_redirect_to_another_server_is_not_followed_and_no_key_travels(tmp_path):
    with RawServer(IDS) as other:
        headers = f"Location: {other.url}\r\n"
        outcome = probe_in(tmp_path, RawServer(answer(b"", headers, "307 Temporary Redirect")))
        check_outcome(outcome, f"HTTP 307 Temporary Redirect: redirected to {other.url};")
        assert other.requests == []


# Addresses at which nobody answers, and why.
NOBODY = {
    **dict.fromkeys(
        ["http://127.0.0.1:1/", "http://[::1]:1/", "https://127.0.0.1:1/"], "connection failed: Connection refused"
    ),
    **dict.fromkeys(["http://nowhere.invalid/", f"http://{'a' * 63}.invalid/"], "host not found: "),
    f"http://{'a' * 300}.invalid/": "",
}


@for_each("url", NOBODY)
def test_nobody_there(url, tmp_path):
    check_refused(probe_in(tmp_path, RawServer(IDS), url=url), NOBODY[url])


# Addresses that cannot be called, and a word of the reason.
ADDRESSES = {
    "http://": [
        "", " ", "/search", "h/search", "localhost:8000", "ftp://h/", "file:///etc/passwd", "unix:///run/search.sock",
        "http+unix://%2Frun%2Fsearch.sock/", "ws://h/", "gopher://h/", "javascript:alert(1)", "data:,x",
    ],
    "host": [
        "http:///search", "http://?q=1", "http://:80/", "http://a b/", "http://a\\b/", "http://h\x00/",
    ],
    "invalid": [
        "http://h:port/", "http://h:-1/", "http://h:65536/", f"http://h:{'9' * 5000}/", "http://[::1/", "http://[zz]/",
        "http://h\x1b[2J/",
    ],
}  # fmt: skip


@for_each(("word", "url"), [(word, url) for word, urls in ADDRESSES.items() for url in urls])
def test_addresses_that_cannot_be_called(word, url):
    with pytest.raises(assay.errors.DataError, match=word) as error:
        HttpSearch(url)
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 300
