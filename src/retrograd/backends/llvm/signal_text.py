"""Signals while native code runs, in LLVM text.

Native code never asks whether a signal has come: it is left where it is. What a call holds is in
its context, and freed from there, so it may be given up at any instruction, but for those sections
in which the context is out of order, or somebody else's lock is held (the system's allocator,
BLAS): these are marked as `busy`, and a signal that comes meanwhile is answered at their end. Mere
loops and functions have nothing of this in them. cysignals does the same.

Every call from Python goes through `rg_guarded`, which notes where to return to. As long as there
are calls in the main thread, a timer gives it a signal every 25 ms. Where the call is still under
way that was there at the tick before, the timer's handler puts one for SIGINT before that of
Python; after the call it is taken back. A call that keeps the interpreter's lock, since nobody knew
that it would be long, gives it up at that time.

Both handlers *look*, which is to have Python run the handlers of its signals, in the same thread.
Where that raises an exception, the call is left (`_longjmp`) and returns with it; where it does
not, the call goes on as if nothing had been. The timer's handler also looks when nothing has come,
but seldom: there are other signals, and such as do not come from the system.

Python's own handler for SIGINT is called by ours, so whatever a user has installed is what happens.
The table (`retrograd.runtime.signals`) belongs to the process. A *guard* belongs to a call; it has
the guard before, the context, Python's thread state while the lock is given up, and where to return
to. Handlers and guards are a module of their own, compiled once; others find it by the table.
"""

from __future__ import annotations

from retrograd.runtime.layout import field_offset
from retrograd.runtime.signals import ACTION_WORDS, signal_offset

__all__ = ["BUSY_TEXT", "SIGNAL_MODULE", "guarded_text"]

_GUARD_WORDS, _RETURN = 64, 24
"""Words of a guard, and where the 50 are that say where to return to."""

_SIGINT = 2
_SELDOM = 10
"""Ticks between two looks for which nothing but time speaks, where the lock is given up."""

_FENCE = 'fence syncscope("singlethread") seq_cst'


def guarded_text(name: str, body: str, release: bool) -> str:
    """`i32 name(ctx, a, b)`, which calls `body` so that signals are answered; `release`: it gives
    up the interpreter's lock meanwhile."""
    return f"""
define i32 @{name}(ptr %ctx, ptr %a, ptr %b) {{
  {_of("signalsp", "signals")}
  %table = load ptr, ptr %signalsp
  {_at("guardedp", "guarded")}
  %guarded = load ptr, ptr %guardedp
  %status = call i32 %guarded(ptr @{body}, ptr %ctx, ptr %a, ptr %b, i32 {int(release)})
  ret i32 %status
}}
"""


def _at(name: str, field: str) -> str:
    return f"%{name} = getelementptr i8, ptr %table, i64 {signal_offset(field)}"


def _of(name: str, field: str) -> str:
    return f"%{name} = getelementptr i8, ptr %ctx, i64 {field_offset(field)}"


def _keep_armed(then: str) -> str:
    """Sets the timer where it rests, and goes on at `then`."""
    return f"""  %armed = load volatile i64, ptr %armedp
  %ready = icmp ne i64 %armed, 0
  br i1 %ready, label %{then}, label %arm
arm:
  store volatile i64 1, ptr %armedp
  call void @rg_arm(ptr %table)
  br label %{then}
"""


_HANDLERS = f"""
@rg_signal_table = internal global ptr null

declare i32 @_setjmp(ptr) returns_twice
declare void @_longjmp(ptr, i32) noreturn
declare i64 @pthread_self()
declare i32 @pthread_kill(i64, i32)
declare i32 @sigaction(i32, ptr, ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @rg_answer_signals(ptr %table) noinline {{
  store ptr %table, ptr @rg_signal_table
  {_at("tickp", "on_tick")}
  store ptr @rg_on_tick, ptr %tickp
  {_at("interruptp", "on_interrupt")}
  store ptr @rg_on_interrupt, ptr %interruptp
  {_at("guardedp", "guarded")}
  store ptr @rg_guarded, ptr %guardedp
  {_at("leftp", "left")}
  store ptr @rg_left, ptr %leftp
  ret void
}}

define internal void @rg_look(ptr %table, ptr %guard) noinline {{
entry:
  {_at("currentp", "current")}
  {_at("trippedp", "tripped")}
  {_at("armedp", "armed")}
  {_at("savep", "save_thread")}
  {_at("restorep", "restore_thread")}
  {_at("checkp", "check_signals")}
  %threadp = getelementptr i8, ptr %guard, i64 16
  %place = getelementptr i8, ptr %guard, i64 {_RETURN}
  %restore = load ptr, ptr %restorep
  %check = load ptr, ptr %checkp
  %save = load ptr, ptr %savep
  br label %again
again:
  store volatile i64 0, ptr %trippedp
  store volatile ptr null, ptr %currentp
  %thread = load volatile ptr, ptr %threadp
  %released = icmp ne ptr %thread, null
  br i1 %released, label %take, label %run
take:
  call void %restore(ptr %thread)
  br label %run
run:
  %raised = call i32 %check()
  %none = icmp eq i32 %raised, 0
  br i1 %none, label %on, label %leave
leave:
  call void @rg_arm(ptr %table)
  call void @_longjmp(ptr %place, i32 1)
  unreachable
on:
  %given = call ptr %save()
  store volatile ptr %given, ptr %threadp
  store volatile ptr %guard, ptr %currentp
  %tripped = load volatile i64, ptr %trippedp
  %more = icmp ne i64 %tripped, 0
  br i1 %more, label %again, label %going
going:
{_keep_armed("done")}done:
  ret void
}}

define internal void @rg_attend(ptr %table, ptr %guard) noinline {{
entry:
  {_at("mainp", "main")}
  %main = load i64, ptr %mainp
  %self = call i64 @pthread_self()
  %mine = icmp eq i64 %self, %main
  br i1 %mine, label %here, label %tell
tell:
  {_at("signalp", "signal")}
  %signal = load i32, ptr %signalp
  %told = call i32 @pthread_kill(i64 %main, i32 %signal)
  ret void
here:
  %ctxp = getelementptr i8, ptr %guard, i64 8
  %ctx = load volatile ptr, ptr %ctxp
  {_of("busyp", "busy")}
  %busy = load volatile i64, ptr %busyp
  %free = icmp eq i64 %busy, 0
  br i1 %free, label %look, label %later
later:
  {_of("pendingp", "pending")}
  store volatile i64 1, ptr %pendingp
  ret void
look:
  call void @rg_look(ptr %table, ptr %guard)
  ret void
}}

define internal void @rg_on_interrupt(i32 %number, ptr %info, ptr %machine) {{
entry:
  %table = load ptr, ptr @rg_signal_table
  {_at("trippedp", "tripped")}
  store volatile i64 1, ptr %trippedp
  {_at("savedp", "saved")}
  %before = load volatile ptr, ptr %savedp
  call void %before(i32 %number, ptr %info, ptr %machine)
  {_at("currentp", "current")}
  %guard = load volatile ptr, ptr %currentp
  %idle = icmp eq ptr %guard, null
  br i1 %idle, label %done, label %attend
attend:
  call void @rg_attend(ptr %table, ptr %guard)
  ret void
done:
  ret void
}}
"""

"""`rg_look` sets the timer before it leaves: SIGINT may have come before the first instruction of
the timer's handler, which then never runs. It sets it before it goes on, too, where it has rested:
while Python runs there is no call under way, and a handler may take longer than a tick."""

_TICK = f"""
define internal i1 @rg_hook(ptr %table) noinline {{
entry:
  %now = alloca [{ACTION_WORDS} x i64], align 16
  {_at("hookp", "on_interrupt")}
  {_at("actionp", "action")}
  {_at("savedp", "saved")}
  {_at("hookedp", "hooked")}
  %hook = load i64, ptr %hookp
  %asked = call i32 @sigaction(i32 {_SIGINT}, ptr null, ptr %now)
  %handler = load i64, ptr %now
  %ours = icmp eq i64 %handler, %hook
  %nobody = icmp ule i64 %handler, 1
  %leave = or i1 %ours, %nobody
  br i1 %leave, label %done, label %put
put:
  call void @llvm.memcpy.p0.p0.i64(ptr %savedp, ptr %now, i64 {8 * ACTION_WORDS}, i1 true)
  store volatile i64 1, ptr %hookedp
  %given = call i32 @sigaction(i32 {_SIGINT}, ptr %actionp, ptr null)
  ret i1 true
done:
  ret i1 false
}}

define internal void @rg_unhook(ptr %table) noinline cold {{
entry:
  %now = alloca [{ACTION_WORDS} x i64], align 16
  {_at("hookp", "on_interrupt")}
  {_at("savedp", "saved")}
  {_at("hookedp", "hooked")}
  %hook = load i64, ptr %hookp
  %asked = call i32 @sigaction(i32 {_SIGINT}, ptr null, ptr %now)
  %handler = load i64, ptr %now
  %ours = icmp eq i64 %handler, %hook
  br i1 %ours, label %back, label %done
back:
  %given = call i32 @sigaction(i32 {_SIGINT}, ptr %savedp, ptr null)
  br label %done
done:
  store volatile i64 0, ptr %hookedp
  ret void
}}

define internal void @rg_arm(ptr %table) noinline cold {{
  {_at("timerp", "timer")}
  {_at("againp", "again")}
  {_at("setp", "set_timer")}
  %timer = load ptr, ptr %timerp
  %set = load ptr, ptr %setp
  %done = call i32 %set(ptr %timer, i32 0, ptr %againp, ptr null)
  ret void
}}

define internal void @rg_on_tick(i32 %number) {{
entry:
  %table = load ptr, ptr @rg_signal_table
  {_at("currentp", "current")}
  {_at("callsp", "calls")}
  {_at("seenp", "seen")}
  {_at("ticksp", "ticks")}
  {_at("armedp", "armed")}
  {_at("trippedp", "tripped")}
  %guard = load volatile ptr, ptr %currentp
  %calls = load volatile i64, ptr %callsp
  %seen = load volatile i64, ptr %seenp
  store volatile i64 %calls, ptr %seenp
  %same = icmp eq i64 %calls, %seen
  %idle = icmp eq ptr %guard, null
  %over = and i1 %same, %idle
  br i1 %over, label %rest, label %go
rest:
  store volatile i64 0, ptr %armedp
  ret void
go:
  call void @rg_arm(ptr %table)
  %fresh = xor i1 %same, true
  %skip = or i1 %idle, %fresh
  br i1 %skip, label %start, label %long
start:
  store volatile i64 0, ptr %ticksp
  ret void
long:
  %count = load volatile i64, ptr %ticksp
  %next = add i64 %count, 1
  store volatile i64 %next, ptr %ticksp
  %hooked = call i1 @rg_hook(ptr %table)
  %tripped = load volatile i64, ptr %trippedp
  %came = icmp ne i64 %tripped, 0
  %phase = urem i64 %next, {_SELDOM}
  %seldom = icmp eq i64 %phase, 0
  %threadp = getelementptr i8, ptr %guard, i64 16
  %thread = load volatile ptr, ptr %threadp
  %held = icmp eq ptr %thread, null
  %a = or i1 %hooked, %came
  %b = or i1 %seldom, %held
  %wanted = or i1 %a, %b
  br i1 %wanted, label %attend, label %done
attend:
  call void @rg_attend(ptr %table, ptr %guard)
  br label %done
done:
  ret void
}}
"""

_GUARDED = f"""
define internal i32 @rg_unguarded(ptr %table, ptr %body, ptr %ctx, ptr %a, ptr %b, i32 %release)
noinline {{
entry:
  %releasing = icmp ne i32 %release, 0
  br i1 %releasing, label %give, label %hold
hold:
  %status = call i32 %body(ptr %ctx, ptr %a, ptr %b)
  ret i32 %status
give:
  {_at("savep", "save_thread")}
  {_at("restorep", "restore_thread")}
  %save = load ptr, ptr %savep
  %thread = call ptr %save()
  %result = call i32 %body(ptr %ctx, ptr %a, ptr %b)
  %restore = load ptr, ptr %restorep
  call void %restore(ptr %thread)
  ret i32 %result
}}

define internal i32 @rg_guarded(ptr %body, ptr %ctx, ptr %a, ptr %b, i32 %release) noinline {{
entry:
  %guard = alloca [{_GUARD_WORDS} x i64], align 16
  {_of("signalsp", "signals")}
  %table = load ptr, ptr %signalsp
  {_at("mainp", "main")}
  %main = load i64, ptr %mainp
  %self = call i64 @pthread_self()
  %mine = icmp eq i64 %self, %main
  br i1 %mine, label %guarded, label %plain
plain:
  %alone = call i32 @rg_unguarded(
    ptr %table, ptr %body, ptr %ctx, ptr %a, ptr %b, i32 %release)
  ret i32 %alone
guarded:
  {_at("currentp", "current")}
  {_at("callsp", "calls")}
  {_at("armedp", "armed")}
  {_at("hookedp", "hooked")}
  {_at("savep", "save_thread")}
  {_at("restorep", "restore_thread")}
  %ctxp = getelementptr i8, ptr %guard, i64 8
  %threadp = getelementptr i8, ptr %guard, i64 16
  %place = getelementptr i8, ptr %guard, i64 {_RETURN}
  %before = load volatile ptr, ptr %currentp
  store volatile ptr %before, ptr %guard
  store volatile ptr %ctx, ptr %ctxp
  store volatile ptr null, ptr %threadp
  %calls = load volatile i64, ptr %callsp
  %calls1 = add i64 %calls, 1
  store volatile i64 %calls1, ptr %callsp
{_keep_armed("mark")}mark:
  %jumped = call i32 @_setjmp(ptr %place) returns_twice
  %first = icmp eq i32 %jumped, 0
  br i1 %first, label %begin, label %given_up
begin:
  %releasing = icmp ne i32 %release, 0
  br i1 %releasing, label %give, label %run
give:
  %save = load ptr, ptr %savep
  %thread = call ptr %save()
  store volatile ptr %thread, ptr %threadp
  br label %run
run:
  {_FENCE}
  store volatile ptr %guard, ptr %currentp
  %status = call i32 %body(ptr %ctx, ptr %a, ptr %b)
  store volatile ptr %before, ptr %currentp
  {_FENCE}
  %changed = load volatile i64, ptr %hookedp
  %clean = icmp eq i64 %changed, 0
  br i1 %clean, label %ended, label %tidy
tidy:
  call void @rg_unhook(ptr %table)
  br label %ended
ended:
  %again = load volatile ptr, ptr %threadp
  %given = icmp ne ptr %again, null
  br i1 %given, label %take, label %return
take:
  %restore = load ptr, ptr %restorep
  call void %restore(ptr %again)
  br label %return
return:
  ret i32 %status
given_up:
  %outer = load volatile ptr, ptr %guard
  store volatile ptr %outer, ptr %currentp
  call void @rg_unhook(ptr %table)
  ret i32 3
}}
"""
"""Where a call is given up, `rg_look` has taken the lock and Python has the exception: the status
does not matter."""

_LEFT = f"""
define internal void @rg_left(ptr %ctx) noinline {{
entry:
  {_of("signalsp", "signals")}
  %table = load ptr, ptr %signalsp
  {_at("currentp", "current")}
  %guard = load volatile ptr, ptr %currentp
  %idle = icmp eq ptr %guard, null
  br i1 %idle, label %done, label %whose
whose:
  %ctxp = getelementptr i8, ptr %guard, i64 8
  %its = load volatile ptr, ptr %ctxp
  %mine = icmp eq ptr %its, %ctx
  br i1 %mine, label %look, label %done
look:
  call void @rg_look(ptr %table, ptr %guard)
  br label %done
done:
  ret void
}}
"""
"""What `rg_leave` calls where a signal has come meanwhile."""

BUSY_TEXT = f"""
define void @rg_enter(ptr %ctx) noinline {{
  {_FENCE}
  {_of("busyp", "busy")}
  store volatile i64 1, ptr %busyp
  {_FENCE}
  ret void
}}

define void @rg_leave(ptr %ctx) noinline {{
entry:
  {_FENCE}
  {_of("busyp", "busy")}
  {_of("pendingp", "pending")}
  store volatile i64 0, ptr %busyp
  {_FENCE}
  %pending = load volatile i64, ptr %pendingp
  %none = icmp eq i64 %pending, 0
  br i1 %none, label %done, label %ask
ask:
  store volatile i64 0, ptr %pendingp
  {_of("signalsp", "signals")}
  %table = load ptr, ptr %signalsp
  {_at("leftp", "left")}
  %left = load ptr, ptr %leftp
  call void %left(ptr %ctx)
  br label %done
done:
  ret void
}}
"""
"""`rg_enter` and `rg_leave` are around what must not be given up. What was chained or unchained in
between is where it belongs when `rg_leave` is called: it may never return."""

SIGNAL_MODULE = _HANDLERS + _TICK + _GUARDED + _LEFT
