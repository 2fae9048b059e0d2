// Plays a game: shows the states that the server sends, and sends the server what the person does.
(() => {
  const stage = one(".stage"), status = one(".status"), message = one(".message");
  const sides = ["white", "black"];
  const GONE = "coachwhip has ended; start it again to play on.";
  let state = { version: 0 }, received = 0, sounds = false;

  async function send(request) {
    let answer;
    try {
      answer = await fetch("do", { method: "POST", body: JSON.stringify({ ...request, fen: state.fen }) });
    } catch {
      message.textContent = GONE;
      return;
    }
    if (!answer.ok) {
      message.textContent = await answer.text();
      return;
    }
    const now = await answer.json();
    show(now);
    message.textContent = now.message;
    if (now.better) all(".board").forEach((board) => drawBoard(board, { ...state, better: now.better }));
  }

  function show(now) {
    if (now.version < state.version) return; // it was overtaken
    const before = state;
    state = now;
    received = performance.now();
    if (now.side !== before.side) stage.classList.toggle("flipped", now.side === "black");
    if (now.fen !== before.fen || now.over !== before.over) {
      message.textContent = "";
      all(".board").forEach((board) => {
        drawBoard(board, now);
        enterMoves(board, now.legal, (move) => send({ do: "move", text: move.uci }));
      });
      showMoves();
      if (sounds && before.version) beep();
    }
    const said = (now.moves && `${now.text}. `) + now.status;
    if (status.textContent !== said) status.textContent = said; // it is read aloud
    sides.forEach((side, index) => { one(`.seat[data-side=${side}] .name`).textContent = now.names[index]; });
    showClocks();
    showLines();
    one("#analyse").hidden = !now.over || now.report;
    one("#report").hidden = now.report !== "ready";
    one("#progress").textContent = now.report && now.report !== "ready" ? `Analysing, position ${now.report}.` : "";
  }

  function showMoves() {
    const box = one(".moves");
    box.replaceChildren(...(state.moves.match(/\d+\.+|[^\s.]+/g) || []).flatMap((word) => {
      const cell = document.createElement("span"), isNumber = word.endsWith(".");
      cell.textContent = word.replace(/\.+$/, isNumber ? "." : "");
      if (isNumber) cell.className = "number";
      return word.endsWith("...") ? [cell, document.createElement("span")] : cell;
    }));
    box.scrollTop = box.scrollHeight;
  }

  function showClocks() {
    sides.forEach((side, index) => {
      const spent = state.running === side ? (performance.now() - received) / 1000 : 0;
      const left = Math.max(0, (state.clocks?.[index] ?? 0) - spent), seconds = String(Math.floor(left % 60)).padStart(2, "0");
      one(`.seat[data-side=${side}] .clock`).textContent = state.clocks ? `${Math.floor(left / 60)}:${seconds}` : "";
    });
  }

  function showLines() {
    const bar = one(".bar"), list = one("#best"), { win, lines } = state.lines;
    one("#lines").checked = state.showsLines;
    bar.hidden = list.hidden = !state.showsLines;
    if (!lines) return; // they come
    one("div", bar).style.height = `${win}%`;
    bar.setAttribute("aria-label", `White's expected score ${win.toFixed(0)} %`);
    list.replaceChildren(...lines.map(([score, text]) => {
      const item = document.createElement("li"), bold = document.createElement("b");
      bold.textContent = score;
      item.append(bold, ` ${text}`);
      return item;
    }));
  }

  function beep() {
    const context = new AudioContext(), tone = context.createOscillator();
    tone.connect(context.destination);
    tone.start();
    tone.stop(context.currentTime + 0.05);
  }

  const actions = {
    flip: () => stage.classList.toggle("flipped"),
    sound: (button) => {
      sounds = !sounds;
      button.textContent = sounds ? "Sound off" : "Sound on";
      if (sounds) beep();
    },
  };
  all("[data-do]").forEach((button) => button.addEventListener("click", () => {
    const name = button.dataset.do;
    if (actions[name]) actions[name](button);
    else send({ do: name });
  }));
  one("#lines").addEventListener("change", (event) => send({ do: "lines", show: event.target.checked }));
  one("#entry").addEventListener("submit", async (event) => {
    event.preventDefault();
    await send({ do: "move", text: one("#text").value });
    if (!message.textContent) one("#text").value = "";
  });
  one("#new").addEventListener("submit", (event) => {
    event.preventDefault();
    send({ do: "new", ...Object.fromEntries(new FormData(event.target)) });
  });
  setInterval(showClocks, 200);
  const events = new EventSource("events");
  events.onmessage = (event) => show(JSON.parse(event.data));
  events.onopen = () => { if (message.textContent === GONE) message.textContent = ""; };
  events.onerror = () => { message.textContent = GONE; };
})();
