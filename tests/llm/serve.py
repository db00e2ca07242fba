"""Serves a GGUF file with OpenAI's interface on loopback, in a process of its own; prints its address and waits."""

import sys
import threading


def main(path, context, parallel):
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = path
    settings.n_ctx = context * parallel
    settings.n_parallel = parallel
    settings.verbosity = -1
    # One thread: on a busy machine two wait for each other most of the time.
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)  # noqa: T201 - what the caller reads
    threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
