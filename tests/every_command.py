"""Every command with arguments that work, and every option that names a file to write."""

import json

from search_server import QRELS, QUESTIONS

JUDGED = "q1 0 d1 3\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d4 1\n"
ONE = "q1 Q0 d1 1 0.9 a\nq1 Q0 d2 2 0.8 a\nq1 Q0 d3 3 0.7 a\nq2 Q0 d5 1 0.4 a\nq2 Q0 d4 2 0.3 a\n"
TWO = "q1 Q0 d3 1 0.9 b\nq1 Q0 d1 2 0.8 b\n"
VOTES = "query,document,voter,vote\nq1,d1,ann,up\nq1,d1,bob,down\nq2,d4,ann,up\n"
CLICKS = "query,document,position,clicked\nq1,d1,1,1\nq1,d2,2,0\nq2,d4,1,0\n"
RECORD = '{"query_id": "q1", "question": "why?", "gold": ["d1"], "retrieved": ["d1", "d2"], "answer": "so", "references": ["so"]}'
# URL stands for the address of a search server. None is a command that needs a language model: its help and its errors
# are tried.
COMMANDS = {
    "eval": ("qrels.txt", "two.run"),
    "compare": ("qrels.txt", "one.run", "two.run"),
    "diff": ("qrels.txt", "one.run", "two.run", "-m", "rr"),
    "audit": ("qrels.txt", "one.run", "-m", "rr"),
    "report": ("qrels.txt", "one.run", "two.run", "-o", "pages/report.html"),
    "agree": ("qrels.txt", "other.txt"),
    # Without --dry-run it serves until it is stopped: tests/studio and tests/browser do that.
    "studio": ("qrels.txt", "one.run", "two.run", "--dry-run", "--store", "pages/studio.sqlite"),
    "votes": ("votes.csv",),
    "clicks": ("clicks.csv", "--min-impressions", "1"),
    "next": ("qrels.txt", "one.run", "two.run"),
    "plot": ("means", "qrels.txt", "one.run"),
    "gate": ("qrels.txt", "one.run", "--min", "rr=0.1"),
    "rag": ("records.jsonl",),
    "judge relevance": None,
    "judge questions": None,
    "judge pairwise": None,
    "probe": ("URL", "--queries", "questions.jsonl", "--qrels", "judged.txt"),
    "check": ("qrels.txt", "one.run"),
    "convert": ("one.run", "-"),
    "measures": (),
    "demo": (),
    "trec_eval": ("qrels.txt", "one.run"),
}
# The options that name a file to write, with a name that they take; `convert` has an argument instead.
WRITTEN = {
    "output": ("-o", "out.csv"),
    "chart_file": ("-o", "chart.json"),
    "page_file": ("-o", "out.html"),
    "report": ("--report", "page.html"),
    "save": ("--save", "saved.json"),
    "run_file": ("--save-run", "live.run"),
    "records_file": ("--save-records", "live.jsonl"),
    "checkpoint": ("--checkpoint", "checkpoint.jsonl"),
    "store": ("--store", "other.sqlite"),
}
# Written only once a language model has replied.
MODEL_WRITTEN = {"judge_cache", "reasons"}
NAMES = "criteria known human judge files queries corpus references qrels baseline config gold subqueries tls"
READ = {*NAMES.split()}


def write_files(folder):
    """The files that the arguments name."""
    questions = (json.dumps({"id": query, "text": text}) for query, text in QUESTIONS.items())
    files = {
        "qrels.txt": JUDGED,
        "other.txt": JUDGED.replace("d3 1", "d3 0"),
        "votes.csv": VOTES,
        "clicks.csv": CLICKS,
        "one.run": ONE,
        "two.run": TWO,
        "records.jsonl": RECORD + "\n",
        "questions.jsonl": "\n".join(questions) + "\n",
        "judged.txt": "".join(f"{query} 0 {document} 1\n" for query, found in QRELS.items() for document in found),
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "pages").mkdir()


def arguments_of(name, url):
    """A command with arguments that work."""
    return [*name.split(), *(url if each == "URL" else each for each in COMMANDS[name])]


def leaves(group, context, start=()):
    """Each command of a group and of the groups in it, by its full name."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if hasattr(command, "list_commands"):
            yield from leaves(command, context, (*start, name))
        else:
            yield " ".join((*start, name)), command
