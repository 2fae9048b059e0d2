"use strict";
// Shows the position that the address names: #g2-17 is the position after 17 half-moves of game 2.
(() => {
  const games = JSON.parse(document.getElementById("data").textContent);
  const NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
  const SVG = "http://www.w3.org/2000/svg";
  const MARGIN = 15, SIZE = 45; // of the boards of chess.svg
  const one = (query, within = document) => within.querySelector(query);
  const all = (query, within = document) => [...within.querySelectorAll(query)];
  let game = 1, at = 0;

  // Upper left corner of a square. Black is at the bottom of a flipped board.
  function corner(square, flipped) {
    const file = square.charCodeAt(0) - 97, rank = square.charCodeAt(1) - 49;
    return [MARGIN + SIZE * (flipped ? 7 - file : file), MARGIN + SIZE * (flipped ? rank : 7 - rank)];
  }

  function add(parent, name, attributes) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    parent.append(element);
    return element;
  }

  // The move that should have been played is a whole line, the reply a broken one: they differ without colours, too.
  function drawArrow(group, [from, to], flipped, kind) {
    const [x1, y1] = corner(from, flipped).map((each) => each + SIZE / 2);
    const [x2, y2] = corner(to, flipped).map((each) => each + SIZE / 2);
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (!length) return;
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    const [x3, y3] = [x2 - 18 * dx, y2 - 18 * dy]; // where the arrowhead begins
    add(group, "line", { class: `arrow ${kind}`, x1, y1, x2: x3, y2: y3, "stroke-width": 7 });
    const head = [[x2, y2], [x3 - 11 * dy, y3 + 11 * dx], [x3 + 11 * dy, y3 - 11 * dx]];
    add(group, "polygon", { class: `arrow ${kind}`, "stroke-width": 0, points: head.map((point) => point.join(",")).join(" ") });
  }

  function drawBoard(holder, position) {
    const svg = one("svg", holder), flipped = holder.dataset.side === "black";
    all("rect.square", svg).forEach((square) => square.classList.remove("last", "check"));
    for (const square of position.move || []) one(`rect.${square}`, svg).classList.add("last");
    if (position.check) one(`rect.${position.check}`, svg).classList.add("check");
    one("g.men", svg)?.remove();
    const group = add(svg, "g", { class: "men" });
    position.board.split("/").forEach((row, down) => {
      let file = 0;
      for (const sign of row) {
        if (sign >= "1" && sign <= "8") { file += Number(sign); continue; }
        const [x, y] = corner(String.fromCharCode(97 + file) + (8 - down), flipped);
        const colour = sign === sign.toUpperCase() ? "white" : "black";
        add(group, "use", { href: `#${colour}-${NAMES[sign.toLowerCase()]}`, transform: `translate(${x}, ${y})` });
        file += 1;
      }
    });
    for (const kind of ["reply", "better"]) if (position[kind]) drawArrow(group, position[kind].move, flipped, kind);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `Board: ${position.text}`);
  }

  function describe(position) {
    const { text, kind, score, spent } = position;
    one(".status").textContent = text + (kind ? ` (${kind})` : "") + (score ? `  ${score}` : "") + (spent ? `  in ${spent}` : "");
    const better = position.better && `${position.better.text} (${position.better.score})`;
    for (const [name, move] of Object.entries({ better, reply: position.reply?.text, played: position.move && text }))
      one(`.legend .${name} strong`).textContent = move ?? "-";
    ["white", "black"].forEach((side, index) => {
      const seat = one(`.seat[data-side="${side}"]`);
      one(".name", seat).textContent = document.getElementById(`game${game}`).dataset[side];
      one(".clock", seat).textContent = position.clocks?.[index] ?? "";
    });
    const win = position.win ?? 50;
    one(".bar div").style.height = `${win}%`;
    one(".bar").setAttribute("aria-label", `White's winning chances ${win} %`);
    one(".lines").replaceChildren(...(position.lines || []).map(([value, moves]) => {
      const item = document.createElement("li"), bold = document.createElement("b");
      bold.textContent = value;
      item.append(bold, " ", moves);
      return item;
    }));
  }

  function mark() {
    const shown = document.getElementById(`game${game}`);
    all(".game").forEach((each) => each.classList.toggle("shown", each === shown));
    all("a[aria-current]").forEach((each) => each.removeAttribute("aria-current"));
    const link = one(`a.move[data-at="${at}"]`, shown);
    if (link) {
      link.setAttribute("aria-current", "true");
      const box = link.parentElement;
      if (link.offsetTop < box.scrollTop || link.offsetTop + 30 > box.scrollTop + box.clientHeight) {
        box.scrollTop = link.offsetTop - box.clientHeight / 2;
      }
    }
    const graph = one(".graph", shown);
    if (graph) {
      const x = at * graph.viewBox.baseVal.width / Math.max(games[game - 1].length - 1, 1), cursor = one(".cursor", graph);
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
      cursor.style.visibility = "visible";
    }
    const chooser = document.getElementById("game");
    if (chooser) chooser.value = String(game);
  }

  function show() {
    const found = /^#g(\d+)-(\d+)$/.exec(location.hash);
    game = Math.min(Math.max(found ? Number(found[1]) : 1, 1), games.length);
    at = Math.min(found ? Number(found[2]) : 0, games[game - 1].length - 1);
    const position = games[game - 1][at];
    all(".board").forEach((holder) => drawBoard(holder, position));
    describe(position);
    mark();
  }

  function go(where) {
    location.replace(`#g${game}-${Math.min(Math.max(where, 0), games[game - 1].length - 1)}`);
  }

  // Index of the nearest bad move forward (1) or backward (-1); the current index if there is none.
  function mistake(direction) {
    for (let index = at + direction; games[game - 1][index]; index += direction) if (games[game - 1][index].kind) return index;
    return at;
  }

  const actions = {
    first: () => go(0),
    back: () => go(at - 1),
    next: () => go(at + 1),
    last: () => go(Infinity),
    worse: () => go(mistake(1)),
    better: () => go(mistake(-1)),
    flip: () => one(".stage").classList.toggle("flipped"),
  };
  const keys = { Home: "first", ArrowLeft: "back", ArrowRight: "next", End: "last", n: "worse", p: "better", f: "flip" };

  if (!games.length) return;
  document.body.classList.add("scripted");
  all("[data-step]").forEach((button) => button.addEventListener("click", actions[button.dataset.step]));
  all(".graph").forEach((graph) => graph.addEventListener("click", (event) => {
    const box = graph.getBoundingClientRect();
    go(Math.round((event.clientX - box.left) / box.width * (games[game - 1].length - 1)));
  }));
  document.getElementById("game")?.addEventListener("change", (event) => { game = Number(event.target.value); go(0); });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT" || !keys[event.key]) return;
    event.preventDefault();
    actions[keys[event.key]]();
  });
  addEventListener("hashchange", show);
  show();
})();
