"""Joining text deltas: lmcsurgery beside a plain loop and beside other libraries, in one run

    python -m venv /tmp/bench && /tmp/bench/bin/pip install langchain-core anthropic pydantic-ai-slim -e .
    /tmp/bench/bin/python benchmarks/stream.py

A library that is not installed is left out. Events are built beforehand, so that only joining is measured; the best of several runs counts, in processor time, since a machine may be shared. Libraries build objects of
different richness: ours keeps role, type and format of each message, checks every chunk and (`feed`) returns a flagged stream of copies; the plain loop does nothing but join."""
import gc, platform, time
from lmcsurgery.stream import LMCStream, chunks2lmc

def lmc(n, size): return [dict(role='assistant', type='message', content='x'*size) for _ in range(n)]

def plain(chunks):
    pieces = []
    for c in chunks: pieces.append(c['content'])
    return ''.join(pieces)

def ours_feed(chunks):
    stream = LMCStream()
    for c in chunks: stream.feed(c)
    stream.close()
    return stream.messages[0]['content']

def ours(chunks): return chunks2lmc(chunks)[0]['content']

def rows():
    yield 'plain list and join',lmc,plain
    yield 'lmcsurgery chunks2lmc',lmc,ours
    yield 'lmcsurgery feed, with the flagged stream',lmc,ours_feed
    try: from langchain_core.messages.ai import AIMessageChunk, add_ai_message_chunks
    except ImportError: print('langchain-core is not installed')
    else:
        def chunks(n, size): return [AIMessageChunk(content='x'*size) for _ in range(n)]
        yield 'langchain-core add_ai_message_chunks, one call',chunks,lambda cs: add_ai_message_chunks(cs[0], *cs[1:]).content
        def by_one(cs):
            acc = cs[0]
            for c in cs[1:]: acc = add_ai_message_chunks(acc, c)
            return acc.content
        yield 'langchain-core add_ai_message_chunks, as they come',chunks,by_one
    try:
        from anthropic.lib.streaming._messages import accumulate_event
        from anthropic.types import RawContentBlockDeltaEvent, RawContentBlockStartEvent, RawMessageStartEvent
    except ImportError: print('anthropic is not installed')
    else:
        def events(n, size):
            message = dict(id='m', type='message', role='assistant', content=[], model='x', stop_reason=None, stop_sequence=None, usage=dict(input_tokens=1, output_tokens=1))
            return [RawMessageStartEvent.model_validate(dict(type='message_start', message=message)),
                RawContentBlockStartEvent.model_validate(dict(type='content_block_start', index=0, content_block=dict(type='text', text='', citations=None))),
                *(RawContentBlockDeltaEvent.model_validate(dict(type='content_block_delta', index=0, delta=dict(type='text_delta', text='x'*size))) for _ in range(n))]
        def anthropic(evs):
            snap,bufs = None,{}
            for e in evs: snap = accumulate_event(event=e, current_snapshot=snap, json_bufs=bufs)
            return snap.content[0].text
        yield 'anthropic accumulate_event',events,anthropic
    try:
        from pydantic_ai._parts_manager import ModelResponsePartsManager
        from pydantic_ai.models import ModelRequestParameters
    except ImportError: print('pydantic-ai is not installed')
    else:
        def pydantic(texts):
            manager = ModelResponsePartsManager(model_request_parameters=ModelRequestParameters())
            for t in texts:
                for _ in manager.handle_text_delta(vendor_part_id=0, content=t): pass
            return manager.get_parts()[0].content
        yield 'pydantic-ai ModelResponsePartsManager',lambda n, size: ['x'*size for _ in range(n)],pydantic

def best(fn, items, want, limit):
    "Best processor time in ms of up to 25 runs within `limit` seconds; at least one run"
    times,start = [],time.perf_counter()
    gc.collect()
    while not times or len(times)<25 and time.perf_counter()-start<limit:
        t = time.process_time()
        res = fn(items)
        times.append(time.process_time()-t)
        assert res==want
    return min(times)*1e3

def main():
    cases = [(20_000, 4), (200_000, 4), (8_000, 1000)]
    print(f"Python {platform.python_version()}; ms, and how many times as long as `chunks2lmc`\n")
    table = []
    for name,build,fn in rows():
        cells = []
        for n,size in cases:
            cells.append(best(fn, build(n, size), 'x'*n*size, 6))
        table.append((name, cells))
    base = dict(table)['lmcsurgery chunks2lmc']
    heads = [f'{n:,} of {size} characters' for n,size in cases]
    print(f"| {'':50} | {' | '.join(f'{h:>24}' for h in heads)} |")
    print(f"|{'-'*52}|{'|'.join('-'*26 for _ in heads)}|")
    for name,cells in table: print(f"| {name:50} | {' | '.join(f'{c:>14.1f}  ({c/b:>5.1f})' + ' ' for c,b in zip(cells, base))} |")
    print(f'\n200,000 deltas take {base[1]/base[0]:.1f} times as long as 20,000. Target: 20,000 in at most 15 ms ({base[0]:.1f}), 200,000 in at most ten times that.')

if __name__=='__main__': main()
