// Plays a game: shows the states that the server sends, and sends the server what the person does.
(() => {
  const SIDES = ["white", "black"], GONE = "coachwhip has ended; start it again to play on.";
  const stage = one(".stage"), bar = one(".bar"), list = one(".lines"), input = one("#text"), showsLines = one("#shows-lines");
  let state = {}, received = 0;

  function say(text) {
    one(".message").textContent = text;
  }

  // Sends a command; returns the answer, {} after an error.
  async function send(request) {
    const reply = await fetch("do", { method: "POST", body: JSON.stringify({ fen: state.fen, ...request }) }).catch(() => null);
    const answer = reply?.ok ? await reply.json() : { message: reply ? await reply.text() : GONE };
    if ("message" in answer) say(answer.message);
    return answer;
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
    showPosition();
  }

  function showPosition() {
    all(".board").forEach((board) => {
      drawBoard(board, state);
      enterMoves(board, state.legal, (move) => send({ do: "move", text: move.uci }));
    });
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
    const answer = showsLines.checked ? await send({ do: "lines" }) : {};
    if (answer.fen !== state.fen) return;
    one("div", bar).style.height = `${answer.win}%`;
    bar.setAttribute("aria-label", `White's expected score ${answer.win.toFixed(0)} %`);
    list.replaceChildren(...answer.lines.map(([score, text]) => {
      const item = document.createElement("li"), bold = document.createElement("b");
      bold.textContent = score;
      item.append(bold, ` ${text}`);
      return item;
    }));
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
  setInterval(showClocks, 200);
  const events = new EventSource("events");
  events.onmessage = (event) => show(JSON.parse(event.data));
  events.onerror = () => say(GONE);
  events.onopen = () => say("");
})();
