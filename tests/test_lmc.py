"The conversations that were recorded from Open Interpreter 0.4.3, and the command line on them"
import copy, json, subprocess, sys
from pathlib import Path
import pytest
from lmcsurgery.all import *

recorded = sorted((Path(__file__).parent/'data/lmc').glob('*.json'))
def load(f): return json.loads(f.read_text(encoding='utf-8'))['messages']
def test_there_are_17(): assert len(recorded)==17
each = pytest.mark.parametrize('file', recorded, ids=lambda f: f.stem)

@each
def test_round_trip(file, tmp_path):
    msgs = load(file)
    before = copy.deepcopy(msgs)
    assert check_lmc(msgs)==[] and norm_lmc(msgs)==msgs and norm_lmc(msgs).findings==[]
    dlg = lmc2dlg(msgs)
    assert dlg2lmc(dlg)==msgs==before
    assert lmc2dlg(msgs).todict()==dlg.todict()                                       # deterministic
    assert dlg2lmc(Dialog.from_dict(json.loads(json.dumps(dlg.todict()))))==msgs      # through JSON
    assert dlg2lmc(read_ipynb(write_ipynb(tmp_path/'d.ipynb', dlg)))==msgs            # through a notebook
    assert read_lmc(write_lmc(tmp_path/'d.json', msgs))==msgs                         # through a file
    for m in dlg:
        for keep in (False, True): assert keep is False or dlg2reply(reply2dlg(m, keep=keep))==m.ai_res

@each
def test_each_call_is_followed_by_its_result(file):
    msgs = load(file)
    chat = dlg2chat(lmc2dlg(msgs))
    runs = [m for m in msgs if m['role']=='assistant' and m['type']=='code']
    calls = [(i,p) for i,m in enumerate(chat) for p in m.content if p.type=='tool_use']
    assert [(p.data['name'], p.data['arguments']) for _,p in calls]==[('execute', dict(language=m['format'], code=m['content'])) for m in runs]
    for i,p in calls: assert chat[i+1].role=='tool' and [r.data['id'] for r in chat[i+1].content]==[p.data['id']]

@each
def test_the_model_sees_all_that_is_meant_for_it(file):
    msgs = load(file)
    def words(part): return [part.text or ''] if not isinstance(part.text, list) else [w for p in part.text for w in words(p)]
    seen = '\n'.join(w for m in lmc2chat(msgs) for p in m.content for w in words(p)+[json.dumps(p.data or {}, ensure_ascii=False)])
    for m in msgs:
        if m.get('recipient') in (None,'assistant') and m['type']!='code': assert m['content'].strip() in seen

@each
def test_one_edit(file):
    "One argument of one call changes exactly one message"
    msgs = load(file)
    runs = [i for i,m in enumerate(msgs) if m['role']=='assistant' and m['type']=='code']
    for n,i in enumerate(runs):
        dlg = lmc2dlg(msgs)
        subs = [(p, reply2dlg(p)) for p in dlg if p.msg_type=='prompt']
        prompt,call = [(p, m) for p,sub in subs for m in sub if m.tool_call][n]
        call.set_args(code='pass')
        prompt.output = dlg2reply(call.dlg)
        assert dlg2lmc(dlg)==msgs[:i]+[msgs[i]|dict(content='pass')]+msgs[i+1:]

def cli(*args, **kw): return subprocess.run([sys.executable, '-c', 'import sys; from lmcsurgery.cli import main; sys.exit(main())', *map(str, args)], capture_output=True, text=True, **kw)

@each
def test_command_line(file, tmp_path):
    lmc,nb,back = tmp_path/'in.json',tmp_path/'d.ipynb',tmp_path/'back.json'
    write_lmc(lmc, load(file))
    assert cli('convert', lmc, nb).returncode==cli('convert', nb, back).returncode==0
    assert read_lmc(back)==read_lmc(lmc)
    shown = cli('show', nb)
    assert shown.returncode==0 and shown.stdout.count('\n\n')>=len(load(file))-1 and '\x1b' not in shown.stdout
    assert json.loads(cli('chat', lmc).stdout)[0]['role']=='user'

bad = {'empty.json':b'', 'text.json':b'hello', 'number.json':b'5', 'cut.json':b'[{"role":"user"', 'latin.json':b'["\xff"]', 'v3.ipynb':b'{"nbformat":3}', 'cut.ipynb':b'{"cells":', 'odd.txt':b'[]', 'entry.json':b'[5]'}
@pytest.mark.parametrize('name', bad)
@pytest.mark.parametrize('cmd', ['show','chat','convert'])
def test_bad_input_is_one_line_and_writes_nothing(cmd, name, tmp_path):
    (tmp_path/name).write_bytes(bad[name])
    out = tmp_path/'out.json'
    res = cli(cmd, tmp_path/name, *([out] if cmd=='convert' else []))
    assert res.returncode==2 and res.stderr.count('\n')==1 and res.stderr.startswith('lmcsurgery: ') and not res.stdout
    assert sorted(p.name for p in tmp_path.iterdir())==[name]

def test_missing_file_and_bad_target(tmp_path):
    assert (res := cli('show', tmp_path/'no.json')).returncode==2 and 'No such file' in res.stderr
    assert cli('convert', demo_file, tmp_path/'x.txt').returncode==2 and not list(tmp_path.iterdir())
    (tmp_path/'folder.json').mkdir()
    assert cli('convert', demo_file, tmp_path/'folder.json').returncode==2 and [p.name for p in tmp_path.iterdir()]==['folder.json']

def test_a_reader_who_leaves_early():
    p = subprocess.run(f'"{sys.executable}" -c "from lmcsurgery.cli import main; main([\'demo\'])" | head -1', shell=True, capture_output=True, text=True)
    assert p.stdout.startswith('1. Open') and p.stderr==''

def test_importing_pulls_no_extra():
    code = 'import sys; import lmcsurgery; from lmcsurgery.all import *; print(*sorted({m.partition(".")[0] for m in sys.modules}))'
    mods = set(subprocess.run([sys.executable, '-c', code], capture_output=True, text=True).stdout.split())
    assert 'fastcore' in mods and not mods & {'nbdev','IPython','numpy','PIL','pandas','jupyter_client','pytest','asyncio'}

def test_every_command_ends_with_its_code(tmp_path):
    "As a process, since what a command returns is what the shell sees"
    nb,html,payload,chunks = tmp_path/'d.ipynb',tmp_path/'d.html',tmp_path/'p.json',tmp_path/'c.jsonl'
    assert cli('convert', demo_file, nb).returncode==cli('convert', nb, html).returncode==cli('convert', nb, tmp_path/'d.md').returncode==0
    assert cli('diff', nb, nb).returncode==0 and cli('diff', nb, recorded[0]).returncode==1
    for to in ('openai','responses','anthropic','gemini'):
        payload.write_text((res := cli('chat', nb, '--to', to)).stdout)
        assert res.returncode==0 and cli('check', payload, '--to', to).stdout==''
    payload.write_text('{"messages": [{"role": "user", "content": ""}]}')
    assert (res := cli('check', payload, '--to', 'openai')).returncode==1 and res.stdout.startswith('messages[0]')
    chunks.write_text('\n'.join(json.dumps(c) for c in json.loads(recorded[10].read_text(encoding='utf-8'))['chunks']))
    play = cli('play', chunks, '--speed', '100000')
    shown = cli('show', '-', input=chunks.read_text())
    assert play.returncode==shown.returncode==0 and play.stdout==shown.stdout!='' and '<' not in shown.stdout
    assert cli('play', chunks, '--speed', '0').returncode==2 and cli('--version').stdout.strip()
