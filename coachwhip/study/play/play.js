// Plays a game: shows the states that the server sends, and sends the server what the person does. The address says what is on the
// board: #17 the position after 17 half-moves, #17-1-3 that after 3 half-moves of the first of its lines, without either the game now.
(() => {
  const SIDES = ["white", "black"], GONE = "coachwhip has ended; start it again to play on.";
  const stage = one(".stage"), bar = one(".bar"), list = one(".lines"), input = one("#text"), showsLines = one("#shows-lines");
  const message = one(".message"), record = one(".record"), setup = one("#setup"), resign = one("[data-do=resign]");
  const key = `?key=${localStorage.getItem("coachwhip")}`;
  let state = { version: -1 }, received = 0, lines = [], arrow = {};

  function say(text) {
    if (message.textContent !== text) message.textContent = text; // it is read aloud
  }

  // Sends a command, shows the state if there is a newer one, and returns the answer, a message alone after an error.
  async function send(request) {
    const body = JSON.stringify({ fen: state.fen, version: state.version, ...request });
    const read = async (reply) => (reply.ok ? reply.json() : { message: await reply.text() });
    const answer = await fetch(`do${key}`, { method: "POST", body }).then(read).catch(() => ({ message: GONE }));
    if (answer.version > state.version) show(answer);
    if ("message" in answer || message.textContent === GONE) say(answer.message ?? "");
    return answer;
  }

  // Asks for the state while somebody sees it. The answer comes at once if there is a newer one, else within a second.
  async function poll() {
    if (document.hidden) await new Promise((seen) => { document.addEventListener("visibilitychange", seen, { once: true }); });
    const answer = await send({ do: "state" });
    setTimeout(poll, "message" in answer ? 1000 : 0);
  }

  function show(now) {
    if (now.side !== state.side) stage.classList.toggle("flipped", now.side === "black");
    state = now;
    received = performance.now();
    [lines, arrow] = [[], {}];
    say("");
    one(".status").textContent = state.status; // it is read aloud
    one("#report").hidden = !state.over;
    one(".offer").hidden = !state.offer;
    one(".offer span").textContent = state.offer;
    all("[data-ends]").forEach((button) => { button.disabled = state.over; });
    SIDES.forEach((side, index) => { one(`.seat[data-side=${side}] .name`).textContent = state.names[index]; });
    showClocks();
    let ply = 0;
    const words = state.moves.split(" ").filter(Boolean);
    record.replaceChildren(...(words.length ? words.flatMap((word, index) =>
      [index ? " " : "", /^\d+\.+$/.test(word) ? word : linkTo(word, `#${ply += 1}`)]) : ["No moves yet."]));
    goTo(state.fens.length - 1);
    if (state.legal.length) showLines();
  }

  // Shows a position of the game; the last one is where it goes on.
  function goTo(ply) {
    history.replaceState(null, "", ply >= state.fens.length - 1 ? location.pathname : `#${Math.max(0, ply)}`);
    view();
  }

  function view() {
    const [, ply, place, half] = /^#(\d+)(?:-(\d+)-(\d+))?$/.exec(location.hash) ?? [], last = state.fens.length - 1;
    const at = Math.min(ply ?? last, last), line = at === last && lines[place - 1], isNow = !line && at === last;
    const [, turn, , , , number] = state.fens[at - 1]?.split(" ") ?? [], san = all(".record a")[at - 1]?.textContent;
    const text = line ? splitLine(line[1])[half - 1] : san ? `${number}${turn === "w" ? ". " : "..."}${san}` : "First position";
    const [fens, index] = line ? [[state.fen, ...line[2]], Number(half)] : [state.fens, at];
    const extra = isNow ? arrow : {};
    showPosition({ fen: fens[index], before: fens[index - 1], text, ...extra }, isNow ? state.legal : [], (move) => send({ do: "move", text: move.uci }));
    showCaptured(fens[index], state.fens[0]);
    one("[data-step=leave]").hidden = isNow;
    one(".record a[aria-current]")?.removeAttribute("aria-current");
    const link = all(".record a")[at - 1];
    link?.setAttribute("aria-current", "true");
    if (link) record.scrollTop = link.offsetTop - record.clientHeight / 2;
    list.replaceChildren(...lines.map((each, index) => lineItem(each, `#${last}-${index + 1}-`)));
  }

  function showClocks() {
    SIDES.forEach((side, index) => {
      const spent = state.running === side ? (performance.now() - received) / 1000 : 0;
      const left = Math.max(0, (state.clocks?.[index] ?? 0) - spent), seconds = String(Math.floor(left % 60)).padStart(2, "0");
      one(`.seat[data-side=${side}] .clock`).textContent = state.clocks ? `${Math.floor(left / 60)}:${seconds}` : "";
    });
  }

  async function showLines() {
    bar.hidden = list.hidden = !showsLines.checked;
    const now = state, answer = showsLines.checked && state.legal.length ? await send({ do: "lines" }) : {};
    if (!answer.lines || now !== state) return;
    one("div", bar).style.height = `${answer.win}%`;
    bar.setAttribute("aria-label", `White's expected score ${answer.win.toFixed(0)} %`);
    lines = answer.lines;
    view();
  }

  // Carries out a button's command; `resign` at the second click within three seconds.
  async function act({ currentTarget: { dataset } }) {
    if (dataset.do === "resign" && !resign.dataset.sure) {
      resign.dataset.sure = resign.textContent = "Resign? Click again";
      setTimeout(() => { resign.dataset.sure = ""; resign.textContent = "Resign"; }, 3000);
      return;
    }
    const { better, reply, lines: found } = await send({ do: dataset.do });
    if (!better && !reply) return;
    if (found && !showsLines.checked) [lines, list.hidden] = [found, false];
    arrow = { better, reply };
    goTo(Infinity);
  }

  all("[data-do]").forEach((button) => button.addEventListener("click", act));
  one("#flip").addEventListener("click", () => stage.classList.toggle("flipped"));
  one("[data-step=leave]").addEventListener("click", () => goTo(Infinity));
  showsLines.addEventListener("change", showLines);
  one("#report").addEventListener("click", () => say("The game is being analysed; this may take a minute."));
  one("#entry").addEventListener("submit", async (event) => {
    event.preventDefault();
    const { message: fault } = await send({ do: "move", text: input.value });
    if (fault === "") input.value = "";
  });
  one("#open").addEventListener("click", () => { one("#fault").textContent = ""; setup.showModal(); });
  one("#cancel").addEventListener("click", () => setup.close());
  one("#new").addEventListener("submit", async (event) => {
    event.preventDefault();
    const { message: fault } = await send({ do: "new", ...Object.fromEntries(new FormData(event.target)) });
    one("#fault").textContent = fault;
    if (!fault) setup.close();
  });
  addEventListener("hashchange", view);
  addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
    event.preventDefault();
    const [, ply] = /^#(\d+)/.exec(location.hash) ?? [];
    goTo(Number(ply ?? state.fens.length - 1) + step);
  });
  for (const link of all("a[data-key]")) link.search = key;
  document.body.classList.add("scripted");
  setInterval(showClocks, 200);
  poll();
})();
