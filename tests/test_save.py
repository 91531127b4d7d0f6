"Saving: the old file or the new one, at every moment, for everybody"
import os, random, resource, signal, stat, subprocess, tempfile, time
from pathlib import Path
import pytest
from lmcsurgery.dialog import Dialog
from lmcsurgery.ipynb import *
from lmcsurgery.message import *

def in_child(f):
    "Exit code of `f()` in a forked process: 0, or 1 for a DialogError, 2 for an OSError, 3 for anything else"
    pid = os.fork()
    if not pid:
        code = 3
        try: f(); code = 0
        except DialogError: code = 1
        except OSError: code = 2
        finally: os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

def mk(path, n=1, text='x'):
    path.parent.mkdir(parents=True, exist_ok=True)
    Dialog('d', [Message(f'{text}{i}', id=f'm{i}') for i in range(n)]).save(path)
    return path

def test_killed_while_saving(tmp_path):
    file,rnd = mk(tmp_path/'d.ipynb', 400, 'word '*20),random.Random(4)
    states = []
    for text in ('old','new'):
        dlg = read_ipynb(file)
        dlg[0].content = text
        states.append(encode_ipynb(writes_ipynb(dlg)))
        dlg.save()
    def save_for_ever(ready):
        dlg = read_ipynb(file)
        os.write(ready, b'x')
        while True:
            dlg[0].content = 'old' if dlg[0].content=='new' else 'new'
            dlg.save()
    seen,litter,start = set(),0,time.monotonic()
    for i in range(100):
        r,w = os.pipe()
        if not (pid := os.fork()):
            try: save_for_ever(w)
            finally: os._exit(9)
        os.read(r, 1)
        time.sleep(rnd.random()*0.05)
        os.kill(pid, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])==-signal.SIGKILL
        os.close(r); os.close(w)
        data = file.read_bytes()
        assert data in states
        seen.add(data)
        left = set(os.listdir(tmp_path))-{file.name}
        assert all(n.startswith('.d.ipynb.') and n.endswith('.tmp') for n in left)
        litter += bool(left)
        if i>=30 and time.monotonic()-start>45: break # a slow machine
    assert len(seen)==2 and litter # both were seen, and some were killed in the middle of writing
    read_ipynb(file).save()
    assert os.listdir(tmp_path)==[file.name]

def test_the_second_of_two_processes_is_told(tmp_path):
    file = mk(tmp_path/'d.ipynb', 50)
    for i in range(15):
        (r,w),(ready,here),pids = os.pipe(),os.pipe(),[]
        for who in 'ab':
            if pid := os.fork(): pids.append(pid); continue
            code = 3
            try:
                dlg = read_ipynb(file)
                dlg[0].content = f'{who}{i}'
                os.close(w)
                os.write(here, b'x')
                os.read(r, 1) # both are set free at once, when the last writing end is closed
                dlg.save(); code = 0
            except DialogError as e: code = 1 if 'changed since it was read' in str(e) else 3
            finally: os._exit(code)
        for _ in pids: os.read(ready, 1)
        for fd in (w, r, ready, here): os.close(fd)
        codes = [os.waitstatus_to_exitcode(os.waitpid(p, 0)[1]) for p in pids]
        assert sorted(codes)==[0,1]
        assert read_ipynb(file)[0].content=='ab'[codes.index(0)]+str(i)
    a,b = read_ipynb(file),read_ipynb(file)
    a[0].content,b[0].content = 'a','b'
    a.save()
    before = file.read_bytes()
    with pytest.raises(DialogError, match='changed since it was read'): b.save()
    assert file.read_bytes()==before
    b.save(force=True)
    a_again = read_ipynb(file)
    assert a_again[0].content=='b'
    with pytest.raises(DialogError): a.save()

def test_a_lock_that_is_held_is_waited_for(tmp_path, monkeypatch):
    import fcntl, lmcsurgery.ipynb as mod
    file = mk(tmp_path/'d.ipynb')
    fd = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    with pytest.raises(TimeoutError, match='another process has been saving'):
        with mod._locked(tmp_path, patience=0.05): pass
    os.close(fd)
    with mod._locked(tmp_path) as got: assert got
    def no_locks(*a): raise OSError(95, 'not supported')
    monkeypatch.setattr(fcntl, 'flock', no_locks)
    dlg = read_ipynb(file)
    dlg[0].content = 'saved without a lock'
    dlg.save()
    assert read_ipynb(file)[0].content=='saved without a lock'

@pytest.mark.skipif(os.geteuid()!=0, reason='needs root, to become somebody else')
def test_read_only_folder():
    with tempfile.TemporaryDirectory() as d:
        os.chmod(d, 0o755)
        file = mk(Path(d)/'d.ipynb')
        before = file.read_bytes()
        def f():
            os.setuid(65534)
            dlg = read_ipynb(file)
            dlg[0].content = 'edited'
            try: dlg.save()
            except PermissionError as e: assert e.filename==str(file); raise
        assert in_child(f)==2
        assert file.read_bytes()==before and os.listdir(d)==[file.name]

def test_a_write_that_fails(tmp_path):
    "The kernel refuses to let the file grow, as on a full disk"
    file = mk(tmp_path/'d.ipynb')
    before = file.read_bytes()
    def f():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        dlg = read_ipynb(file)
        dlg[0].content = 'x'*100000
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000,5000))
        try: dlg.save()
        except OSError as e: assert e.filename==str(file); raise
    assert in_child(f)==2
    assert file.read_bytes()==before and os.listdir(tmp_path)==[file.name]

def test_full_disk(tmp_path):
    disk = tmp_path/'disk'
    disk.mkdir()
    if subprocess.run(['mount','-t','tmpfs','-o','size=64k','none',disk], capture_output=True).returncode: pytest.skip('cannot mount a small disk')
    try:
        file = mk(disk/'d.ipynb')
        dlg,before = read_ipynb(file),file.read_bytes()
        dlg[0].content = 'x'*100000
        with pytest.raises(OSError, match='No space left') as e: dlg.save()
        assert e.value.filename==str(file)
        assert file.read_bytes()==before and os.listdir(disk)==[file.name]
        dlg[0].content = 'fits'
        dlg.save()
        assert read_ipynb(file)[0].content=='fits'
    finally: subprocess.run(['umount',disk], check=True)

def test_symlink_and_mode(tmp_path):
    real = mk(tmp_path/'there'/'real.ipynb')
    link = tmp_path/'link.ipynb'
    link.symlink_to(real)
    real.chmod(0o640)
    dlg = read_ipynb(link)
    dlg[0].content = 'edited'
    dlg.save()
    assert link.is_symlink() and read_ipynb(real)[0].content=='edited' and stat.S_IMODE(real.stat().st_mode)==0o640
    dlg[0].content = 'again'
    write_ipynb(link, dlg)
    assert link.is_symlink() and read_ipynb(real)[0].content=='again' and os.listdir(tmp_path/'there')==['real.ipynb']
    old = os.umask(0o027)
    try: new = mk(tmp_path/'new.ipynb')
    finally: os.umask(old)
    assert stat.S_IMODE(new.stat().st_mode)==0o640

def test_an_invalid_message_leaves_the_file_alone(tmp_path):
    file = mk(tmp_path/'d.ipynb', 3)
    before,dlg = file.read_bytes(),read_ipynb(file)
    dlg[1].content,dlg[2].output = 'edited',[{'foo':1}]
    with pytest.raises(MessageError): dlg.save()
    assert file.read_bytes()==before and os.listdir(tmp_path)==[file.name]

def test_a_form_is_remembered(tmp_path):
    dlg = Dialog('d', [Message('q', msg_type=sprompt, output='a')])
    file = dlg.save(tmp_path, form='magic')
    dlg[0].content = 'r'
    dlg.save()
    assert '%%prompt' in file.read_text() and read_ipynb(file)[0].ai_res=='a'
    dlg = read_ipynb(file)
    dlg.save(form='markdown'); dlg.save()
    assert '%%prompt' not in file.read_text() and read_ipynb(file)[0].content=='r'

def test_a_deleted_file_is_written_again(tmp_path):
    file = mk(tmp_path/'d.ipynb')
    dlg = read_ipynb(file)
    file.unlink()
    dlg.save()
    assert file.exists()
