"""What a shell offers on Tab: commands, options, choices, names of measures, and files."""

from tables import for_each

OFFERED = {
    "assay ev": "plain,eval",
    "assay eval --conv": "plain,--convention",
    "assay eval --convention ran": "plain,ranx",
    "assay eval -m ndcg_": "plain,ndcg_rel",
    "assay measures answer_e": "plain,answer_em",
    "assay eval qre": "file,qre",
    "assay gate qrels.txt one.run --baseline t": "file,t",
    "assay eval -o out.": "file,out.",
}


@for_each(("line", "expected"), OFFERED.items())
def test_completes(process, line, expected):
    environment = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1), "_ASSAY_COMPLETE": "bash_complete"}
    assert process(env=environment, text=True).stdout.splitlines() == [expected]


def test_the_script_of_each_shell(process):
    for shell in ("bash", "zsh", "fish"):
        answer = process(env={"_ASSAY_COMPLETE": f"{shell}_source"}, text=True)
        assert answer.returncode == 0
        assert f"_ASSAY_COMPLETE={shell}_complete" in answer.stdout
