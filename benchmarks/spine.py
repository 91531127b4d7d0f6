"""Cost of the spine, at two sizes and beside the nearest peer.

    python3.12 -m venv v && v/bin/pip install . aidialog==0.0.37 && v/bin/python benchmarks/spine.py

Each row runs at size n and 2n (best of 3); linear cost shows as a ratio near 2. The column `peer` is aidialog 0.0.37 on the same input in the same run
(it needs Python 3.12), as a multiple of our time; without it the column stays empty. A peer that takes over 20 times as long is not run at 2n."""
import gc, sys, time
from lmcsurgery.all import *
try: import aidialog.dialog as peer_dialog, aidialog.hist as peer_hist, aidialog.msg_parts as peer_parts
except (ImportError, SyntaxError): peer_dialog = peer_hist = peer_parts = None

def best(f, arg, n=3):
    "Shortest of at least `n` runs, in milliseconds; unless `n` is 1, as many as fit into a second, since shared machines are fast and slow by turns"
    times,end = [],time.perf_counter()+1
    while len(times)<n or n>1 and len(times)<25 and time.perf_counter()<end:
        gc.collect()
        start = time.perf_counter()
        f(arg)
        times.append((time.perf_counter()-start)*1000)
    return min(times)

rows = []
def row(name, n, make, ours, peer_make=None, peer=None, target=None, reps=3):
    "Measure one operation: `make(n)` prepares the input, which is not timed"
    one,two = best(ours, make(n), reps),best(ours, make(2*n), reps)
    beside = ''
    if peer and peer_dialog:
        try: beside = f'{best(peer, (peer_make or make)(n), 1)/one:.1f}x'
        except Exception as e: beside = f'{type(e).__name__}'
    goal = f'{target} ms' + (' missed' if one>target else '') if target else ''
    print(f'{name:44} {n:>9,} {one:>9.1f} {two:>9.1f} {two/one:>6.2f} {beside:>14} {goal:>16}', flush=True)

def block(i, form='details'): return tool_block('f', {'a':i, 'code':'print(1)\nprint(2)'}, 'some result', f'call_{i}', form=form)
def reply(i, form='details', k=2): return 'Let me see.\n\n' + '\n\n'.join(block(k*i+j, form) for j in range(k)) + '\n\nDone.'
def contents(n): return [('prompt', f'Question {i}?') if i%4==3 else ('code' if i%4 else 'note', f'x = {i}') for i in range(n)]

def build(n):
    d = Dialog('d')
    for kind,text in contents(n): d.mk_message(text, msg_type=kind)
    return d
def peer_build(n):
    d = peer_dialog.Dialog(name='d')
    for kind,text in contents(n): d.mk_message(text, msg_type=kind)
    return d
def full(n, form='details', build=build):
    d = build(n)
    for i,m in enumerate(d.messages):
        if m.msg_type=='prompt': m.output = reply(i, form)
        elif m.msg_type=='code': m.output = [mk_code_output(str(i))]
    return d
def peer_full(n): return full(n, 'fence', peer_build)

def each_next(d):
    for m in d.messages: m.next()
def each_id(d):
    for m in list(d.messages): d.messages[m.id]
def ids(d): return d,[m.id for m in d.messages]
def look_up(arg):
    d,names = arg
    for i in names: d.messages[i]
def insert(n):
    d = Dialog('d')
    m = d.mk_message('first')
    d.mk_message('last')
    for i in range(n): m = d.mk_message('x', after=m)
def peer_insert(n):
    d = peer_dialog.Dialog(name='d')
    m = d.mk_message('first')
    d.mk_message('last')
    for i in range(n): m = d.mk_message('x', after=m)

def calls(n, form='details'): return '\n\n'.join(block(i, form) for i in range(n))
def hostile(piece): return lambda n: (piece*(n//len(piece)+1))[:n]
def lmc(n): return [dict(role='user', type='message', content='q'), *(m for i in range(n//3) for m in (dict(role='assistant', type='code', format='python', content=f'print({i})'),
    dict(role='computer', type='console', format='output', content=f'{i}\n'), dict(role='assistant', type='message', content=f'Step {i}.')))]

print(f'{sys.version.split()[0]}, ' + ('peer: aidialog' if peer_dialog else 'no peer'))
print(f"{'operation':44} {'n':>9} {'ms':>9} {'ms at 2n':>9} {'ratio':>6} {'peer':>14} {'target':>16}")
row('build a dialog of n messages', 10_000, int, build, peer=peer_build, target=150)
row('next() on each', 10_000, build, each_next, peer_build, lambda d: [m.next() for m in d.messages])
row('look up each id', 10_000, lambda n: ids(build(n)), look_up, lambda n: ids(peer_build(n)), look_up)
row('insert n after the previous, above a last', 10_000, int, insert, peer=peer_insert)
row('validate', 10_000, full, lambda d: d.validate(), peer_full, lambda d: d.validate())
row('dlg2hist', 10_000, full, dlg2hist, peer_full, lambda d: peer_hist.dlg2hist(d, {}, plain=True))
row('dlg2chat, two calls in each prompt', 10_000, full, dlg2chat, peer_full, lambda d: peer_hist.dlg2chat(d, plain=True), target=250)
row('fmt2hist of n calls', 3_000, calls, fmt2hist, lambda n: calls(n, 'fence'), peer_parts and peer_parts.fmt2hist, target=80)
row('hist2fmt of n calls', 3_000, lambda n: fmt2hist(calls(n)), hist2fmt, lambda n: peer_parts.fmt2hist(calls(n, 'fence')), peer_parts and peer_parts.hist2fmt)
row('reply2dlg of n calls', 3_000, calls, reply2dlg, lambda n: peer_dialog.Message('q', output=calls(n, 'fence'), msg_type='prompt'), peer_hist and peer_hist.reply2dlg)
row('dlg2reply of n calls', 3_000, lambda n: reply2dlg(calls(n)), dlg2reply, lambda n: peer_hist.reply2dlg(peer_dialog.Message('q', output=calls(n, 'fence'), msg_type='prompt')), peer_hist and peer_hist.dlg2reply)
row('lmc2dlg of n messages in one turn', 9_000, lmc, lmc2dlg)
row('dlg2lmc', 9_000, lambda n: lmc2dlg(lmc(n)), dlg2lmc)
for name,piece in dict(tags=tool_dtls_tag+'\n<summary>x</summary>\n\n```json\n{"id":\n', think=think_start+'\n', fences='````x\n', growing_text='```json {.tool}\n{"id": 1\n', ticks='`', brackets='{"a":[', summary=tool_dtls_tag+'\n<summary>').items():
    row(f'fmt2hist, hostile text: {name}', 1_000_000, hostile(piece), fmt2hist)
row('fmt2hist, hostile text: fences that grow', 1_000_000, lambda n: '\n'.join('`'*i+'x' for i in range(3, int((2*n)**.5))), fmt2hist)
row('fmt2hist, hostile text: deep JSON in a block', 1_000_000, lambda n: tool_block('f', {}, 'X', 'a').replace('"X"', '['*n), fmt2hist)
