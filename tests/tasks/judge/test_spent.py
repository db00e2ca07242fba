"""What servers say that is no verdict: it costs all the same; parameters that newer models refuse; thinking aloud."""

import json

import pytest

import assay
from chat_server import completion, serve

RECORDS = [{"query_id": f"q{n}", "question": f"Why {n}?", "answer": f"So {n}."} for n in range(20)]
GOOD = '{"reason": "It says so.", "verdict": true}'
POLITE = 'aspect(criterion="Is the answer polite?")'


def judge_of(server, **options):
    return assay.Judge(server.url, model="m", cache=False, **options)


def test_replies_that_are_cut_off_cost_and_count():
    usage = {"prompt_tokens": 1000, "completion_tokens": 2048}
    with serve(completion('{"reason', finish_reason="length") | {"usage": usage}) as server:
        judge = judge_of(server, prices=(1, 1000), max_cost=5, concurrency=1)
        assay.evaluate_rag(RECORDS, [POLITE], judge=judge)
        assert (judge.usage.calls, len(server.bodies)) == (3, 3)
        assert (judge.usage.sent_tokens, judge.usage.reply_tokens) == (3000, 3 * 2048)
        assert judge.usage.cost == pytest.approx(3 * (1000 + 2048 * 1000) / 1e6)


def test_a_500_that_passes_says_nothing_about_the_form():
    with serve(500, completion(GOOD)) as server:
        judge = judge_of(server, concurrency=1)
        assay.evaluate_rag(RECORDS[:3], [POLITE], judge=judge)
        assert [body["response_format"]["type"] for body in server.bodies] == ["json_schema"] * 4


def strict(body):
    """As newer models of OpenAI do."""
    said = {
        "max_tokens": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
        "temperature": "Unsupported value: 'temperature' does not support 0 with this model.",
    }
    refused = [said[name] for name in said if name in body]
    if not refused:
        return completion(GOOD)
    content = json.dumps({"error": {"message": refused[0]}}).encode()
    head = f"HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    return iter([head.encode() + content])


def test_parameters_that_a_model_refuses_are_learnt_once():
    with serve(strict) as server:
        judge = judge_of(server, concurrency=1)
        result = assay.evaluate_rag(RECORDS[:3], [POLITE], judge=judge)
        assert result.mean == {POLITE: 1.0}
        assert len(server.bodies) == 5
        assert server.bodies[-1]["max_completion_tokens"] == judge.max_tokens
        assert "temperature=server" in judge.description


def test_thinking_aloud_is_left_out():
    said = f'<think>Is {{"verdict": false}} right? {{No.</think>\n{GOOD}'
    with serve(lambda _: completion(said)) as server:
        judge = judge_of(server)
        assert assay.evaluate_rag(RECORDS[:2], [POLITE], judge=judge).mean == {POLITE: 1.0}
        assert len(server.bodies) == 2


def test_a_prompt_that_does_not_exist_is_an_error_everywhere():
    judge = assay.Judge(lambda _: GOOD, cache=False, prompts={"relevanse": "How relevant?"})
    for task, *data in (
        (assay.judges.judge_relevance, {"q": "Why?"}, {"a": {"q": ["d"]}}, {"d": "So."}),
        (assay.judges.pairwise, {"a": RECORDS, "b": RECORDS}),
        (assay.judges.make_questions, {"d": "So it is, and so it was."}, 1),
    ):
        with pytest.raises(assay.errors.MeasureError, match="unknown prompt 'relevanse'; did you mean relevance"):
            task(*data, judge=judge)


def test_draws_that_fail_are_said():
    def every_third(body):
        return completion(GOOD) if body["seed"] % 3 else completion("", message={"refusal": "I will not."})

    with serve(every_third) as server:
        judge = judge_of(server, samples=3, temperature=0.5)
        notes = [str(note) for note in assay.evaluate_rag(RECORDS[:6], [POLITE], judge=judge).notes]
    assert f"{POLITE}: none of 6 questions changed its score between 2 draws" in notes
    assert f"{POLITE}: 6 of 18 draws have no verdict; the others count" in notes


def test_own_prompts_from_a_file(tmp_path):
    from assay.tasks.judge.words import read_prompts

    path = tmp_path / "prompts.toml"
    path.write_text('relevance = "Grade it."\n')
    assert read_prompts(path) == {"relevance": "Grade it."}
    for content, said in (("relevance = 3", "must have the words"), ("", "no prompts"), ("x", "not valid TOML")):
        path.write_text(content)
        with pytest.raises(assay.errors.FormatError, match=said):
            read_prompts(path)
