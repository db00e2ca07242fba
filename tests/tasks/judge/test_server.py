"""A judge on a real server: what is sent, forms of output, and every way in which it fails."""

import json
import time
from dataclasses import replace

import pytest

import assay
from assay.core.ruling import JudgeFailure, RulingKind
from assay.tasks.judge.limits import Throttle
from chat_server import completion, drip, serve
from tables import for_each

POLITE = assay.extend.Prompt("polite", 1, "Is the answer polite?", {"reason": str, "verdict": bool})
YES = completion('{"reason": "It is.", "verdict": true}')
KEY = "sk-very-secret-4711"


def judge_of(chats, **options):
    return assay.Judge(chats.url, model="m", **{"cache": False, "key": KEY, "timeout": 5, **options})


def ask(judge, answer="Hi"):
    return judge.ask(POLITE.ask({"answer": answer}))


def test_the_request_is_what_servers_understand():
    with serve(YES) as chats:
        assert ask(judge_of(chats, seed=3))["verdict"] is True
    (body,) = chats.bodies
    assert body["path"] == "/v1/chat/completions"
    assert (body["model"], body["temperature"], body["seed"], body["max_tokens"]) == ("m", 0.0, 3, 2048)
    assert [each["role"] for each in body["messages"]] == ["system", "user"]
    schema = body["response_format"]["json_schema"]
    properties = {"reason": {"type": "string"}, "verdict": {"type": "boolean"}}
    wanted = {"type": "object", "properties": properties, "required": ["reason", "verdict"]}
    assert (schema["strict"], schema["schema"]) == (True, wanted | {"additionalProperties": False})
    assert chats.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_tokens_and_cost_are_counted():
    with serve(YES) as chats:
        judge = judge_of(chats, prices={"input": 1.0, "output": 10.0})
        ask(judge, "a")
        ask(judge, "b")
    assert (judge.usage.sent_tokens, judge.usage.reply_tokens) == (200, 20)
    assert judge.usage.cost == pytest.approx((200 + 10 * 20) / 1e6)


@for_each("status", [400, 422, 500, 501])
@for_each("taken", ["json_object", "text"])
def test_a_form_of_output_that_is_not_taken_is_learnt_once(status, taken):
    def old_server(body):
        is_refused = body.get("response_format", {}).get("type", "text") in forms
        return status if is_refused else completion('Sure!\n```json\n{"reason": "", "verdict": "yes"}\n```')

    forms = ["json_schema", "json_object"][: 2 if taken == "text" else 1]
    with serve(old_server) as chats:
        judge = judge_of(chats, retries=0)
        assert [ask(judge, answer)["verdict"] for answer in "ab"] == [True, True]
    # A 500 may pass, so the same is asked once more.
    tried = [form for form in forms for _ in range(2 if status == 500 else 1)]
    asked = [body.get("response_format", {}).get("type", "text") for body in chats.bodies]
    assert asked == [*tried, taken, taken]


def test_a_server_that_refuses_every_form_fails_and_learns_nothing():
    with serve(400, 400, 400, YES) as chats:
        judge = judge_of(chats)
        with pytest.raises(JudgeFailure, match="HTTP 400"):
            ask(judge)
        assert ask(judge)["verdict"] is True
    assert chats.bodies[-1]["response_format"]["type"] == "json_schema"


FAILURES = {
    "refusal": (completion(None, message={"refusal": "I cannot."}), RulingKind.REFUSED, "I cannot."),
    "filtered": (completion("", finish_reason="content_filter"), RulingKind.REFUSED, "filter"),
    "cut off": (completion('{"rea', finish_reason="length"), RulingKind.TRUNCATED, "cut off after 2048 tokens"),
    "no choices": ({"choices": []}, RulingKind.UNPARSABLE, "no choices"),
    "no object": ({"hello": 1}, RulingKind.UNPARSABLE, "no choices"),
    "empty": (completion(""), RulingKind.UNPARSABLE, "the reply is empty"),
    "null": (completion(None), RulingKind.UNPARSABLE, "the reply is empty"),
    "no JSON": (completion("I think so."), RulingKind.UNPARSABLE, "it is not JSON"),
    "wrong schema": (completion('{"answer": 1}'), RulingKind.UNPARSABLE, "the reply has no reason, verdict"),
    "HTML": (b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>", RulingKind.HTTP_ERROR, "not JSON: '<html>'"),
    "unauthorised": (401, RulingKind.HTTP_ERROR, "HTTP 401"),
    "no such model": (403, RulingKind.HTTP_ERROR, "HTTP 403"),
    "broken": (503, RulingKind.HTTP_ERROR, "HTTP 503"),
    "too many": ((429, {"Retry-After": "0"}), RulingKind.HTTP_ERROR, "HTTP 429"),
    "reset": (b"", RulingKind.HTTP_ERROR, ""),
    "short body": (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", RulingKind.HTTP_ERROR, ""),
}


@pytest.mark.parametrize("name", FAILURES)
def test_every_failure_is_a_typed_outcome_and_never_kept(name, monkeypatch):
    monkeypatch.setattr("assay.net.http.FIRST_PAUSE", 0.001)
    reply, kind, detail = FAILURES[name]
    with serve(reply) as chats:
        judge = judge_of(chats, retries=1)
        for _ in range(2):
            with pytest.raises(JudgeFailure) as failure:
                ask(judge)
            assert failure.value.kind is kind
            assert detail in failure.value.detail
            assert KEY not in failure.value.detail
        asked = len(chats.bodies)
        chats.replies = [YES]
        assert ask(judge)["verdict"] is True
        assert len(chats.bodies) == asked + 1


@pytest.mark.filterwarnings("ignore:.*the judge failed:assay.DataWarning")
@pytest.mark.parametrize("retries", [0, 1])
def test_the_time_limit_holds_for_a_server_that_drips(retries, monkeypatch):
    """Each byte comes in time, the response as a whole does not."""
    monkeypatch.setattr("assay.net.http.FIRST_PAUSE", 0.001)
    with serve(lambda _: drip(YES, 0.05)) as chats:
        judge = judge_of(chats, timeout=0.4, retries=retries)
        started = time.monotonic()
        result = assay.evaluate_rag([{"answer": "Hi"}], ['aspect(criterion="Is it polite?")'], judge=judge)
        taken = time.monotonic() - started
        while len(chats.bodies) <= retries and time.monotonic() < started + 30:
            time.sleep(0.005)  # on a busy machine, a request is read after it was given up
    (ruling,) = next(iter(result.rulings.values()))
    said = (ruling.kind, ruling.detail, len(chats.bodies))
    assert said == (RulingKind.TIMED_OUT, "no response within 0.4 s", retries + 1)
    # All of it would take more than ten seconds.
    assert 0.4 * (retries + 1) <= taken < 10


def test_too_many_requests_are_asked_again_when_the_server_says():
    with serve((429, {"Retry-After": "0.4"}), (429, {"Retry-After": "1"}), YES) as chats:
        assert ask(judge_of(chats))["verdict"] is True
    first, second, third = chats.times
    # A number with a point is not what the header may hold: the usual pause of half a second.
    assert second - first >= 0.5
    assert third - second >= 1.0


def test_requests_at_a_time_fall_with_429_and_climb_again():
    throttle = Throttle(32)
    with throttle.slot() as epoch:
        throttle.halve(epoch)
        throttle.halve(epoch)
    assert throttle.limit == 16.0
    for _ in range(17):
        throttle.climb()
    assert 16.9 < throttle.limit < 17.1
    for _ in range(10_000):
        throttle.climb()
    assert throttle.limit == 32.0


def test_a_limit_of_tokens_per_minute_is_kept():
    throttle = Throttle(8, tokens_per_minute=600)
    started = time.monotonic()
    # All of a minute's tokens are there at the start; who had to wait for them would wait a minute.
    with throttle.slot(600):
        assert time.monotonic() - started < 30
    # Ten tokens come in a second.
    with throttle.slot(5):
        assert time.monotonic() - started >= 0.5


def test_a_key_that_the_server_sends_back_is_hidden(tmp_path):
    cache = tmp_path / "replies.sqlite"
    with serve(completion(json.dumps({"reason": f"Your key is {KEY}.", "verdict": True}))) as chats:
        judge = judge_of(chats, cache=cache)
        reply = ask(judge)
        judge.close()
    assert KEY not in reply["reason"]
    for file in tmp_path.iterdir():
        assert KEY.encode() not in file.read_bytes()


def test_the_key_of_the_environment_goes_to_the_judge_only(monkeypatch):
    with serve(YES) as chats:
        for name, key in (("OPENAI_API_KEY", "sk-of-another-server"), ("ASSAY_JUDGE_KEY", KEY)):
            monkeypatch.setenv(name, key)
            ask(judge_of(chats, key=None))
    assert [headers.get("Authorization") for headers in chats.headers] == [None, f"Bearer {KEY}"]


def test_samples_are_drawn_and_flips_are_counted(tmp_path):
    replies = iter([True, False, True, True, True, True])

    def changing(_):
        return completion(json.dumps({"reason": "", "verdict": next(replies)}))

    @assay.extend.measure("politeness", of="judged", prompts=(POLITE,))
    def politeness(case):
        reply = yield POLITE.ask({"answer": case.answer})
        return assay.extend.Finding(float(reply["verdict"]))

    records = [{"query_id": "q1", "answer": "a"}, {"query_id": "q2", "answer": "b"}]
    try:
        with serve(changing) as chats:
            result = assay.evaluate_rag(records, ["politeness"], judge=judge_of(chats, samples=3, concurrency=1))
    finally:
        assay.extend.remove_measure("politeness")
    assert result.scores["politeness"].tolist() == [pytest.approx(2 / 3), 1.0]
    assert [ruling.is_flipped for ruling in result.rulings["politeness"]] == [True, False]
    (note,) = result.notes
    assert str(note) == "politeness: 1 of 2 questions changed its score between 3 draws: 'q1'"
    # The variance of 1, 0, 1 is 1/3, that of their mean 1/9.
    assert result.noise["politeness"].tolist() == [pytest.approx(1 / 9), 0.0]
    plain = replace(result, noise={}, _intervals={})
    assert result.interval("politeness").low < plain.interval("politeness").low
    result.save(tmp_path / "result.json")
    again = assay.load_result(tmp_path / "result.json")
    assert again.interval("politeness") == result.interval("politeness")
    assert [body["seed"] for body in chats.bodies] == [0, 1, 2] * 2


ADDRESSES = [
    ("http://user:word@host/v1", {"model": "m"}, "user name or a password"),
    ("ftp://host/v1", {"model": "m"}, "is like http://"),
    ("http:///v1", {"model": "m"}, "is like"),
    ("http://127.0.0.1:9/v1", {}, "name one"),
]


@for_each("url, options, said", ADDRESSES)
def test_an_address_that_cannot_be_is_an_error(url, options, said):
    with pytest.raises((assay.errors.DataError, assay.errors.PolicyError), match=said):
        assay.Judge(url, cache=False, **options)
