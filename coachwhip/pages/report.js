// Shows the position of the address: #g2-17 is the position after 17 half-moves of game 2, #g2-17-1-3 the one
// after 3 half-moves of its first line.
(() => {
  const games = JSON.parse(document.getElementById("data").textContent);
  let game = 0, at = 0, line = 0, ply = 0; // line and ply are 0 in the game itself
  let mistakes = []; // to practise, each "game-position"; none: nobody practises
  let current = 0, right = 0, isDecided = false; // which one is shown, how many were right at the first try, whether this one is decided
  const positions = () => games[game - 1].positions;

  // Returns the position on the board, of the game or of a line, and the FEN before it.
  function shown() {
    const position = positions()[at];
    if (!line) return { ...position, before: positions()[at - 1]?.fen };
    const [score, text, fens] = position.lines[line - 1];
    const move = splitLine(text)[ply - 1];
    return { line: true, fen: fens[ply - 1], before: fens[ply - 2] ?? position.fen, text: move, score };
  }

  function describe(position, { text, kind, score, spent, line: inLine }) {
    one(".status").textContent = text + (kind ? ` (${kind})` : "") + (inLine ? " in the line " : score ? "  " : "") + (score ?? "")
      + (spent ? `  in ${spent}` : "");
    one(".odds").textContent = position.odds ? ["White wins", "draw", "Black wins"].map((name, index) =>
      `${name} ${position.odds[index]} %`).join(", ") : "";
    one(".why").textContent = position.why ?? "";
    const number = position.better?.line, [better, moves] = number ? positions()[at - 1].lines[number - 1] : [];
    one(".better.line").replaceChildren(...(number ? ["Better:", ...lineLinks(moves, `#g${game}-${at - 1}-${number}-`), ` (${better})`] : []));
    one("[data-step=leave]").hidden = !inLine;
    ["white", "black"].forEach((side, index) => {
      const seat = one(`.seat[data-side="${side}"]`);
      one(".name", seat).textContent = document.getElementById(`game${game}`).dataset[side];
      one(".clock", seat).textContent = position.clocks?.[index] ?? "";
    });
    const expected = position.expected ?? 50;
    one(".bar div").style.height = `${expected}%`;
    one(".bar").setAttribute("aria-label", `White's expected score ${expected} %`);
    one(".lines").replaceChildren(...(position.lines || []).map((each, index) => lineItem(each, `#g${game}-${at}-${index + 1}-`)));
  }

  function mark() {
    const shown = document.getElementById(`game${game}`);
    all(".game").forEach((article) => article.classList.toggle("shown", article === shown));
    all(".game a[aria-current]").forEach((link) => link.removeAttribute("aria-current"));
    one(`.line a[href="#g${game}-${at}-${line}-${ply}"]`, shown)?.setAttribute("aria-current", "true");
    const link = one(`a.move[data-at="${at}"]`, shown);
    if (link) {
      link.setAttribute("aria-current", "true");
      const box = link.parentElement;
      box.scrollTop = link.offsetTop - box.clientHeight / 2;
    }
    for (const cursor of all(".cursor", shown)) cursor.style.left = `${100 * at / Math.max(positions().length - 1, 1)}%`;
    const chooser = document.getElementById("game");
    if (chooser) chooser.value = String(game);
  }

  function show() {
    const parts = /^#g(\d+)-(\d+)(?:-(\d+)-(\d+))?$/.exec(location.hash) || [];
    const [requested, index, number, half] = parts.slice(1).map((part) => Number(part ?? 0));
    const before = game;
    game = Math.min(Math.max(requested ?? 1, 1), games.length);
    if (game !== before) one(".stage").classList.toggle("flipped", document.getElementById(`game${game}`).dataset.side === "black");
    at = Math.min(index ?? 0, positions().length - 1);
    const fens = positions()[at].lines?.[number - 1]?.[2];
    line = fens && half ? number : 0;
    ply = line ? Math.min(half, fens.length) : 0;
    const now = mistakes.length ? { ...shown(), better: null, reply: null } : shown();
    showPosition(now, mistakes.length && now.exercise ? now.exercise.legal : [], attempt);
    showCaptured(now.fen, positions()[0].fen);
    describe(positions()[at], now);
    mark();
  }

  function go(where) {
    location.replace(`#g${game}-${Math.min(Math.max(where, 0), positions().length - 1)}`);
  }

  // Goes one half-move on (1) or back (-1), in the line or in the game; back from the first of a line is the game.
  function step(direction) {
    const half = ply + direction;
    if (!line) go(at + direction);
    else if (!half) go(at);
    else if (half <= positions()[at].lines[line - 1][2].length) location.replace(`#g${game}-${at}-${line}-${half}`);
  }

  async function copy(button) {
    await navigator.clipboard.writeText(button.dataset.copy === "fen" ? shown().fen : games[game - 1].pgn);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = `Copy ${button.dataset.copy.toUpperCase()}`; }, 1000);
  }

  // Returns the index of the nearest bad move forward (1) or backward (-1); the current index if there is none.
  function mistake(direction) {
    for (let index = at + direction; positions()[index]; index += direction) if (positions()[index].kind || positions()[index].why) return index;
    return at;
  }

  // Goes to the game of the server that shows the report, to start one from a position; a file shows the command for that.
  function playOn(button) {
    const { fen } = button.dataset.play ? positions()[button.dataset.play] : shown(), color = fen.includes(" b ") ? " --color black" : "";
    if (back) location.href = `${back.href}#start=${encodeURIComponent(fen)}`;
    const command = one(".command") ?? document.createElement("code");
    [command.className, command.textContent] = ["command", `coachwhip play --browser${color} --fen "${fen}"`];
    if (!back) button.after(" ", command);
  }

  const isSolved = (place) => {
    const [number, index] = place.split("-");
    return kept(`coachwhip ${games[number - 1].positions[index].fen}`) === "right";
  };
  const announce = (text) => { one(".verdict").textContent = text; };

  function practise(action) {
    if (action === "answer") return solve(0, "");
    [mistakes, current, right] = action === "start" ? [one("#player").value.split(" ").sort((a, b) => isSolved(a) - isSolved(b)), 0, 0] : [mistakes, current + 1, right];
    announce(`You found ${right} of ${mistakes.length} at the first try.`);
    if (action === "end" || current === mistakes.length) mistakes = [];
    else history.replaceState(null, "", `#g${mistakes[current]}`); // no event, whose `show` would end a drag
    document.body.classList.toggle("practising", mistakes.length > 0);
    show();
    one(mistakes.length ? ".verdict" : "[data-exercise=start]").focus();
    if (!mistakes.length) return;
    const { text, kind } = positions()[at + 1], isBlack = positions()[at].fen.includes(" b ");
    isDecided = false;
    one(".stage").classList.toggle("flipped", isBlack);
    announce(`${current + 1} of ${mistakes.length}: ${isBlack ? "Black" : "White"} played ${text} (${kind}). Find a better move.${isSolved(mistakes[current]) ? " You found it last time." : ""}`);
  }

  // Says whether the first try was right, and remembers it for the next time.
  function decide(isRight) {
    if (isDecided) return;
    isDecided = true;
    if (isRight) right += 1;
    keep(`coachwhip ${positions()[at].fen}`, isRight ? "right" : "wrong");
  }

  // Judges a move of the exercise; an engine, where there is one, refutes a wrong move that was not searched.
  async function attempt({ uci, san }) {
    const { fen, exercise: { good, bad } } = positions()[at], index = good.findIndex((move) => move[0] === uci);
    if (index >= 0) return solve(index, index ? "Good too." : "Right.");
    decide(false);
    const [, why] = bad.find((move) => move[0] === uci) ?? [], loses = `${san} loses more than 5 points of winning chances`;
    if (bad.at(-1)[0] === uci) announce(`${san} was played. ${why}`);
    else announce(`${loses}${why ? ` (${why})` : ""}. Try again.`);
    if (why || !back) return;
    const request = { method: "POST", body: JSON.stringify({ do: "refute", fen, text: san }) };
    const line = await fetch(`do${location.search}`, request).then((answer) => answer.json()).catch(() => ({}));
    if (line.refutation && one(".verdict").textContent === `${loses}. Try again.`) announce(`${loses} (${line.refutation}). Try again.`);
  }

  // Shows the position after a good move, and says which moves are good.
  function solve(index, verdict) {
    const { fen: before, exercise: { good } } = positions()[at], [, san, , fen] = good[index];
    const [best, ...others] = good.map(([, move, score]) => `${move} (${score})`);
    decide(Boolean(verdict));
    showPosition({ fen, before, text: san }, [], attempt);
    const { text, why } = positions()[at + 1];
    announce(`${verdict} Best: ${best}${others.length ? `; good too: ${others.join(", ")}` : ""}.${why ? ` ${text} ${why}` : ""}`);
  }

  const actions = {
    first: () => go(0),
    back: () => step(-1),
    next: () => step(1),
    leave: () => go(at),
    last: () => go(Infinity),
    worse: () => go(mistake(1)),
    better: () => go(mistake(-1)),
    flip: () => one(".stage").classList.toggle("flipped"),
  };
  const keys = { Home: "first", ArrowLeft: "back", ArrowRight: "next", End: "last", n: "worse", p: "better", f: "flip", Escape: "leave" };

  const back = one("header a"); // to the game of a server
  if (!games.length) return;
  if (back && location.search !== `?key=${kept("coachwhip")}`) back.search = location.search;
  document.body.classList.add("scripted");
  all("[data-step]").forEach((button) => button.addEventListener("click", actions[button.dataset.step]));
  all(".stage .board").forEach((board) => board.addEventListener("click", () => { if (line) go(at); }));
  all("[data-copy]").forEach((button) => button.addEventListener("click", () => copy(button)));
  all(".game .graph").forEach((graph) => graph.addEventListener("click", (event) => {
    const box = graph.getBoundingClientRect();
    go(Math.round((event.clientX - box.left) / box.width * (positions().length - 1)));
  }));
  document.getElementById("game")?.addEventListener("change", (event) => location.replace(`#g${event.target.value}-0`));
  all("[data-play]").forEach((button) => button.addEventListener("click", () => playOn(button)));
  all("[data-exercise]").forEach((button) => button.addEventListener("click", () => practise(button.dataset.exercise)));
  one("form.exercise")?.addEventListener("submit", (event) => {
    event.preventDefault();
    const input = one("input", event.target), move = readMove(positions()[at].exercise.legal, input.value);
    move ? attempt(move) : announce(`"${input.value}" is not a legal move here.`);
    input.value = "";
  });
  addEventListener("beforeprint", () => all(".game.shown .mistakes li").forEach((item) => {
    const index = Number(one("a", item).hash.split("-")[1]), board = one(".board", item) ?? one(".board").cloneNode(true);
    item.append(board);
    drawBoard(board, { ...positions()[index], before: positions()[index - 1].fen });
  }));
  addEventListener("keydown", (event) => {
    if (mistakes.length || event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT" || !keys[event.key]) return;
    event.preventDefault();
    actions[keys[event.key]]();
  });
  addEventListener("hashchange", show);
  show();
})();
