"""`assay audit`: what it prints for small files."""


def test_a_table_and_the_way_to_each_number(assay):
    result = assay("audit qrels.txt two.run")
    assert result.exit_code == 0
    assert result.output.startswith("map\n\ntool")
    assert "from assay 0.5000 to trec_eval map" in result.output
    assert "  +0.5000  queries missing from the run are skipped\n  1.0000\n" in result.output
    assert result.output == assay("audit qrels.txt two.run -m map").output


def test_several_measures_and_another_start(read_json):
    measures = read_json('audit qrels.txt two.run -m "map rr" --start trec_eval')["measures"]
    assert list(measures) == ["map", "rr"]
    assert [each["tools"][0]["tool"] for each in measures.values()] == ["trec_eval", "trec_eval"]


def test_standard_input_with_duplicates_and_an_unknown_measure(assay, refused):
    refused("audit qrels.txt two.run -m nonsense", "unknown measure 'nonsense'")
    result = assay("audit qrels.txt - -m map", stdin="q1 Q0 d1 1 3 t\nq1 Q0 d1 2 2 t\n")
    assert result.exit_code == 0, result.output
    assert "standard input" in result.output
    assert "'d1' more than once" in " ".join(result.output.split())
