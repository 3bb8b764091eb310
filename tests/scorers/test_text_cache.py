"""The cache of short texts: a short text is read once, a long one is never kept."""

from harness.answers.text_cache import SHORT, cached_by_text


def test_short_texts_are_read_once_and_long_ones_every_time():
    read = []

    @cached_by_text(2)
    def length(text, times=1):
        """Count."""
        read.append((text, times))
        return len(text) * times

    for text, times in (("ab", 1), ("ab", 1), ("ab", 2), ("ab", 2), ("abc", 1), ("ab", 1)):
        assert length(text, times) == len(text) * times
    assert read == [("ab", 1), ("ab", 2), ("abc", 1), ("ab", 1)]  # two are kept, and the third has driven one out
    assert length.__doc__ == "Count."
    del read[:]
    for text in ("x" * SHORT, "x" * SHORT, "x" * (SHORT + 1), "x" * (SHORT + 1)):
        assert length(text, 1) == len(text)
    assert [len(text) for text, _ in read] == [SHORT, SHORT + 1, SHORT + 1]
