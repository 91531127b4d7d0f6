"The command line on notebooks of every generation, on files that are none, and on files that would like to steer the terminal"
import contextlib, copy, io, json, os, re, subprocess, sys, tempfile
from pathlib import Path
import pytest
from hypothesis import given, reject, settings, strategies as st
from lmcsurgery.cli import *
from lmcsurgery.dialog import Dialog
from lmcsurgery.ipynb import *
from lmcsurgery.lmc import read_lmc, write_lmc
from lmcsurgery.message import *
import casekit
from strategies import conversations

data,recorded = casekit.data/'ipynb',sorted((casekit.data/'lmc').glob('*.json'))
notebooks = sorted(data.glob('*.ipynb'))
def run(*args):
    "Exit code, standard output and standard error of `main`"
    out,err = io.StringIO(),io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try: code = main([str(a) for a in args])
        except SystemExit as e: code = e.code
    return code,out.getvalue(),err.getvalue()
def process(*args, **kw): return subprocess.run([sys.executable, '-c', 'import sys; from lmcsurgery.cli import main; sys.exit(main())', *map(str, args)], capture_output=True, text=True, **kw)
def says(path): return [{k:v for k,v in m.todict().items() if k!='id'} for m in read_ipynb(path)]
def stem(p): return p.stem

generations = {
    'markdown': dict(cell_type='markdown', id='p', metadata={'solveit_ai':True}, source=f'Why?{reply_sep}So.'),
    'magic': dict(cell_type='code', id='p', metadata={}, source='%%prompt\nWhy?', execution_count=None, outputs=prompt_output('So.')),
}
plain = [dict(cell_type='markdown', id='n', metadata={}, source='# A note'), dict(cell_type='code', id='c', metadata={}, source='1+1', execution_count=1, outputs=[dict(output_type='execute_result', data={'text/plain':'2'}, metadata={}, execution_count=1)])]
def notebook(path, *cells):
    path.write_text(json.dumps(dict(cells=list(cells), metadata={}, nbformat=4, nbformat_minor=5), indent=1))
    return path

@pytest.mark.parametrize('form', generations)
def test_both_generations_of_prompts(form, tmp_path):
    nb,other = notebook(tmp_path/'d.ipynb', *plain, generations[form]),'magic' if form=='markdown' else 'markdown'
    shown = process('show', nb)
    assert (shown.returncode,shown.stderr)==(0,'')
    assert [s for s in ('# A note','1+1','Why?','So.') if s not in shown.stdout]==[] and 'SOLVEIT' not in shown.stdout and '%%prompt' not in shown.stdout
    chat = json.loads(process('chat', nb).stdout)
    assert [m['role'] for m in chat]==['user','assistant'] and [p['text'] for p in chat[0]['content']][-1]=='Why?' and chat[1]['content'][0]['text']=='So.'
    for to in ('openai','responses','anthropic','gemini'):
        code,out,_ = run('chat', nb, '--to', to)
        (tmp_path/'p.json').write_text(out)
        assert code==0 and 'Why?' in out and run('check', tmp_path/'p.json', '--to', to)==(0,'','')
    same,turned,back = (tmp_path/f'{n}.ipynb' for n in ('same','turned','back'))
    assert process('convert', nb, same).returncode==0 and same.read_bytes()==nb.read_bytes() # a copy keeps its generation, and every byte
    assert run('convert', nb, turned, '--form', other)==(0,f'wrote {turned}\n','') and says(turned)==says(nb)
    assert ('%%prompt' in turned.read_text(),'SOLVEIT' in turned.read_text())==(other=='magic',other=='markdown')
    assert run('convert', turned, back, '--form', form)[0]==0 and says(back)==says(nb)
    assert json.loads(back.read_text())['cells'][:2]==plain
    assert run('diff', nb, turned)==run('diff', nb, same)==(0,'','')
    assert json.loads(run('chat', turned)[1])==chat

def test_a_plain_notebook(tmp_path):
    nb = notebook(tmp_path/'plain.ipynb', *plain)
    code,out,_ = run('show', nb)
    assert code==0 and out=='user · message\n  # A note\n\nuser · code · python\n  1+1\n\ncomputer · console · output\n  2\n'
    code,out,err = run('chat', nb)
    assert (code,out)==(2,'') and err.startswith(f'lmcsurgery: {nb}: ') and 'end with a prompt' in err and err.count('\n')==1
    for form in ('markdown','magic'):
        assert run('convert', nb, tmp_path/'copy.ipynb', '--form', form)[0]==0 and (tmp_path/'copy.ipynb').read_bytes()==nb.read_bytes()

@pytest.mark.parametrize('path', notebooks, ids=stem)
def test_every_notebook_can_be_shown_and_converted(path, tmp_path):
    assert run('show', path)[0]==0
    for form in ([], ['--form','magic'], ['--form','markdown'], ['--ids']):
        code,_,err = run('convert', path, tmp_path/'out.ipynb', *form)
        if code: assert code==2 and re.search('id of 1 to 64|bad output entry|JSON, got', err) and err.count('\n')==1 and str(path) in err # what a notebook may not hold was there, and had to be written anew
        elif not form: assert (tmp_path/'out.ipynb').read_bytes()==path.read_bytes()
        else: assert all(a|{'output':'','meta':''}==b|{'output':'','meta':''} for a,b in zip(says(path), says(tmp_path/'out.ipynb'), strict=True))
    for end in ('md','html','json'): assert run('convert', path, tmp_path/f'out.{end}')[0]==0
    (tmp_path/'out.html').read_text(); (tmp_path/'out.md').read_text(); read_lmc(tmp_path/'out.json')
    assert run('diff', path, path)[:2]==(0,'')

def test_ids_on_demand(tmp_path):
    out = tmp_path/'out.ipynb'
    assert run('convert', data/'minor2.ipynb', out)[0]==0 and 'id' not in json.loads(out.read_text())['cells'][0]
    assert run('convert', out, out, '--ids')[0]==0
    nb = json.loads(out.read_text())
    assert all(c['id'] for c in nb['cells']) and nb['nbformat_minor']==5

@pytest.mark.parametrize('path', recorded, ids=stem)
def test_documents(path, tmp_path):
    "Markdown and HTML hold what was said, whatever they were made of"
    nb = tmp_path/'d.ipynb'
    assert run('convert', path, nb)[0]==0
    said = [m['content'] for m in read_lmc(path) if m['type']=='message']
    for end in ('md','html'):
        a,b = tmp_path/f'a.{end}',tmp_path/f'{path.stem}.{end}'
        assert run('convert', nb, a)[0]==run('convert', path, b)[0]==0
        assert a.read_text().replace('<title>d<','').replace('<h1>d<','')==b.read_text().replace(f'<title>{path.stem}<','').replace(f'<h1>{path.stem}<','')
        for text in said: assert all(w in b.read_text() for w in re.findall(r'\w+', text))

bad = {'empty':b'', 'text':b'hello', 'list':b'[]', 'cut':b'{"cells":[', 'v3':b'{"nbformat":3,"nbformat_minor":0,"worksheets":[{"cells":[]}],"metadata":{}}', 'v5':b'{"nbformat":5,"cells":[]}', 'lmc':b'[{"role":"user","type":"message","content":"x"}]', 'payload':b'{"messages":[]}', 'latin':b'{"cells":"\xff"}',
    'utf16':'{}'.encode('utf-16'), 'deep':b'['*100_000, 'number':b'5', 'cell':b'{"nbformat":4,"cells":[{"cell_type":"heading"}]}', 'steers':b'{"nbformat":4,"cells":[{"cell_type":"\\u001b[2J"}]}'}
@pytest.mark.parametrize('name', bad)
def test_what_is_no_notebook(name, tmp_path):
    nb,good,out = tmp_path/f'{name}.ipynb',notebook(tmp_path/'good.ipynb', *plain),tmp_path/'out.ipynb'
    nb.write_bytes(bad[name])
    for words in (['show',nb], ['chat',nb], ['chat',nb,'--to','openai'], ['convert',nb,out], ['convert',nb,tmp_path/'out.html'], ['convert',nb,tmp_path/'out.json'], ['convert',nb,nb,'--form','magic'], ['diff',nb,good], ['diff',good,nb],
            ['merge',nb,good,good,'-o',out], ['merge',good,nb,good,'-o',out], ['merge',good,good,nb,'-o',nb]):
        code,stdout,err = run(*words)
        assert (code,stdout)==(2,'') and err.startswith(f'lmcsurgery: {nb}') and err.count('\n')==1 and '\x1b' not in err and len(err)<500, words
        assert sorted(p.name for p in tmp_path.iterdir())==sorted({nb.name,'good.ipynb'}) and nb.read_bytes()==bad[name]

def test_words_that_are_no_command(tmp_path):
    for words in ([], ['nonsense'], ['convert','x.json'], ['merge','a','b','c'], ['chat','x.json','--to','nobody'], ['convert','a.ipynb','b.ipynb','--form','fancy']): assert run(*words)[0]==2
    for cmd in 'show chat check convert diff merge play demo'.split(): assert run(cmd, '--help')[0]==0
    folder = tmp_path/'folder.ipynb'
    folder.mkdir()
    assert run('show', folder)[0]==run('convert', data/'minor2.ipynb', folder)[0]==2
    assert run('convert', data/'minor2.ipynb', tmp_path/'no'/'out.ipynb')[0]==2 and not (tmp_path/'no').exists()

def test_what_a_file_holds_does_not_steer_the_terminal(tmp_path):
    evil = 'a\x1b[2J\x1b]0;title\x07\x9b31m\x7f\x08\rb'
    mk = lambda t: Dialog('d', [Message(f'{evil}{t}', id='n', msg_type=snote), Message(f'{evil}{t}', id='c', output=f'{evil}{t}'), Message(evil, id='k', msg_type=sraw, meta={evil:t}), Message(f'{evil}{t}', id='p', msg_type=sprompt, output=evil+t, attachments=[Attachment(b'x', evil, evil)])], {evil:t})
    a,b,c,lmc = tmp_path/'a.ipynb',tmp_path/'b.ipynb',tmp_path/'c.ipynb',tmp_path/f'd.json'
    for path,t in ((a,'0'), (b,'1'), (c,'2')): write_ipynb(path, mk(t))
    odd = notebook(tmp_path/'odd.ipynb', dict(cell_type='raw', id=evil, metadata={}, source='x'), dict(cell_type='raw', id=evil, metadata={}, source='y', attachments={evil:{evil:'?'}}))
    write_lmc(lmc, [{'role':evil, 'type':evil, 'format':evil, 'content':evil, 'recipient':evil}, {'role':'user', 'type':'message', 'content':{evil:evil}}])
    payload = tmp_path/'payload.json'
    payload.write_text(json.dumps(dict(messages=[dict(role=evil, content=evil, **{evil:evil})])))
    for words in (['show',a], ['show',lmc], ['show',odd], ['chat',a], ['chat',a,'--to','openai'], ['chat',lmc], ['diff',a,b], ['diff',a,lmc], ['diff',a,odd], ['merge',a,b,c,'-o',tmp_path/'m.ipynb'], ['merge',a,b,c,'-o',tmp_path/'m.json'], ['convert',odd,tmp_path/'o.json'], ['convert',a,tmp_path/'x\x1b[2J.ipynb'],
            ['show',tmp_path/'no\x1b.ipynb'], ['show',f'{tmp_path}/x.\x1b[2J'], ['check',payload,'--to','openai'], ['check',payload,'--to','gemini']):
        code,out,err = run(*words)
        assert not re.search('[\x00-\x08\x0b-\x1f\x7f-\x9f]', out+err), words
        if words[0]=='chat' and code==0: assert any(evil in str(p.get('text', p)) for m in json.loads(out) for p in m.get('content', [])) if len(words)==2 and words[1]!=lmc else json.loads(out)

def test_merge_of_notebooks(tmp_path):
    base,a,b,out = (tmp_path/f'{n}.ipynb' for n in ('base','a','b','out'))
    notebook(base, *plain, generations['magic'])
    for path,i,text in ((a,0,'# Mine'), (b,2,'Why not?')):
        dlg = read_ipynb(base)
        dlg[i].content = text
        dlg.save(path)
    assert run('merge', base, a, b, '-o', out)==(0,f'wrote {out}\n','')
    assert [m.content for m in read_ipynb(out)]==['# Mine','1+1','Why not?'] and '%%prompt' in out.read_text()
    theirs = read_ipynb(b)
    theirs[0].content = '# Yours'
    theirs.save()
    res = process('merge', base, a, b, '--output', a)
    assert res.returncode==1 and res.stdout==f'wrote {a}, 1 conflict\n' and res.stderr.startswith('lmcsurgery: n: edited by both: content; ')
    assert [(m.content,m.meta.get('conflict')) for m in read_ipynb(a)]==[('# Mine','edited by both'),('# Yours','n'),('1+1',None),('Why not?',None)]
    before = a.read_bytes()
    assert run('merge', base, a, tmp_path/'none.ipynb', '-o', a)[0]==2 and a.read_bytes()==before

def values(msgs): return json.dumps(list(msgs))

@settings(max_examples=60, deadline=None)
@given(conversations, st.data())
def test_comparing_and_merging_conversations(msgs, data):
    "The laws of `diff_dlg` and `merge3_dlg`, for LMC files"
    with tempfile.TemporaryDirectory() as tmp:
        base,a,b,out = (Path(tmp)/f'{n}.json' for n in ('base','a','b','out'))
        try: msgs = list(read_lmc(write_lmc(base, msgs))) # with roles, which would otherwise depend on the place
        except LMCError: reject() # what no such file can hold
        write_lmc(base, msgs)
        mine = copy.deepcopy(msgs)
        for _ in range(data.draw(st.integers(0,3))):
            i = data.draw(st.integers(0,len(mine)))
            if data.draw(st.booleans()) or not mine[i:]: mine.insert(i, dict(role='user', type='message', content=data.draw(st.sampled_from(['new','a','']))))
            elif data.draw(st.booleans()): del mine[i]
            else: mine[i]['content'] = data.draw(st.sampled_from(['edited', None, {'x':1}]))
        write_lmc(a, mine)
        assert run('diff', base, a)[0]==(values(read_lmc(base))!=values(read_lmc(a)))
        for x,y in ((a,base), (base,a), (a,a)):
            assert run('merge', base, x, y, '-o', out)[0]==0 and values(read_lmc(out))==values(read_lmc(a))
        write_lmc(b, [*msgs, dict(role='user', type='message', content='the end of b')])
        write_lmc(a, [dict(role='user', type='message', content='the start of a'), *msgs])
        assert run('merge', base, a, b, '-o', out)[0]==0
        assert values(read_lmc(out))==values([dict(role='user', type='message', content='the start of a'), *read_lmc(base), dict(role='user', type='message', content='the end of b')])

def test_a_turn_more_at_the_beginning_changes_nothing_else(tmp_path):
    base,more = recorded[3],tmp_path/'more.json'
    write_lmc(more, [dict(role='user', type='message', content='first'), dict(role='assistant', type='message', content='yes'), *read_lmc(base)])
    code,out,_ = run('diff', base, more)
    assert code==1 and [l[:7] for l in out.splitlines()[2:]]==['+ added']*2
    nb = tmp_path/'more.ipynb'
    assert run('convert', more, nb)[0]==0 and run('diff', more, nb)==run('diff', nb, more)==(0,'','')

def test_an_interrupted_command(monkeypatch):
    import lmcsurgery.cli as mod
    def stop(*a): raise KeyboardInterrupt
    monkeypatch.setattr(mod, '_read', stop)
    assert run('show', 'x.json')==(130,'','')

def test_output_that_is_not_utf8(tmp_path):
    write_lmc(tmp_path/'e.json', [dict(role='user', type='message', content='é😀')])
    for enc in ('ascii','cp1252','utf-8'):
        res = process('chat', tmp_path/'e.json', env=os.environ|{'PYTHONIOENCODING':enc}, encoding=enc)
        assert res.returncode==0 and json.loads(res.stdout)[0]['content'][0]['text']=='é😀'

def test_too_deep(tmp_path):
    deep = 1
    for _ in range(900): deep = [deep]
    (tmp_path/'d.json').write_text(json.dumps([dict(role='user', type='message', content='x', foo=deep)]))
    for args in (['show'], ['chat'], ['diff', tmp_path/'d.json'], ['convert', tmp_path/'o.ipynb']):
        code,_,err = run(args[0], tmp_path/'d.json', *args[1:])
        assert code in (0,2) and 'Traceback' not in err and (code==0 or len(err.splitlines())==1)

def test_play_of_what_is_no_stream(tmp_path):
    for i,text in enumerate(('['*100000, '{"messages":[{"role":"user","content":"Hi"}]}', '{\n "cells": [],\n "nbformat": 4\n}', 'hello')):
        (path := tmp_path/f'{i}.json').write_text(text)
        code,out,err = run('play', path)
        assert (code, out, len(err.splitlines()))==(2, '', 1)

def test_merge_that_cannot_be_marked(tmp_path):
    base = [dict(role='user', type='message', content='a', conflict=[])]
    for name,text in (('base','a'), ('x','b'), ('y','c')): write_lmc(tmp_path/f'{name}.json', [base[0]|dict(content=text)])
    for ending,want in (('ipynb',2), ('md',2), ('json',1)):
        code,_,err = run('merge', *(tmp_path/f'{n}.json' for n in ('base','x','y')), '-o', tmp_path/f'out.{ending}')
        assert code==want and (tmp_path/f'out.{ending}').exists()==(want==1), err
    for name,text in (('base','a'), ('x','b'), ('y','c')): write_ipynb(tmp_path/f'{name}.ipynb', Dialog(name, [Message(text, id='m', msg_type='note')]))
    for ending,want in (('json',2), ('html',2), ('ipynb',1)):
        code,_,err = run('merge', *(tmp_path/f'{n}.ipynb' for n in ('base','x','y')), '-o', tmp_path/f'two.{ending}')
        assert code==want and (tmp_path/f'two.{ending}').exists()==(want==1), err
