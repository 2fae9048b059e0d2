// Plays a game: shows the states that the server sends, and sends the server what the person does. The address says what is on the
// board: #17 the position after 17 half-moves, #17-1-3 that after 3 half-moves of the first of its lines, without either the game now.
// Lines, bar, arrow and message belong to the position after `viewed` half-moves.
(() => {
  const SIDES = ["white", "black"], GONE = "coachwhip has ended; start it again to play on.", SURE = "Click again to resign.";
  const stage = one(".stage"), bar = one(".bar"), list = one(".lines"), input = one("#text"), showsLines = one("#shows-lines");
  const message = one(".message"), record = one(".record"), setup = one("#setup"), resign = one("[data-do=resign]");
  const key = location.search || `?key=${kept("coachwhip")}`;
  let state = { version: -1 }, received = 0, lines = [], arrow = {}, viewed = -1, isAsking = false;

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
    viewed = -1;
    one(".status").textContent = state.status; // it is read aloud
    one(".trouble").textContent = state.trouble;
    one("#end").hidden = !state.over;
    one(".offer").hidden = !state.offer;
    one(".offer span").textContent = state.offer;
    all("[data-ends]").forEach((button) => { button.disabled = state.over; });
    SIDES.forEach((side, index) => { one(`.seat[data-side=${side}] .name`).textContent = state.names[index]; });
    showClocks();
    let ply = 0;
    const words = state.moves.split(" ").filter(Boolean);
    const cells = words.map((word) => {
      const isNumber = /^\d+\.+$/.test(word), cell = isNumber ? document.createElement("span") : linkTo(word, `#${ply += 1}`);
      if (isNumber) [cell.className, cell.textContent] = ["number", word];
      else cell.style.gridColumn = state.fens[ply - 1].includes(" w ") ? 2 : 3;
      return cell;
    });
    record.replaceChildren(...(cells.length ? cells.flatMap((cell) => [" ", cell]).slice(1) : ["No moves yet."]));
    goTo(state.fens.length - 1);
  }

  // Shows a position of the game; the last one is where it goes on.
  function goTo(ply) {
    history.replaceState(null, "", ply >= state.fens.length - 1 ? location.pathname + location.search : `#${Math.max(0, ply)}`);
    view();
  }

  function view() {
    const [, ply, place, half] = /^#(\d+)(?:-(\d+)-(\d+))?$/.exec(location.hash) ?? [], last = state.fens.length - 1;
    const at = Math.min(ply ?? last, last);
    if (at !== viewed) {
      [viewed, lines, arrow] = [at, [], {}];
      say("");
      showLines();
    }
    const line = lines[place - 1], isNow = !line && at === last;
    const [, turn, , , , number] = state.fens[at - 1]?.split(" ") ?? [], san = all(".record a")[at - 1]?.textContent;
    const text = line ? splitLine(line[1])[half - 1] : san ? `${number}${turn === "w" ? ". " : "..."}${san}` : "First position";
    const [fens, index] = line ? [[state.fens[at], ...line[2]], Number(half)] : [state.fens, at];
    const extra = isNow ? arrow : {};
    showPosition({ fen: fens[index], before: fens[index - 1], text, ...extra }, isNow ? state.legal : [], (move) => send({ do: "move", text: move.uci }));
    showCaptured(fens[index], state.fens[0]);
    one("[data-step=leave]").hidden = isNow;
    one(".record a[aria-current]")?.removeAttribute("aria-current");
    const link = all(".record a")[at - 1];
    link?.setAttribute("aria-current", "true");
    if (link) record.scrollTop = link.offsetTop - record.clientHeight / 2;
    list.replaceChildren(...lines.map((each, index) => lineItem(each, `#${at}-${index + 1}-`)));
  }

  function showClocks() {
    SIDES.forEach((side, index) => {
      const spent = state.running === side ? (performance.now() - received) / 1000 : 0;
      const left = Math.max(0, (state.clocks?.[index] ?? 0) - spent), seconds = String(Math.floor(left % 60)).padStart(2, "0");
      one(`.seat[data-side=${side}] .clock`).textContent = state.clocks ? `${Math.floor(left / 60)}:${seconds}` : "";
    });
  }

  // Asks for the lines of the position viewed, one at a time; while the engine thinks about its move, not for that one.
  async function showLines() {
    list.hidden = !showsLines.checked;
    bar.hidden = true;
    const now = state, ply = viewed, isKnown = ply < state.fens.length - 1 || state.over || state.legal.length;
    if (isAsking || !showsLines.checked || !isKnown) return;
    isAsking = true;
    const answer = await send({ do: "lines", ply });
    isAsking = false;
    if (now !== state || ply !== viewed) showLines();
    if (!answer.lines || now !== state || ply !== viewed || !showsLines.checked) return;
    bar.hidden = false;
    one("div", bar).style.height = `${answer.win}%`;
    bar.setAttribute("aria-label", `White's expected score ${answer.win.toFixed(0)} %`);
    lines = answer.lines;
    view();
  }

  // Carries out a button's command; `resign` at the second click within three seconds.
  async function act({ currentTarget: { dataset } }) {
    goTo(Infinity);
    if (dataset.do === "resign" && resign.textContent === "Resign") {
      resign.textContent = "Resign?";
      say(SURE);
      setTimeout(() => { resign.textContent = "Resign"; if (message.textContent === SURE) say(""); }, 3000);
      return;
    }
    resign.textContent = "Resign";
    if (["hint", "threat", "draw"].includes(dataset.do)) say("coachwhip is thinking ...");
    const { better, reply, lines: found, message: words } = await send({ do: dataset.do });
    if (!better && !reply) return;
    goTo(Infinity);
    say(words);
    if (found && !showsLines.checked) [lines, list.hidden] = [found, false];
    arrow = { better, reply };
    view();
  }

  // Analyses the games of a PGN, or that on the board; returns why it cannot. At the end the report is shown, unless a game is played.
  async function analyse(text) {
    let now = await send({ do: "analyse", text });
    if (now.message) return now.message;
    all("dialog[open]").forEach((dialog) => dialog.close());
    const row = one("#analysis"), button = one("button", row), link = one("a", row);
    [row.hidden, button.hidden, link.hidden] = [false, false, true];
    while (now.ready === false) {
      [one("progress").value, one("progress").max, one("span", row).textContent] = [now.done, now.total, `${now.done} of ${now.total}`];
      await new Promise((done) => { setTimeout(done, 300); });
      now = await send({ do: "report" });
    }
    [row.hidden, button.hidden, link.hidden] = [!now.ready, true, false];
    if (now.ready && !state.running) location.href = link.href;
    return "";
  }

  async function showGames() {
    const dialog = one("#games"), { games } = await send({ do: "games" });
    if (!games) return;
    one("p", dialog).hidden = games.length > 0;
    one("ul", dialog).replaceChildren(...games.map((game) => {
      const item = document.createElement("li"), words = `${game.date}: against ${game.opponent}, ${game.side}, ${game.result}`;
      const addButton = (text, action) => {
        const button = document.createElement("button");
        button.textContent = text;
        button.setAttribute("aria-label", `${text}: ${words}`);
        button.onclick = action;
        item.append(" ", button);
      };
      item.append(words);
      if (game.goes_on) addButton("Go on", () => goOn(game));
      addButton("Analyse", () => analyse(game.text));
      return item;
    }));
    dialog.showModal();
  }

  // Goes on with a game in progress: on the board, left by another program, or, with the same level and side, from its PGN.
  function goOn({ goes_on: how, opponent, side, text }) {
    one("#games").close();
    if (how === "start") offer(text, side, /\((\d+)\)/.exec(opponent)?.[1] ?? "full strength");
    else if (how === "resume") send({ do: "resume" });
  }

  // Opens the dialog of a new game, with this text to start from or to analyse.
  function offer(text, side, level) {
    [one("#fault").textContent, one("#start").value] = ["", text];
    if (side) one("#color").value = side;
    if (one(`#level option[value="${level}"]`)) one("#level").value = level;
    if (!setup.open) setup.showModal();
  }

  all("[data-do]").forEach((button) => button.addEventListener("click", act));
  one("#flip").addEventListener("click", () => stage.classList.toggle("flipped"));
  one("[data-step=leave]").addEventListener("click", () => goTo(Infinity));
  showsLines.addEventListener("change", showLines);
  one("#analyse").addEventListener("click", () => analyse(""));
  one("#study").addEventListener("click", async () => { one("#fault").textContent = await analyse(one("#start").value); });
  one("#mine").addEventListener("click", showGames);
  input.addEventListener("input", () => { if (message.textContent === input.dataset.fault) say(""); });
  one("#entry").addEventListener("submit", async (event) => {
    event.preventDefault();
    const { message: fault } = await send({ do: "move", text: input.value });
    if (fault === "") input.value = "";
    input.dataset.fault = fault;
  });
  one("#open").addEventListener("click", () => offer(""));
  all("dialog .close").forEach((button) => button.addEventListener("click", () => button.closest("dialog").close()));
  one("#new").addEventListener("submit", async (event) => {
    event.preventDefault();
    const { message: fault } = await send({ do: "new", ...Object.fromEntries(new FormData(event.target)) });
    one("#fault").textContent = fault;
    if (!fault) setup.close();
  });
  addEventListener("dragover", (event) => event.preventDefault());
  for (const kind of ["drop", "paste"]) addEventListener(kind, async (event) => {
    if (kind === "paste" && event.target.closest("input, textarea, dialog")) return;
    event.preventDefault();
    const data = event.dataTransfer ?? event.clipboardData, [file] = data.files;
    if (file || !data.types.includes("text/uri-list")) offer(file ? await file.text() : data.getData("text")); // no link
  });
  addEventListener("hashchange", view);
  addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=checkbox]), textarea, select, dialog")) return;
    event.preventDefault();
    const [, ply] = /^#(\d+)/.exec(location.hash) ?? [];
    goTo(Number(ply ?? state.fens.length - 1) + step);
  });
  const [, start] = /^#start=(.+)/.exec(decodeURIComponent(location.hash)) ?? []; // of the report's "Play on from here"
  if (start) offer(start, SIDES[Number(start.includes(" b "))]);
  for (const link of all("a[data-key]")) link.search = key;
  document.body.classList.add("scripted");
  setInterval(showClocks, 200);
  poll();
})();
