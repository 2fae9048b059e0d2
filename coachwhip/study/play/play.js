// Plays a game: shows the states that the server sends, and sends the server what the person does.
(() => {
  const SIDES = ["white", "black"], GONE = "coachwhip has ended; start it again to play on.";
  const stage = one(".stage"), bar = one(".bar"), list = one(".lines"), input = one("#text"), showsLines = one("#shows-lines");
  const message = one(".message");
  const key = `?key=${localStorage.getItem("coachwhip")}`;
  let state = { version: -1 }, received = 0;

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

  // Asks for the state, seldom while nobody sees it.
  async function poll(turn) {
    if (!document.hidden || turn % 20 === 0) await send({ do: "state" });
    setTimeout(poll, 250, turn + 1);
  }

  function show(now) {
    if (now.side !== state.side) stage.classList.toggle("flipped", now.side === "black");
    state = now;
    received = performance.now();
    say("");
    one(".status").textContent = state.status; // it is read aloud
    one("#report").hidden = !state.over;
    SIDES.forEach((side, index) => { one(`.seat[data-side=${side}] .name`).textContent = state.names[index]; });
    showClocks();
    showPosition(state, state.legal, (move) => send({ do: "move", text: move.uci }));
    one(".record").textContent = state.moves || "No moves yet.";
    if (state.legal.length) showLines();
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
    const { fen } = state, answer = showsLines.checked ? await send({ do: "lines" }) : {};
    if (!answer.lines || fen !== state.fen) return;
    one("div", bar).style.height = `${answer.win}%`;
    bar.setAttribute("aria-label", `White's expected score ${answer.win.toFixed(0)} %`);
    list.replaceChildren(...answer.lines.map(([score, text]) => lineItem(score, ` ${text}`)));
  }

  async function act({ target }) {
    if (target.dataset.do === "flip") {
      stage.classList.toggle("flipped");
      return;
    }
    const { better } = await send({ do: target.dataset.do });
    if (better) all(".board").forEach((board) => drawBoard(board, { ...state, better }));
  }

  all("[data-do]").forEach((button) => button.addEventListener("click", act));
  showsLines.addEventListener("change", showLines);
  one("#report").addEventListener("click", () => say("The game is being analysed; this may take a minute."));
  one("#entry").addEventListener("submit", async (event) => {
    event.preventDefault();
    const { message } = await send({ do: "move", text: input.value });
    if (message === "") input.value = "";
  });
  one("#new").addEventListener("submit", (event) => {
    event.preventDefault();
    send({ do: "new", ...Object.fromEntries(new FormData(event.target)) });
  });
  for (const link of all("a[href]")) link.search = key;
  setInterval(showClocks, 200);
  poll(0);
})();
