"""Reading and writing a notebook of 5,000 cells, beside json, fastcore.nbio and nbformat: `python benchmarks/ipynb.py [cells]`

All in one run and in turn, best of several rounds, since machines are shared; the ratio to `json` travels better between machines than milliseconds do.
Needs nbformat (in the extra `dev`); fastcore comes with the package."""
import gc, io, json, sys, tempfile, time
from pathlib import Path
import nbformat
from fastcore.nbio import read_nb, write_nb
from lmcsurgery.dialog import Dialog
from lmcsurgery.ipynb import encode_ipynb, read_ipynb, reads_ipynb, write_ipynb, writes_ipynb
from lmcsurgery.message import Message, prompt_output

def mk_dialog(n):
    "A fifth each of notes, prompts and raw texts; two of code, one with a result and one with printed text"
    def msg(i):
        kind,mid = i%5,f'{i:08x}'
        if kind==0: return Message(f'## Section {i}\n\nSome prose about the matter at hand, number {i}.', id=mid, msg_type='note')
        if kind==1: return Message(f'What is {i}?', id=mid, msg_type='prompt', output=f'It is **{i}**.\n\nI am sure.')
        if kind==2: return Message(f'raw {i}', id=mid, msg_type='raw')
        if kind==3: return Message(f'x = {i}\nx*2', id=mid, output=[dict(output_type='execute_result', metadata={}, execution_count=i, data={'text/plain':str(i*2)})], execution_count=i)
        return Message(f'for j in range(3):\n    print({i}+j)', id=mid, output=[dict(output_type='stream', name='stdout', text=f'{i}\n{i+1}\n{i+2}\n')], execution_count=i)
    return Dialog('bench', [msg(i) for i in range(n)], {'kernelspec':{'display_name':'Python 3', 'language':'python', 'name':'python3'}})

def main(n=5000, rounds=7):
    fresh = mk_dialog(n)
    with tempfile.TemporaryDirectory() as tmp:
        path,other = Path(tmp)/'b.ipynb',Path(tmp)/'o.ipynb'
        write_ipynb(path, fresh)
        text,obj = path.read_text(),json.loads(path.read_bytes())
        dlg,nb,fnb,edited = read_ipynb(path),nbformat.read(path, 4),read_nb(path),read_ipynb(path)
        for m in edited.messages[::10]: m.content += ' edited'
        assert writes_ipynb(dlg)==text
        def write(f): return lambda: other.write_text(f())
        jobs = {
            ('read','json'): lambda: json.loads(path.read_bytes()),
            ('read','lmcsurgery'): lambda: read_ipynb(path),
            ('read','fastcore.nbio'): lambda: read_nb(path),
            ('read','nbformat'): lambda: nbformat.read(path, 4),
            ('write','json (indent=1)'): write(lambda: json.dumps(obj, indent=1, sort_keys=True, ensure_ascii=False)+'\n'),
            ('write','lmcsurgery, as it was read'): lambda: write_ipynb(other, dlg),
            ('write','lmcsurgery, a tenth edited'): lambda: write_ipynb(other, edited),
            ('write','lmcsurgery, all new'): lambda: write_ipynb(other, fresh),
            ('write','fastcore.nbio'): lambda: write_nb(fnb, other),
            ('write','nbformat'): lambda: nbformat.write(nb, other)}
        best = dict.fromkeys(jobs, float('inf'))
        for _ in range(rounds):
            for key,job in jobs.items():
                if rounds>1 and best[key]>2 and best[key]<float('inf'): continue # once is enough for the slow ones
                gc.collect()
                start = time.perf_counter()
                job()
                best[key] = min(best[key], time.perf_counter()-start)
    print(f'{n} cells, {len(text)/1e6:.2f} MB; best of {rounds}\n')
    print(f'{"":6} {"":28} {"ms":>8} {"× json":>7}')
    for (what,who),t in best.items(): print(f'{what:6} {who:28} {t*1e3:8.1f} {t/best[("read","json") if what=="read" else ("write","json (indent=1)")]:7.2f}')

if __name__=='__main__': main(*map(int, sys.argv[1:]))
