"""What a shell offers on Tab: commands, options, choices, names of measures, and files."""

import pytest


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("assay ev", ["plain,eval"]),
        ("assay eval --conv", ["plain,--convention"]),
        ("assay eval --convention ran", ["plain,ranx"]),
        ("assay eval -m ndcg_", ["plain,ndcg_rel"]),
        ("assay measures answer_e", ["plain,answer_em"]),
        ("assay eval qre", ["file,qre"]),
        ("assay gate qrels.txt one.run --baseline t", ["file,t"]),
        ("assay eval -o out.", ["file,out."]),
    ],
)
def test_completes(process, line, expected):
    words = line.split()
    environment = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1), "_ASSAY_COMPLETE": "bash_complete"}
    assert process(env=environment, text=True).stdout.splitlines() == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell(process, shell):
    answer = process(env={"_ASSAY_COMPLETE": f"{shell}_source"}, text=True)
    assert answer.returncode == 0
    assert f"_ASSAY_COMPLETE={shell}_complete" in answer.stdout
